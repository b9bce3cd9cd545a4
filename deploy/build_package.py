"""Builds the wheel and the source distribution: python3 deploy/build_package.py FOLDER

Whoever builds a commit with the same version of Python gets the same bytes: times are those of
SOURCE_DATE_EPOCH, without it of the commit, and the modes of files are not those of the checkout.
Needs the package `build`, and a network for the setuptools that pyproject.toml names.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv*", ".*_cache", "instance", "build", "dist", "*.egg-info", "__pycache__"
)


def main(folder: Path) -> None:
    os.umask(0o022)  # of the files that setuptools writes
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or time_of_commit()
    with tempfile.TemporaryDirectory() as work:
        source = Path(work, "source")
        shutil.copytree(ROOT, source, ignore=LEFT_OUT)
        set_modes(source)
        subprocess.run(
            [sys.executable, "-m", "build", source, "--outdir", folder],
            env=os.environ | {"SOURCE_DATE_EPOCH": seconds},
            check=True,
        )
    for archive in folder.glob("*.tar.gz"):
        set_times(archive, int(seconds))


def time_of_commit() -> str:
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.check_output(command, cwd=ROOT, text=True).strip()


def set_modes(folder: Path) -> None:
    """Let everybody read the files, and the owner write them, whatever the umask of the clone."""
    for path in (folder, *folder.rglob("*")):
        is_program = path.is_dir() or path.stat().st_mode & 0o100
        path.chmod(0o755 if is_program else 0o644)


def set_times(archive: Path, seconds: int) -> None:
    """Write a source distribution again, in order, with one time and without an owner's name."""
    part = archive.with_suffix(".part")
    with (
        tarfile.open(archive) as old,
        part.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime = seconds
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    part.replace(archive)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve())

"""Main program of the converter's process: give up rights, then become LibreOffice.

Landlock permits the files in the folder it works in, and what it reads to run. A filter forbids
sockets, new processes and signals, and limits hold memory, CPU time and the size of files.
"""

import json
import os
import re
import resource
import sys
from pathlib import Path
from typing import Any, Final

from .confinement import (
    apply_resource_limits,
    be_killed_first,
    end_with_parent,
    forbid_new_privileges,
    restrict_files,
)
from .seccomp import install, program_filter

MEMORY_MB: Final = 1024  # twenty photos of 12 megapixels take most of it
CPU_SECONDS: Final = 45
FILE_MB: Final = 64
MAX_GROUPS: Final = 10_000  # of RTF, open at once: each takes LibreOffice 600 bytes
RTF_TOKEN: Final = re.compile(rb"\\bin(\d{1,10}) ?|\\.|[{}]", re.S)
READABLE: Final = tuple(
    Path(path)
    for path in (
        "/usr",
        "/lib",
        "/lib64",
        "/etc/fonts",
        "/etc/libreoffice",
        "/etc/ld.so.cache",
        "/var/lib/libreoffice",
        "/var/spool/libreoffice",
        "/var/cache/fontconfig",
    )
)
DEVICES: Final = tuple(Path("/dev") / name for name in ("null", "zero", "random", "urandom"))


def main() -> None:
    """Become LibreOffice, which converts `document` in `folder`; the options are an argument."""
    options = json.loads(sys.argv[2])
    end_with_parent()
    be_killed_first()
    apply_resource_limits(memory_mb=MEMORY_MB, cpu_seconds=CPU_SECONDS)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MB << 20,) * 2)
    document = Path(options["folder"], options["document"])
    if document.suffix == ".rtf" and has_too_many_groups(document.read_bytes()):
        sys.exit(1)
    folder = Path(options["folder"])
    command = _command(options)
    os.chdir(folder)
    forbid_new_privileges()
    restrict_files((*READABLE, Path(command[0]).parents[1]), (folder, *DEVICES))
    install(program_filter(os.uname().machine))
    os.execve(command[0], command, _environment(options["folder"]))  # noqa: S606


def has_too_many_groups(rtf: bytes) -> bool:
    """Whether more than MAX_GROUPS groups are open at once."""
    at = depth = 0
    while depth <= MAX_GROUPS and (token := RTF_TOKEN.search(rtf, at)):
        at = token.end() + int(token[1] or 0)
        depth += (token[0] == b"{") - (token[0] == b"}" and depth > 0)
    return depth > MAX_GROUPS


def _command(options: dict[str, Any]) -> list[str]:
    folder = options["folder"]
    return [
        options["program"],
        f"-env:UserInstallation=file://{folder}/profile",
        f"-env:OSL_SOCKET_PATH={folder}",
        "--headless",
        "--norestore",
        "--nologo",
        "--nodefault",
        "--convert-to",
        options["target"],
        "--outdir",
        folder,
        f"{folder}/{options['document']}",
    ]


def _environment(folder: str) -> dict[str, str]:
    own = {"HOME": folder, "TMPDIR": folder, "SAL_USE_VCLPLUGIN": "svp"}
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **own}

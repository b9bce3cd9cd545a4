"""LibreOffice, which converts office documents to PDF or XLSX in a process with hard limits.

It needs files. They lie in a folder of a memory file system, which is deleted afterwards, so that
no plaintext touches the disk. `converter_process` says how the process is isolated, and
`conversion_slots` how many run at once.
"""

import contextlib
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from .confinement import landlock_version
from .conversion_slots import WAIT_SECONDS, ConversionSlots, available_memory
from .converter_process import MEMORY_MB
from .messages import whole
from .process import BOOTSTRAP, TIME, Job, JobResult, start_program
from .seccomp import seccomp_available
from .version import FONTS

PROCESS: Final = f"{BOOTSTRAP}; from viewer.sandbox.converter_process import main; main()"
MEMORY_FOLDER: Final = Path("/dev/shm")  # noqa: S108
PREFIX: Final = "docservice-conversion-"
LEFT_SECONDS: Final = 600  # after which a folder belongs to a process that was killed
CHECK_SECONDS: Final = 0.25
MAX_FOLDER: Final = 256 << 20
MAX_PDF: Final = 32 << 20
_slots: Final = ConversionSlots((MEMORY_MB << 20) + MAX_FOLDER, available_memory)
NOT_INSTALLED: Final = (
    "LibreOffice is not installed: of documents, slides and workbooks only DOCX, as text, and XLSX "
    "are shown. Install libreoffice-writer, libreoffice-calc, libreoffice-impress and "
    "libreoffice-math to show the others, or set CONVERTER to off if that is as you want it."
)
PARTS: Final = {
    "writer": "no text documents are shown as pages",
    "calc": "of workbooks only XLSX are shown, and none as pages",
    "impress": "no slides are shown",
    "draw": "no drawings are shown",
    "math": "formulas in documents are blank",
}
METRIC_FONTS: Final = {  # each has the widths of letters of the fonts that it stands for
    ("LiberationSans", "Arial and Times"): "fonts-liberation",
    ("Carlito", "Calibri"): "fonts-crosextra-carlito",
    ("Caladea", "Cambria"): "fonts-crosextra-caladea",
}
# by the system, for its CPU time, or where others need the memory
KILLED: Final = frozenset({-signal.SIGKILL, -signal.SIGXCPU})
RESTART: Final = 81  # LibreOffice's exit code for: once more, with what I have set up now
SETTINGS: Final = {  # of LibreOffice: no macros, links or recovery; dates by year first
    "Setup/L10N": {"ooSetupSystemLocale": "en-ZA"},
    "Office.Common/Security/Scripting": {
        "DisableMacrosExecution": "true",
        "MacroSecurityLevel": "3",
        "BlockUntrustedRefererLinks": "true",
    },
    "Office.Writer/Content/Update": {"Link": "2"},  # never
    "Office.Calc/Content/Update": {"Link": "2"},
    "Office.Recovery/RecoveryInfo": {"Enabled": "false"},
    "Office.Recovery/AutoSave": {"Enabled": "false"},
    "Office.Common/Misc": {"FirstRun": "false", "UseLocking": "false"},
}
PROFILE: Final = (
    '<?xml version="1.0" encoding="UTF-8"?><oor:items '
    'xmlns:oor="http://openoffice.org/2001/registry">%s</oor:items>'
)
ITEM: Final = (
    '<item oor:path="/org.openoffice.%s"><prop oor:name="%s" oor:op="fuse">'
    "<value>%s</value></prop></item>"
)


@dataclass(frozen=True, slots=True)
class Converter:
    """LibreOffice's program, and its build."""

    program: str
    build: str


class NoConverterError(Exception):
    """There is no converter, or it could not be isolated; the text is a sentence with a remedy."""


def find_converter(soffice: str) -> Converter:
    """Return the converter of this `soffice`; raise NoConverterError."""
    program = Path(soffice).resolve().with_name("soffice.bin")
    if not program.is_file() or len(program.parts) < 4:  # what is above its folder is readable
        raise NoConverterError(f"{soffice} is no LibreOffice: it has no soffice.bin beside it.")
    if not _is_memory(MEMORY_FOLDER):
        raise NoConverterError(f"{MEMORY_FOLDER} is no memory file system. Mount a tmpfs there.")
    if not seccomp_available():
        raise NoConverterError("LibreOffice can't be isolated: there is no seccomp here.")
    if landlock_version() < 1:
        raise NoConverterError(
            "LibreOffice can't be isolated: the kernel has no Landlock. Use Linux 5.13 or newer."
        )
    return Converter(str(program), _build(program))


@cache
def configured_converter(soffice: str | None) -> tuple[Converter | None, str]:
    """Return the converter, and if there is none that can be used, sentences that say why.

    `soffice` is a path, "off", which is silent, or None for the one that this system has.
    """
    path = soffice or shutil.which("soffice")
    if path == "off":
        return None, ""
    if path is None:
        return None, NOT_INSTALLED
    try:
        return find_converter(path), ""
    except NoConverterError as error:
        return None, f"Documents and slides are not converted to pages. {error}"


def missing_parts(converter: Converter) -> Iterator[str]:
    """Yield a sentence for each package beside LibreOffice that is missing, and what lacks then.

    Its parts are looked up where the registry of LibreOffice describes them; an installation
    without this folder is not judged.
    """
    installation = Path(converter.program).parents[1]
    registry = installation / "share" / "registry"
    if not registry.is_dir():
        return
    for part, lacking in PARTS.items():
        if not (registry / f"{part}.xcd").exists():
            yield f"LibreOffice lacks {part.title()}: {lacking}. Install libreoffice-{part}."
    folders = (FONTS, installation / "share" / "fonts")
    fonts = {file.stem for folder in folders for file in folder.rglob("*-Regular.?tf")}
    for (font, replaced), package in METRIC_FONTS.items():
        if f"{font}-Regular" not in fonts:
            yield (
                f"The font {font.removesuffix('Sans')} is missing: lines in {replaced} break "
                f"elsewhere than their author saw. Install {package}."
            )


@dataclass(frozen=True, slots=True)
class Conversion:
    """The job that makes another document of one; its extension is one of ours, not of a name."""

    converter: Converter
    extension: str
    seconds: float = 60
    wait_seconds: float = WAIT_SECONDS
    target: str = "pdf"  # or "xlsx"; a filter of LibreOffice and its options may follow a colon
    prepared_by: Job | None = None  # makes what is converted of the document

    def run(self, pieces: Iterable[bytes], options: dict[str, Any]) -> JobResult:
        """Return what is made as one message. Keeps nothing; fails without room in memory.

        Raises ConverterBusyError if it has to wait too long for others.
        """
        if self.prepared_by:
            prepared = self.prepared_by.run(pieces, options)
            if prepared.failure or len(prepared.messages) != 1:
                return JobResult(failure=prepared.failure or "not one message")
            pieces = [whole(prepared.messages[0][1])]
        return self._convert(pieces)

    def _convert(self, pieces: Iterable[bytes]) -> JobResult:
        remove_left_folders()
        with (
            _slots.slot(self.wait_seconds),
            contextlib.suppress(OSError),
            _memory_folder() as folder,
        ):
            deadline = time.monotonic() + self.seconds
            document = folder / f"document.{self.extension}"
            with document.open("wb") as file:
                file.writelines(pieces)
            _write_profile(folder / "profile" / "user", self.converter)
            code = _run(self.converter, document, deadline, self.target)
            if code == RESTART:
                code = _run(self.converter, document, deadline, self.target)
            if code == 0:
                extension = self.target.partition(":")[0]
                return _result(folder / f"document.{extension}")
            if code in KILLED or time.monotonic() >= deadline:
                return JobResult(failure=TIME)
        return JobResult()


def remove_left_folders() -> None:
    """Remove what a service that was killed in the middle of a conversion left in memory."""
    for folder in MEMORY_FOLDER.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            state = folder.lstat()
            if state.st_uid == os.geteuid() and state.st_mtime < time.time() - LEFT_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _memory_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=MEMORY_FOLDER))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_profile(user: Path, converter: Converter) -> None:
    """Write settings, and the build: a profile of another build costs a restart."""
    (user / "extensions").mkdir(parents=True)
    items = [
        ITEM % (path, name, value)
        for path, values in SETTINGS.items()
        for name, value in values.items()
    ]
    (user / "registrymodifications.xcu").write_text(PROFILE % "".join(items))
    (user / "extensions" / "buildid").write_text(converter.build)


def _run(converter: Converter, document: Path, deadline: float, target: str = "pdf") -> int | None:
    """Return the exit code; None if the process took too much time or room."""
    folder = document.parent
    place = {"folder": str(folder), "document": document.name, "target": target}
    options = asdict(converter) | place
    none = subprocess.DEVNULL
    with start_program(PROCESS, json.dumps(options), stdin=none, stdout=none) as process:
        try:
            return _wait(process, folder, deadline)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, 9)


def _wait(process: subprocess.Popen[Any], folder: Path, deadline: float) -> int | None:
    while time.monotonic() < deadline and _room(folder) < MAX_FOLDER:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(CHECK_SECONDS)
    return None


def _room(folder: Path) -> int:
    """Return how many bytes the files in a folder take."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
    return total


def _result(made: Path) -> JobResult:
    """Read the file, which could be anything if LibreOffice was taken over."""
    with contextlib.suppress(OSError):
        opened = os.open(made, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(opened, "rb") as file:
            data = file.read(MAX_PDF + 1) if stat.S_ISREG(os.fstat(opened).st_mode) else b""
        if data.startswith((b"%PDF-", b"PK")) and len(data) <= MAX_PDF:
            return JobResult([({}, data)], None)
    return JobResult()


def _is_memory(folder: Path) -> bool:
    """Whether a memory file system that this process may write to is mounted here."""
    with contextlib.suppress(OSError):
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
        types = [type for _, place, type, *_ in mounts if place == str(folder)]
        return types[-1:] in (["tmpfs"], ["ramfs"]) and os.access(folder, os.W_OK | os.X_OK)
    return False


def _build(program: Path) -> str:
    """Return LibreOffice's build, as its profiles note it; empty if it does not say."""
    with contextlib.suppress(OSError, ValueError):
        for line in program.with_name("versionrc").read_text().splitlines():
            if line.lower().startswith("buildid="):
                return line.partition("=")[2]
    return ""

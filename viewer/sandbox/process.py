"""The parent's side of the sandbox: starts a child process, feeds it, collects its messages."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, cast

from .messages import Message, read_message, write_message

PACKAGE: Final = Path(__file__).resolve().parent.parent
# `viewer` becomes a bare package, so that the child does not import what __init__.py imports.
BOOTSTRAP: Final = (
    "import sys, types; package = types.ModuleType('viewer'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['viewer'] = package"
)
WORKER: Final = f"{BOOTSTRAP}; from viewer.sandbox.worker import main; main()"
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
MAX_OUTPUT: Final = 40 << 20
SLOTS: Final = threading.BoundedSemaphore(4)
SLOT_SECONDS: Final = 30


class SandboxError(Exception):
    """The child process crashed, reached a limit, or could not read the document."""


@dataclass(slots=True)
class JobResult:
    """The messages of the child process; `failure` is None only if it finished its job."""

    messages: list[Message] = field(default_factory=list)
    failure: str | None = "crashed"


def run(
    job: str,
    pieces: Iterable[bytes],
    options: dict[str, Any],
    *,
    seconds: float,
    slot_seconds: float = SLOT_SECONDS,
    program: str = WORKER,
) -> JobResult:
    """Run a job on these bytes in a child process, at most `seconds` long.

    At most four run at once; the failure is "busy" if none ends within `slot_seconds`.
    """
    if not SLOTS.acquire(timeout=slot_seconds):
        return JobResult(failure="busy")
    try:
        return _run(program, {"job": job, **options}, pieces, seconds)
    finally:
        SLOTS.release()


def run_html_job(
    job: str, pieces: Iterable[bytes], options: dict[str, Any], *, seconds: float
) -> Message:
    """Run a job that sends one message; return its facts and its HTML in UTF-8.

    Raises SandboxError if the job failed.
    """
    result = run(job, pieces, options, seconds=seconds)
    if result.failure or len(result.messages) != 1:
        raise SandboxError(result.failure or "not one message")
    return result.messages[0]


def _run(
    program: str, options: dict[str, Any], pieces: Iterable[bytes], seconds: float
) -> JobResult:
    with _start(program) as process:
        deadline = threading.Timer(seconds, process.kill)
        deadline.start()
        try:
            _feed(cast(IO[bytes], process.stdin), options, pieces)
            return _collect(cast(IO[bytes], process.stdout))
        finally:
            deadline.cancel()
            process.kill()
            deadline.join()


def _start(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-c", program, str(PACKAGE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
        close_fds=True,
        start_new_session=True,
    )


def _feed(stream: IO[bytes], options: dict[str, Any], pieces: Iterable[bytes]) -> None:
    """Send all input. No deadlock: the child reads all of it before it writes anything."""
    try:
        with contextlib.suppress(BrokenPipeError):
            write_message(stream, options)
            for piece in pieces:
                stream.write(piece)
    finally:
        with contextlib.suppress(BrokenPipeError):
            stream.close()


def _collect(stream: IO[bytes]) -> JobResult:
    result, size = JobResult(), 0
    with contextlib.suppress(EOFError, ValueError, RecursionError):
        while size < MAX_OUTPUT:
            facts, block = read_message(stream)
            if "end" in facts:
                result.failure = facts["end"]
                break
            result.messages.append((facts, block))
            size += len(block)
    return result

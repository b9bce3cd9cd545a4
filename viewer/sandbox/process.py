"""The parent's side of the sandbox: starts a child process, feeds it, collects its messages."""

import atexit
import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Protocol, cast

from .messages import Message, read_message, write_message
from .version import sandbox_version

PACKAGE: Final = Path(__file__).resolve().parent.parent
# `viewer` becomes a bare package, so that the child does not import what __init__.py imports.
BOOTSTRAP: Final = (
    "import sys, types; package = types.ModuleType('viewer'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['viewer'] = package"
)
WORKER: Final = f"{BOOTSTRAP}; from viewer.sandbox.worker import main; main()"
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
CORES: Final[set[int]] = getattr(os, "sched_getaffinity", lambda _: set())(0)  # only Linux has it
MAX_OUTPUT: Final = 40 << 20
_waiting: Final[list[subprocess.Popen[bytes]]] = []  # one worker at most, whose job is not known
_one_starts: Final = threading.Lock()


class SandboxError(Exception):
    """The child process crashed, reached a limit, or could not read the document."""


@dataclass(slots=True)
class JobResult:
    """The messages of the child process; `failure` is None only if it finished its job."""

    messages: list[Message] = field(default_factory=list)
    failure: str | None = "crashed"

    def to_bytes(self) -> bytes:
        """Return the messages as the child process would send them."""
        stream = io.BytesIO()
        for facts, block in self.messages:
            write_message(stream, facts, block)
        write_message(stream, {"end": self.failure})
        return stream.getvalue()

    @classmethod
    def of_bytes(cls, data: bytes) -> "JobResult":
        return _collect(io.BytesIO(data))


class RunJob(Protocol):
    def __call__(
        self, job: str, pieces: Iterable[bytes], options: dict[str, Any], *, seconds: float
    ) -> JobResult:
        """Run a job on these bytes in a child process, at most `seconds` long."""


def run(
    job: str,
    pieces: Iterable[bytes],
    options: dict[str, Any],
    *,
    seconds: float,
    program: str = WORKER,
) -> JobResult:
    """Run a job on these bytes in a child process, at most `seconds` long. Keeps nothing."""
    return _run(program, {"job": job, **options}, pieces, seconds)


def job_name(job: str, options: dict[str, Any]) -> str:
    """Return a text that is the same only for jobs that make the same of the same bytes."""
    return json.dumps([sandbox_version(), job, options], sort_keys=True)


def _run(
    program: str, options: dict[str, Any], pieces: Iterable[bytes], seconds: float
) -> JobResult:
    with _waiting_or_new(program) as process:
        deadline = threading.Timer(seconds, process.kill)
        deadline.start()
        try:
            _feed(cast(IO[bytes], process.stdin), options, pieces)
            return _collect(cast(IO[bytes], process.stdout))
        finally:
            deadline.cancel()
            process.kill()
            deadline.join()
            _start_next()


def _waiting_or_new(program: str) -> subprocess.Popen[bytes]:
    with _one_starts:
        if program == WORKER and _waiting:
            process = _waiting.pop()
            if process.poll() is None:
                return process
            process.communicate()  # closes the pipes of one that has died
    return _start(program)


def _start(program: str) -> subprocess.Popen[bytes]:
    return start_program(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _start_next() -> None:
    """Let one worker wait for the next job, which then need not wait for the start of Python."""
    with _one_starts, contextlib.suppress(OSError):
        if not _waiting:
            _waiting.append(_start(WORKER))


@atexit.register
def end_waiting() -> None:
    """A worker that nobody ends like this ends by itself: its input is closed."""
    while _waiting:
        with _waiting.pop() as process:
            process.kill()


@contextlib.contextmanager
def on_all_cores() -> Iterator[None]:
    """What starts a process: the server may have bound the thread to one core."""
    bound = os.sched_getaffinity(0) if CORES else CORES
    if bound == CORES:
        yield
        return
    os.sched_setaffinity(0, CORES)
    try:
        yield
    finally:
        os.sched_setaffinity(0, bound)


@on_all_cores()
def start_program(
    program: str, *arguments: str, stdin: int, stdout: int
) -> subprocess.Popen[bytes]:
    """Start Python in a session of its own, with no open file or variable of the service."""
    return subprocess.Popen(
        [sys.executable, "-I", "-c", program, str(PACKAGE), *arguments],
        stdin=stdin,
        stdout=stdout,
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

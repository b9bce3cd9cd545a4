"""The parent's side of the sandbox: has a child process do a job, and collects its messages.

Child processes are forked by one that has imported what the jobs before needed, the fork server;
where that can't be, on macOS, each is a new process.
"""

import atexit
import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from socket import AF_UNIX, SOCK_SEQPACKET, send_fds, socket, socketpair
from typing import IO, Any, Final, Protocol, cast

from .messages import LENGTHS, Block, KeptMessage, read_message, whole, write_message
from .version import sandbox_version

MAX_OUTPUT: Final = 40 << 20
PACKAGE: Final = Path(__file__).resolve().parent.parent
# `viewer` becomes a bare package, so that the child does not import what __init__.py imports.
BOOTSTRAP: Final = (
    "import sys, types; package = types.ModuleType('viewer'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['viewer'] = package"
)
WORKER: Final = f"{BOOTSTRAP}; from viewer.sandbox.worker import main; main()"
FORK_SERVER: Final = f"{BOOTSTRAP}; from viewer.sandbox.worker import fork_workers; fork_workers()"
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
FORKS: Final = sys.platform == "linux"  # macOS's own libraries do not survive it
_SORTED: Final = json.JSONEncoder(sort_keys=True)

TIME: Final = "time"  # the failure of a job that may go well another time


class SandboxError(Exception):
    """The child process crashed, reached a limit, or could not read the document."""


@dataclass(slots=True)
class JobResult:
    """The messages of the child process; `failure` is None only if it finished its job.

    Long ones of a result that is kept are read when they are needed.
    """

    messages: list[KeptMessage] = field(default_factory=list)
    failure: str | None = "crashed"

    @property
    def may_go_well_later(self) -> bool:
        """Whether it failed for want of time or memory, of which there may be more later."""
        return self.failure == TIME

    def to_bytes(self) -> bytes:
        """Return the messages as the child process would send them."""
        stream = io.BytesIO()
        for facts, block in self.messages:
            write_message(stream, facts, whole(block))
        write_message(stream, {"end": self.failure})
        return stream.getvalue()

    @classmethod
    def of_bytes(cls, data: bytes) -> "JobResult":
        return _collect(io.BytesIO(data))

    @classmethod
    def of_kept(cls, size: int, read: Callable[[int, int], Iterable[bytes]]) -> "JobResult":
        """Return the result whose `to_bytes` has so many bytes, which `read(start, stop)` yields.

        What it needs of the messages, but not their blocks, is read at once.
        """
        result = cls()
        at = 0
        while at < size:
            facts, start, stop = _described(read, at)
            if "end" in facts:
                result.failure = facts["end"]
                break
            block = Block(stop - start, partial(_read_within, read, start))
            result.messages.append((facts, block))
            at = stop
        return result


@dataclass(frozen=True, slots=True)
class Job:
    """A task of a child process with a document, and its limits. The format declares it.

    Only the child process imports the module. It has `render(data, options)`, which yields messages
    and can open no files, and if it needs any, `prepare(data, options)`, which opens them before.
    The fork server calls its `preload()`, if it has one, for the child processes that follow.
    """

    module: str
    memory_mb: int
    cpu_seconds: int
    seconds: float  # after which it is killed
    threads: bool = False  # a library decodes in a thread of its own

    def run(
        self, pieces: Iterable[bytes], options: dict[str, Any], *, program: str | None = None
    ) -> JobResult:
        """Run it on these bytes. Keeps nothing.

        `program` is one of its own, which is then started instead of a worker.
        """
        with _child(self.module, program) as child:
            deadline = threading.Timer(self.seconds, child.kill)
            deadline.start()
            try:
                _feed(child.stdin, {"job": asdict(self), "options": options}, pieces)
                return _collect(child.stdout)
            finally:
                deadline.cancel()
                deadline.join()


class AnyJob(Protocol):
    """A job of a child process, or a conversion."""

    def run(self, pieces: Iterable[bytes], options: dict[str, Any]) -> JobResult:
        """Run it on these bytes. Keeps nothing."""


class RunJob(Protocol):
    def __call__(self, job: AnyJob, pieces: Iterable[bytes], options: dict[str, Any]) -> JobResult:
        """Run a job on these bytes, or return what it made of them before."""


def run_job(job: AnyJob, pieces: Iterable[bytes], options: dict[str, Any]) -> JobResult:
    return job.run(pieces, options)


def job_name(job: AnyJob, options: dict[str, Any]) -> str:
    """Return a key for a cache: jobs with the same key make the same of the same bytes."""
    return _SORTED.encode([sandbox_version(), repr(job), options])


@dataclass(frozen=True, slots=True)
class Child:
    """A child process: where it reads and writes, and what ends it at once."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    kill: Callable[[], None]


class ForkServer:
    """The process that forks child processes: started when the first is needed, or before."""

    def __init__(self) -> None:
        self._running: tuple[socket, subprocess.Popen[bytes]] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start it, unless it runs."""
        with self._lock:
            self._requests()

    def stop(self) -> None:
        """End it, and with it its child processes."""
        with self._lock:
            self._end()

    @contextlib.contextmanager
    def child(self, module: str) -> Iterator[Child]:
        """Fork a process that does the work of a worker; it ends with the block.

        It is forked at once, even if the module of its job has not been imported before. Then it
        imports the module itself, and the fork server does so for those that follow.
        """
        with contextlib.ExitStack() as files:
            its_input, stdin = _pipe(files)
            stdout, its_output = _pipe(files)
            its_end, end = _pipe(files)
            self._send(module, its_input, its_output, its_end)
            yield Child(stdin, stdout, end.close)

    def _send(self, module: str, *files: IO[bytes]) -> None:
        """Hand these files to a new child process, and close them here.

        If the fork server can't be started, no process has them: they end as those of a child
        process that crashed.
        """
        with self._lock, contextlib.ExitStack() as closed:
            numbers = [closed.enter_context(file).fileno() for file in files]
            for _ in range(2):
                try:
                    send_fds(self._requests(), [module.encode()], numbers)
                    return
                except ConnectionError:  # it has died
                    self._end()

    def _requests(self) -> socket:
        if self._running is None:
            ours, its = socketpair(AF_UNIX, SOCK_SEQPACKET)
            with its:
                files = {"stdin": its.fileno(), "stdout": subprocess.DEVNULL}
                self._running = ours, start_program(FORK_SERVER, **files)
        return self._running[0]

    def _end(self) -> None:
        if self._running is not None:
            requests, process = self._running
            self._running = None
            requests.close()
            process.kill()
            process.wait()


_fork_server: Final = ForkServer()
atexit.register(_fork_server.stop)


def start_fork_server() -> None:
    """Start it before the first document, which then need not wait for it."""
    if FORKS:
        _fork_server.start()


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


@contextlib.contextmanager
def _child(module: str, program: str | None) -> Iterator[Child]:
    """Have a child process that ends with the block; a new one where it is not forked."""
    if FORKS and not program:
        with _fork_server.child(module) as child:
            yield child
        return
    pipe = subprocess.PIPE
    with start_program(program or WORKER, stdin=pipe, stdout=pipe) as process:
        stdin = cast(IO[bytes], process.stdin)
        stdout = cast(IO[bytes], process.stdout)
        try:
            yield Child(stdin, stdout, process.kill)
        finally:
            process.kill()


def _pipe(files: contextlib.ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """Open a pipe, and return its end to read from and its end to write to."""
    reading, writing = os.pipe()
    return files.enter_context(open(reading, "rb")), files.enter_context(open(writing, "wb"))


def _feed(stream: IO[bytes], task: dict[str, Any], pieces: Iterable[bytes]) -> None:
    """Send all input. No deadlock: the child reads all of it before it writes anything."""
    try:
        with contextlib.suppress(BrokenPipeError):
            write_message(stream, task)
            for piece in pieces:
                stream.write(piece)
    finally:
        with contextlib.suppress(BrokenPipeError):
            stream.close()


def _described(
    read: Callable[[int, int], Iterable[bytes]], at: int
) -> tuple[dict[str, Any], int, int]:
    """Return the facts of the message that begins at `at`, and where its block begins and ends."""
    begin = at + LENGTHS.size
    text_length, block_length = LENGTHS.unpack(b"".join(read(at, begin)))
    start = begin + text_length
    facts = json.loads(b"".join(read(begin, start)))
    return facts, start, start + block_length


def _read_within(
    read: Callable[[int, int], Iterable[bytes]], offset: int, start: int, stop: int
) -> Iterable[bytes]:
    return read(offset + start, offset + stop)


def _collect(stream: IO[bytes]) -> JobResult:
    result = JobResult()
    size = 0
    with contextlib.suppress(EOFError, ValueError, RecursionError):
        while size < MAX_OUTPUT:
            facts, block = read_message(stream)
            if "end" in facts:
                result.failure = facts["end"]
                break
            result.messages.append((facts, block))
            size += len(block)
    return result

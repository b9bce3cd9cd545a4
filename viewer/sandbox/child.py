"""Starts child processes: forked by one that has imported what they need, or new ones."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from socket import send_fds, socket, socketpair
from typing import IO, Final, cast

PACKAGE: Final = Path(__file__).resolve().parent.parent
# `viewer` becomes a bare package, so that the child does not import what __init__.py imports.
BOOTSTRAP: Final = (
    "import sys, types; package = types.ModuleType('viewer'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['viewer'] = package"
)
WORKER: Final = f"{BOOTSTRAP}; from viewer.sandbox.worker import main; main()"
FORK_SERVER: Final = f"{BOOTSTRAP}; from viewer.sandbox.fork_server import main; main()"
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
FORKS: Final = sys.platform == "linux"  # macOS's own libraries do not survive it


@dataclass(frozen=True, slots=True)
class Child:
    """A child process: where it reads and writes, and what ends it at once."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    kill: Callable[[], None]


@contextlib.contextmanager
def new_child(program: str) -> Iterator[Child]:
    """A new process, which runs this program; it ends with the block."""
    pipe = subprocess.PIPE
    with start_program(program, stdin=pipe, stdout=pipe) as process:
        stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        try:
            yield Child(stdin, stdout, process.kill)
        finally:
            process.kill()


class ForkServer:
    """The process that forks child processes: started when the first is needed, or before."""

    def __init__(self) -> None:
        self._running: tuple[socket, subprocess.Popen[bytes]] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start it, unless it runs; nobody waits for what it imports."""
        with self._lock:
            self._requests()

    def stop(self) -> None:
        """End it, and with it its child processes."""
        with self._lock:
            self._end()

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """A forked process, which does the work of a worker; it ends with the block."""
        with contextlib.ExitStack() as files:
            (input_, stdin), (stdout, output), (end, open_end) = (_pipe(files) for _ in range(3))
            self._send(input_, output, end)
            yield Child(stdin, stdout, open_end.close)

    def _send(self, *files: IO[bytes]) -> None:
        """Hand these files over. If it can't be started, nobody has them: a child that crashed."""
        with self._lock, contextlib.ExitStack() as closed:
            numbers = [closed.enter_context(file).fileno() for file in files]
            for _ in range(2):
                try:
                    send_fds(self._requests(), [b"\0"], numbers)
                    return
                except ConnectionError:  # it has died
                    self._end()

    def _requests(self) -> socket:
        if self._running is None:
            ours, its = socketpair()
            with its:
                stdin, stdout = its.fileno(), subprocess.DEVNULL
                self._running = ours, start_program(FORK_SERVER, stdin=stdin, stdout=stdout)
        return self._running[0]

    def _end(self) -> None:
        if self._running is not None:
            requests, process = self._running
            self._running = None
            requests.close()
            process.kill()
            process.wait()


def _pipe(files: contextlib.ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """Where to read and where to write."""
    reading, writing = os.pipe()
    return files.enter_context(open(reading, "rb")), files.enter_context(open(writing, "wb"))


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

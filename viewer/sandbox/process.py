"""The parent's side of the sandbox: starts a child process, feeds it, collects its messages."""

import atexit
import contextlib
import io
import json
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import IO, Any, Final, Protocol

from .child import FORKS, WORKER, Child, ForkServer, new_child
from .messages import Message, read_message, write_message
from .version import sandbox_version

MAX_OUTPUT: Final = 40 << 20
_SORTED: Final = json.JSONEncoder(sort_keys=True)
_fork_server: Final = ForkServer()
atexit.register(_fork_server.stop)


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
    program: str | None = None,
) -> JobResult:
    """Run a job on these bytes in a child process, at most `seconds` long. Keeps nothing.

    `program` is one of its own, which is then started instead of a worker.
    """
    with _child(program) as child:
        deadline = threading.Timer(seconds, child.kill)
        deadline.start()
        try:
            _feed(child.stdin, {"job": job, **options}, pieces)
            return _collect(child.stdout)
        finally:
            deadline.cancel()
            deadline.join()


def job_name(job: str, options: dict[str, Any]) -> str:
    """Return a text that is the same only for jobs that make the same of the same bytes."""
    return _SORTED.encode([sandbox_version(), job, options])


def start_fork_server() -> None:
    """Start it before the first document, which then need not wait for it."""
    if FORKS:
        _fork_server.start()


def _child(program: str | None) -> AbstractContextManager[Child]:
    return _fork_server.child() if FORKS and not program else new_child(program or WORKER)


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

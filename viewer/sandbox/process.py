"""The parent's side of the child: start it, feed it, read what it says, end it in time."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, cast

from viewer.sandbox.frames import Frame, read_frame, write_frame

PACKAGE: Final = Path(__file__).resolve().parent.parent
# The child sees `viewer` as a bare package: without what its __init__ brings in for the parent.
START: Final = (
    "import sys, types; package = types.ModuleType('viewer'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['viewer'] = package; from viewer.sandbox.worker import main; main()"
)
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
MOST_OUTPUT: Final = 128 << 20
SLOTS: Final = threading.BoundedSemaphore(4)
SLOT_SECONDS: Final = 30


class ChildFailed(Exception):
    """The child crashed, hit a limit, ran out of time or could not read the document."""


@dataclass(slots=True)
class Answer:
    """What the child said until it ended; `failure` is None only when it said all of it."""

    frames: list[Frame] = field(default_factory=list)
    failure: str | None = "crashed"


def run(job: str, pieces: Iterable[bytes], options: dict[str, Any], *, seconds: float) -> Answer:
    """Let a child do this job on these bytes. The parent never parses them."""
    if not SLOTS.acquire(timeout=SLOT_SECONDS):
        return Answer(failure="busy")
    try:
        return _run(job, pieces, options, seconds)
    finally:
        SLOTS.release()


def result(
    job: str, pieces: Iterable[bytes], options: dict[str, Any], *, seconds: float
) -> tuple[dict[str, Any], str]:
    """For jobs that answer with one fragment: its facts and its HTML."""
    answer = run(job, pieces, options, seconds=seconds)
    if answer.failure or len(answer.frames) != 1:
        raise ChildFailed(answer.failure or "no answer")
    facts, block = answer.frames[0]
    return facts, block.decode("utf-8", "replace").replace("\0", "\ufffd")


def _run(job: str, pieces: Iterable[bytes], options: dict[str, Any], seconds: float) -> Answer:
    with _start() as process:
        deadline = threading.Timer(seconds, process.kill)
        deadline.start()
        try:
            _feed(cast(IO[bytes], process.stdin), {"job": job, **options}, pieces)
            return _listen(cast(IO[bytes], process.stdout))
        finally:
            deadline.cancel()
            process.kill()
            deadline.join()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-c", START, str(PACKAGE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
        close_fds=True,
        start_new_session=True,
    )


def _feed(stream: IO[bytes], order: dict[str, Any], pieces: Iterable[bytes]) -> None:
    """The child reads everything before it says a word, so this can't block on its answer."""
    try:
        with contextlib.suppress(BrokenPipeError):
            write_frame(stream, order)
            for piece in pieces:
                stream.write(piece)
    finally:
        with contextlib.suppress(BrokenPipeError):
            stream.close()


def _listen(stream: IO[bytes]) -> Answer:
    answer, size = Answer(), 0
    with contextlib.suppress(EOFError, ValueError, RecursionError):
        while size < MOST_OUTPUT:
            facts, block = read_frame(stream)
            if "end" in facts:
                answer.failure = facts["end"]
                break
            answer.frames.append((facts, block))
            size += len(block)
    return answer

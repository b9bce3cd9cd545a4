"""Messages between the parent and the child process.

length of the JSON (4 bytes) | length of the block (4 bytes) | JSON object | block of bytes
"""

import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO, Any, Final

from ..markup.escaping import escape_page
from . import MAX_HTML, MAX_PICTURES

Message = tuple[dict[str, Any], bytes]


@dataclass(frozen=True, slots=True)
class Block:
    """The bytes of a message that somebody keeps: read when they are needed.

    `read(start, stop)` yields those from `start` to before `stop`.
    """

    size: int
    read: Callable[[int, int], Iterable[bytes]]

    def __len__(self) -> int:
        return self.size

    def pieces(self) -> Iterable[bytes]:
        return self.read(0, self.size)


KeptMessage = tuple[dict[str, Any], bytes | Block]


class RefusedError(ValueError):
    """A job can't show the document, for a reason that its format has an answer to."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


LENGTHS: Final = struct.Struct(">II")
MAX_JSON: Final = 2 << 20
MAX_BLOCK: Final = 40 << 20
MAX_PAGE: Final = MAX_HTML + MAX_PICTURES
MAX_ESCAPED: Final = 32 << 20


def write_message(stream: IO[bytes], facts: dict[str, Any], block: bytes = b"") -> None:
    """Write one message and flush it, so that it survives a later crash."""
    text = json.dumps(facts).encode()
    stream.write(LENGTHS.pack(len(text), len(block)) + text + block)
    stream.flush()


def shown_as(label: str, *facts: str, notes: Iterable[str] = (), **more: Any) -> dict[str, Any]:
    """Return the facts of a message that is all that is shown: what the toolbar says, the notes
    above the document, of which empty ones are left out, and other fields of `Preview`.
    """
    named = {"label": label, "facts": list(filter(None, facts))}
    return named | {"note": " ".join(filter(None, notes)), **more}


def read_message(stream: IO[bytes]) -> Message:
    """Read one message; raise EOFError if it is incomplete or malformed."""
    text_length, block_length = LENGTHS.unpack(_read_exactly(stream, LENGTHS.size))
    if text_length > MAX_JSON or block_length > MAX_BLOCK:
        raise EOFError
    facts = json.loads(_read_exactly(stream, text_length).decode())
    if not isinstance(facts, dict):
        raise EOFError
    return facts, _read_exactly(stream, block_length)


def whole(block: bytes | Block) -> bytes:
    return block if isinstance(block, bytes) else b"".join(block.pieces())


def escaped_block(page: str) -> tuple[bytes, bool]:
    """Return a whole page as the value of an attribute, and whether its end was cut off."""
    data = page.encode("utf-8", "replace")
    escaped = escape_page(data[:MAX_PAGE])
    return escaped[:MAX_ESCAPED], len(data) > MAX_PAGE or len(escaped) > MAX_ESCAPED


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise EOFError
    return data

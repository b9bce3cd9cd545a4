"""The messages between parent and child: facts as JSON, then a block of bytes."""

import json
import struct
from typing import IO, Any, Final

Frame = tuple[dict[str, Any], bytes]

LENGTHS: Final = struct.Struct(">II")
LARGEST: Final = 64 << 20


def write_frame(stream: IO[bytes], facts: dict[str, Any], block: bytes = b"") -> None:
    """One message; flushed, so that what came before a crash is not lost."""
    text = json.dumps(facts).encode()
    stream.write(LENGTHS.pack(len(text), len(block)) + text + block)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Frame:
    """One message; EOFError when the other side has gone or talks nonsense."""
    text_size, block_size = LENGTHS.unpack(_exactly(stream, LENGTHS.size))
    if text_size + block_size > LARGEST:
        raise EOFError
    facts = json.loads(_exactly(stream, text_size))
    if not isinstance(facts, dict):
        raise EOFError
    return facts, _exactly(stream, block_size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise EOFError
    return data

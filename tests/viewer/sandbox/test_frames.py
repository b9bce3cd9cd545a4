"""viewer/sandbox/frames.py"""

import io

import pytest

from viewer.sandbox.frames import LENGTHS, read_frame, write_frame


def test_what_is_written_is_read():
    stream = io.BytesIO()
    write_frame(stream, {"page": 1}, b"\0bytes")
    write_frame(stream, {"end": None})
    stream.seek(0)

    assert read_frame(stream) == ({"page": 1}, b"\0bytes")
    assert read_frame(stream) == ({"end": None}, b"")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\0\0",
        LENGTHS.pack(2, 9) + b"{}",
        LENGTHS.pack(2, 0) + b"[]",
        LENGTHS.pack(2**32 - 1, 2**32 - 1),
    ],
    ids=["nothing", "cut", "block cut", "not facts", "endless"],
)
def test_nonsense_ends_the_conversation(said):
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(said))

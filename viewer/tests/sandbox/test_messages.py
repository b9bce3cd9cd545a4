"""viewer/sandbox/messages.py"""

import io

import pytest

from viewer.sandbox.messages import LENGTHS, read_message, write_message


def test_a_written_message_can_be_read():
    stream = io.BytesIO()
    write_message(stream, {"page": 1}, b"\0bytes")
    write_message(stream, {"end": None})
    stream.seek(0)

    assert read_message(stream) == ({"page": 1}, b"\0bytes")
    assert read_message(stream) == ({"end": None}, b"")


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
def test_an_incomplete_or_malformed_message_raises(said):
    with pytest.raises(EOFError):
        read_message(io.BytesIO(said))

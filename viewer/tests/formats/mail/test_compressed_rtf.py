"""viewer/formats/mail/compressed_rtf.py, with the examples of MS-OXRTFCP."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.mail import compressed_rtf
from viewer.formats.mail.compressed_rtf import decompress

SIMPLE = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)
CROSSING = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")


@pytest.mark.parametrize(
    ("packed", "rtf"),
    [
        (SIMPLE, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"),
        (CROSSING, b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"),
        (b"\x19\0\0\0\x0b\0\0\0MELA\0\0\0\0{\\rtf1 a b}", b"{\\rtf1 a b}"[:11]),
        (b"", b""),
        (b"\0" * 16, b""),
    ],
)
def test_rtf_is_decompressed(packed, rtf):
    assert decompress(packed) == rtf


def test_what_is_before_the_damage_is_kept():
    whole = decompress(SIMPLE)
    for end in range(len(SIMPLE)):
        assert whole.startswith(decompress(SIMPLE[:end]))


@given(st.binary(max_size=300))
def test_any_bytes_are_decompressed_without_an_error(data):
    decompress(b"\0" * 4 + b"\xff" * 4 + b"LZFu" + b"\0" * 4 + data)


def test_what_unpacks_to_very_much_is_cut():
    letters = (b"\0" + b"abcdefgh") * (compressed_rtf.MAX_RTF // 7)
    begin = time.process_time()
    made = decompress(b"\0" * 4 + b"\xff" * 4 + b"LZFu" + b"\0" * 4 + letters)

    assert len(made) == compressed_rtf.MAX_RTF
    assert time.process_time() - begin < 5

"""viewer/decoding.py"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.decoding import decode, known_charset, load_codecs


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("utf-8", "naïve – ☕"),
        ("utf-16", "naïve ☕"),
        ("utf-16-le", "plain text"),
        ("utf-16-be", "plain text"),
        ("iso-8859-1", "café"),
        ("windows-1251", "Привет"),
        ("koi8-r", "Привет"),
        ("shift_jis", "こんにちは"),
        ("euc-kr", "안녕"),
        ("gb18030", "你好"),
        ("big5", "你好"),
    ],
)
def test_a_declared_charset_is_believed(charset, text):
    assert decode(text.encode(charset), charset)[0] == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_believed_and_not_shown(encoding):
    assert decode("é text".encode(encoding))[0] == "é text"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_zeros(encoding):
    assert decode("some plain text".encode(encoding)) == ("some plain text", encoding)


def test_what_is_not_utf_8_is_read_as_browsers_do():
    assert decode(b"caf\xe9 \x93q\x94") == ("café “q”", "cp1252")


def test_a_character_cut_by_the_limit_does_not_change_the_encoding():
    assert decode("text é".encode()[:-1]) == ("text \ufffd", "utf-8")


@pytest.mark.parametrize(
    "name", ["utf-7", "idna", "unicode_escape", "zlib", "base64", "", "\0", "x" * 99]
)
def test_no_charset_that_hides_markup_is_known(name):
    assert known_charset(name) is None


def test_every_line_end_is_one():
    assert decode(b"a\r\nb\rc\nd")[0] == "a\nb\nc\nd"


@given(st.binary(max_size=200), st.sampled_from(["", "utf-16", "big5", "nonsense", "utf-32"]))
def test_it_never_fails(data, charset):
    assert isinstance(decode(data, charset)[0], str)


def test_codecs_can_be_loaded_by_any_name():
    load_codecs("koi8-r", None, "no such thing")

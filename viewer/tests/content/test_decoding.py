"""viewer/content/decoding.py"""

import codecs
from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.content import decoding
from viewer.content.decoding import (
    browser_label,
    decode,
    decode_declared,
    needs_detection,
    preload_codecs,
    safe_codec,
)


@pytest.mark.parametrize(
    ("declared", "written", "text"),
    [
        ("cp1252", "utf-8", "können"),
        ("gb2312", "utf-8", "你好，世界"),
        ("us-ascii", "utf-8", "é"),
        ("gb2312", "gb2312", "一"),
        ("iso-2022-jp", "iso-2022-jp", "こんにちは"),
        ("utf-16-le", "utf-16-le", "naïve ☕"),
        ("koi8-r", "koi8-r", "Привет"),
    ],
)
def test_utf_8_is_recognized_whatever_is_declared(declared, written, text):
    assert decode_declared(text.encode(written), declared) == text


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
def test_a_declared_charset_is_used(charset, text):
    assert decode(text.encode(charset), charset)[0] == text


@pytest.mark.parametrize(
    ("charset", "text"), [("gb2312", "镕"), ("gbk", "㐀"), ("euc-kr", "똠"), ("shift_jis", "①")]
)
def test_a_charset_is_read_with_the_characters_that_were_added_to_it(charset, text):
    assert decode(text.encode(safe_codec(charset)), charset)[0] == text


def test_what_is_not_declared_is_known_by_its_bytes():
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert decode("é text".encode(encoding))[0] == "é text"
    for encoding in ("utf-16-le", "utf-16-be"):
        assert decode("some plain text".encode(encoding)) == ("some plain text", encoding)
    assert decode(b"caf\xe9 \x93q\x94") == ("café “q”", "cp1252")
    assert decode("text é".encode()[:-1]) == ("text \ufffd", "utf-8")
    assert decode(b"a\r\nb\rc\nd")[0] == "a\nb\nc\nd"


def test_charsets_that_can_hide_markup_are_rejected():
    for name in ("utf-7", "idna", "unicode_escape", "zlib", "base64", "", "\0", "x" * 99):
        assert safe_codec(name) is None, name


def test_an_unknown_charset_of_a_document_is_not_searched_for(monkeypatch):
    searched = []
    monkeypatch.setattr(decoding.codecs, "lookup", searched.append)
    preload_codecs("idna", "zlib", "no-such-charset", None, "KOI8-R")

    assert not {"idna", "zlib", "no-such-charset"} & set(searched)
    assert "koi8-r" in searched


def test_every_name_that_python_has_for_a_charset_is_known():
    for alias in {*aliases, *aliases.values()}:
        try:
            name = codecs.lookup(alias).name
        except LookupError:
            name = None
        name = decoding.LARGER.get(name, name)
        assert safe_codec(alias) == (name if name in decoding.CODECS.values() else None), alias


WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
TABLES = [
    "id,name\r\n1,Goroka\r\n",
    "Номер;Название;Цена\n1;Пример;12,5\n",
    "編號,名稱,價格\n一,例子,十二\n" * 300,
    "a,\N{GRINNING FACE}\n" * 2_000,
]


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("text", TABLES)
def test_a_text_of_two_or_four_bytes_a_character_is_known_without_a_byte_order_mark(encoding, text):
    assert decode(text.encode(encoding)) == (text.replace("\r\n", "\n"), encoding)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"plain text, of one byte a character",
        "你好".encode("utf-16-le"),  # nothing says that it is no text of one byte a character
        bytes(range(256)) * 9,
        b"\x7fELF\x02\x01\x01" + bytes(900),
        b"\0\x01" * 900,
        b"A\0\xff\xffB\0" * 300,
        b"\0\xd8 \0 \0 \0",  # half of a pair
    ],
)
def test_what_is_no_plain_text_of_two_or_four_bytes_a_character_is_not_taken_for_one(data):
    assert decoding.detect_wide(data) is None


@given(st.binary(max_size=200), st.sampled_from(["", "utf-16", "big5", "nonsense", "utf-32"]))
def test_decoding_never_fails(data, charset):
    assert isinstance(decode(data, charset)[0], str)


@pytest.mark.parametrize(
    ("data", "charset", "needed"),
    [
        (b"a", None, False),
        ("é".encode(), None, False),
        (b"\xe9", None, True),
        (b"\xe9", "latin-1", False),
        (b"\xe9", "utf-7", True),
        (b"\xff\xfea\0", None, False),
    ],
)
def test_an_encoding_is_guessed_only_if_nothing_says_it(data, charset, needed):
    assert needs_detection(data, charset) is needed


def test_browsers_know_an_encoding_by_their_own_name():
    labels = {"utf-8": "utf-8", "cp932": "shift_jis", "cp1252": "cp1252", "cp437": ""}

    assert {encoding: browser_label(encoding) for encoding in labels} == labels

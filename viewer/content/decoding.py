"""Text in a declared or detected character encoding, decoded without failure."""

import codecs
import re
import unicodedata
from collections.abc import Callable
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import lru_cache

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Plain character tables only: utf-7, punycode and escape codecs can hide markup.
CHARSETS = """
    utf-8 utf-16 utf-16-le utf-16-be utf-32 ascii mac-roman koi8-r koi8-u tis-620
    iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9
    iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16 cp437 cp850 cp852 cp866 cp874
    cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258
    shift_jis cp932 euc_jp iso2022_jp euc_kr cp949 gb2312 gbk gb18030 big5 cp950
    big5hkscs
"""
DECLARED_CHARSET = re.compile(rb"""<meta[^>]{1,200}?charset=["']?([\w-]{1,40})""", re.I)
FALLBACK = "cp1252"  # as browsers assume
# Source: the labels of the WHATWG Encoding Standard, 4.2.
BROWSER_LABELS = {
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "big5hkscs": "big5",
    "cp950": "big5",
    "gb2312": "gbk",
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "iso2022_jp": "iso-2022-jp",
    "latin_1": "latin1",
    "utf_16_le": "utf-16le",
    "utf_16_be": "utf-16be",
    "utf_16": "utf-16le",
    "mac_roman": "macintosh",
    "tis_620": "windows-874",
    "cp874": "windows-874",
    "koi8_r": "koi8-r",
    "koi8_u": "koi8-u",
    "utf_8": "utf-8",
}
UNKNOWN_TO_BROWSERS = ("cp437", "cp850", "cp852", "utf_32", "utf_32_le", "utf_32_be")
PLAIN = bytes([*b"\t\n\f\r", *range(0x20, 0x7F)])  # of ASCII: the same in every encoding
WIDE_SAMPLE = 4096
# By name, what reads a beginning, which may end within a character.
WIDE: dict[str, Callable[[bytes], tuple[str, int]]] = {
    "utf-32-le": lambda data: codecs.utf_32_le_decode(data, "strict", False),
    "utf-32-be": lambda data: codecs.utf_32_be_decode(data, "strict", False),
    "utf-16-le": lambda data: codecs.utf_16_le_decode(data, "strict", False),
    "utf-16-be": lambda data: codecs.utf_16_be_decode(data, "strict", False),
}
SPACES = frozenset("\t\n\f\r")
NO_TEXT = ("Cc", "Cn", "Cs")  # categories of Unicode: controls, no characters, halves of pairs
PRELOADED = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "cp1252", "latin-1", "cp437")


def decode(data: bytes, charset: str | None = None) -> tuple[str, str]:
    """Return the text with line ends normalised to \\n, and the encoding used."""
    text, encoding = _decode(data, charset)
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def is_certain(data: bytes, encoding: str) -> bool:
    """Whether no other encoding need be tried: the text is valid UTF-8, or plain ASCII."""
    try:
        text = data.decode() if encoding == "utf-8" else ""
    except UnicodeDecodeError:
        return False
    return not text.isascii() or (encoding == "utf-8" and not data.translate(None, PLAIN))


def declared_charset(page: bytes) -> str | None:
    """Return the charset that a <meta> element at the beginning of a page declares."""
    found = DECLARED_CHARSET.search(page[:4096])
    return found.group(1).decode() if found else None


def decode_declared(data: bytes, charset: str | None) -> str:
    """Return the text, read as UTF-8 where the bytes are valid and give fewer characters.

    Many mails declare what their sender's program takes for granted, and hold UTF-8.
    """
    text = decode(data, charset)[0]
    try:
        data.decode()
    except UnicodeDecodeError:
        return text
    unicode = decode(data, "utf-8")[0]
    return unicode if len(unicode) < len(text) or "\ufffd" in text else text


def fits(data: bytes, charset: str | None) -> bool:
    """Whether most of what is not ASCII is text in this encoding."""
    text = decode(data, charset)[0]
    return text.count("\ufffd") * 2 <= len(text) - len(text.encode("ascii", "ignore"))


def needs_detection(data: bytes, charset: str | None) -> bool:
    """Whether neither the charset nor the bytes say what encoding this is."""
    if safe_codec(charset) or data.startswith(tuple(mark for mark, _ in BYTE_ORDER_MARKS)):
        return False
    return _detect(data) == FALLBACK


def browser_label(encoding: str) -> str:
    """Return the name by which browsers know an encoding; empty if they don't."""
    codec = _codec_module(encoding)
    return BROWSER_LABELS.get(codec, "" if codec in UNKNOWN_TO_BROWSERS else encoding)


def safe_codec(charset: str | None) -> str | None:
    """Return the name of the codec for this charset; None if it is not in CHARSETS.

    Nothing is searched for or imported, whatever the name, as `codecs.lookup` would.
    """
    return CODECS.get(_codec_module(charset or ""))


def preload_codecs(*charsets: str | None) -> None:
    """Import the codec modules now: the child process can't open files later.

    Among them utf-16-le for PDFium's texts, and cp437 for file names in old archives.
    """
    safe = filter(None, map(safe_codec, charsets))
    for name in (*PRELOADED, *safe):
        codecs.lookup(name)


@lru_cache(256)
def _codec_module(charset: str) -> str:
    """Return the name of the module in `encodings` for this charset, as Python finds it."""
    name = normalize_encoding(charset).lower()
    return aliases.get(name) or aliases.get(name.replace(".", "_")) or name


# The larger encoding is meant where one contains the other: so browsers read them.
LARGER = {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932"}
CODECS = {_codec_module(name): name for name in CHARSETS.split()} | LARGER


def _decode(data: bytes, charset: str | None) -> tuple[str, str]:
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    encoding = safe_codec(charset) or _detect(data)
    return data.decode(encoding, "replace"), encoding


def _detect(data: bytes) -> str:
    """Return UTF-16 or UTF-32 if it is plainly text in it, UTF-8 if it is valid, else FALLBACK."""
    if wide := detect_wide(data):
        return wide
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "utf-8" if _is_truncated(error, data) else FALLBACK
    return "utf-8"


def detect_wide(data: bytes) -> str | None:
    """Return UTF-16 or UTF-32, of which no byte order mark says the order, if the beginning is
    plainly text in it: some Latin characters or spaces, and nothing that no text has.
    """
    sample = data[:WIDE_SAMPLE]
    if b"\0" not in sample:
        return None
    return next((name for name, read in WIDE.items() if _is_wide(sample, read)), None)


def _is_wide(sample: bytes, read: Callable[[bytes], tuple[str, int]]) -> bool:
    try:
        text, _ = read(sample)
    except UnicodeDecodeError:
        return False
    latin = sum(character < "\u0100" for character in text)
    if latin < max(2, len(text) // 20):
        return False
    characters = set(text) - SPACES
    return not any(unicodedata.category(character) in NO_TEXT for character in characters)


def _is_truncated(error: UnicodeDecodeError, data: bytes) -> bool:
    """Whether only the last character is incomplete, because the input was cut there."""
    return error.reason == "unexpected end of data" and error.start >= len(data) - 3 > 0

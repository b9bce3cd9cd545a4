"""Runs in the child process. Reads the text of RTF, without its formats; LibreOffice shows those.

Source: Rich Text Format (RTF) Specification, version 1.9.1.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ...content.decoding import preload_codecs, safe_codec
from ...markup.escaping import escape
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message

TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])"
    rb"|([{}])|([^\\{}\r\n]+)|[\r\n]"
)
CODE_PAGE: Final = re.compile(rb"\\ansicpg(\d{3,5})")
FONT: Final = re.compile(rb"\\f(\d{1,5})(?!\d)(?:[^;\\]|\\(?!f\d)){0,300}?\\fcharset(\d{1,3})")
FONT_TABLE: Final = b"{\\fonttbl"
MAX_FONT_TABLE: Final = 256 << 10
CODE_PAGES: Final = {  # by \fcharset; 0 is that of the file
    **{128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258},
    **{177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250},
}
MAX_DEPTH: Final = 1_000  # of groups
TAG: Final = 200  # what a tag costs a browser, as so many characters of HTML
SKIPPED: Final = frozenset(  # groups without text of the document
    {"fonttbl", "colortbl", "stylesheet", "info", "header", "headerl", "headerr", "headerf"}
    | {"footer", "footerl", "footerr", "footerf", "pict", "nonshppict", "object", "xe", "tc", "rxe"}
    | {"filetbl", "listtable", "listoverridetable", "revtbl", "themedata", "datastore", "fldinst"}
)
CHARACTERS: Final = {
    **dict.fromkeys(("tab", "cell", "nestcell", "emspace"), "\u2003"),
    **dict.fromkeys(("line", "softline"), "\n"),
    **{"emdash": "—", "endash": "–", "bullet": "•", "enspace": "\u2002"},
    **{"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"},
    **{"~": "\u00a0", "_": "\u2011", "\\": "\\", "{": "{", "}": "}"},
    **dict.fromkeys(("par", "sect", "page", "row", "\r", "\n"), "\n\n"),
}
BULLETS: Final = dict.fromkeys((0xF0A7, 0xF0B7, 0xF0D8, 0xF0FC), "•")  # of the font Symbol


class _Group(NamedTuple):
    """What a group inherits from the one around it."""

    skipped: bool = False
    charset: str | None = None  # of the font, if it has one
    fallbacks: int = 1  # characters after a \\u that are for older readers


def prepare(data: bytes, options: dict[str, Any]) -> None:
    """Find the code pages of the file and of its fonts, and import what decodes them."""
    named = CODE_PAGE.search(data[:4096])
    options["charset"] = (safe_codec(f"cp{named[1].decode()}") if named else None) or "cp1252"
    start = data.find(FONT_TABLE)
    fonts = FONT.findall(data[start : start + MAX_FONT_TABLE]) if start >= 0 else []
    codecs = {int(font): safe_codec(f"cp{CODE_PAGES.get(int(page))}") for font, page in fonts}
    options["fonts"] = {font: codec for font, codec in codecs.items() if codec}
    preload_codecs(options["charset"], *options["fonts"].values())


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the paragraphs. The facts say whether the end is missing.

    Raises ValueError if the data does not begin as RTF does.
    """
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ValueError("not RTF")
    reader = _Reader(options["charset"], options["fonts"])
    reader.read(data)
    lines = (line.strip("\n") for line in "".join(reader.text).split("\n\n"))
    html = "".join(f"<p>{escape(line).replace(chr(10), '<br>')}</p>" for line in lines if line)
    facts = {"left_out": {"picture": reader.pictures} if reader.pictures else {}, "cut": reader.cut}
    yield facts, html.encode("utf-8", "replace")


class _Reader:
    def __init__(self, charset: str, fonts: dict[int, str]) -> None:
        self.charset, self.fonts = charset, fonts
        self.text: list[str] = []
        self.pending = bytearray()  # characters in the code page
        self.high = 0  # the first half of a pair of code units
        self.skip = 0  # characters left to skip after a \\u
        self.size = self.pictures = 0
        self.cut = False
        self.group, self.outer = _Group(), list[_Group]()

    def read(self, data: bytes) -> None:
        at = 0
        while (token := TOKEN.match(data, at)) and not self.cut:
            at = token.end()
            word, number, code, sign, brace, text = token.groups()
            if word == b"bin":
                at += max(0, int(number or 0))
            elif text or code:
                self._bytes(text or bytes.fromhex(code.decode()))
            else:
                self._flush()
                if brace:
                    self._brace(brace)
                elif word or sign:
                    self._word((word or sign).decode("latin-1"), int(number or 0))
        self._flush()

    def _brace(self, brace: bytes) -> None:
        if brace == b"{":
            self.cut = len(self.outer) > MAX_DEPTH
            self.outer.append(self.group)
        elif self.outer:
            self.group = self.outer.pop()

    def _word(self, word: str, number: int) -> None:
        is_picture = word == "shppict" or (word == "pict" and not self.group.skipped)
        self.pictures += is_picture
        if word == "*" or word in SKIPPED:
            self.group = self.group._replace(skipped=True)
        elif word == "uc":
            self.group = self.group._replace(fallbacks=max(0, number))
        elif word in ("f", "deff"):
            self.group = self.group._replace(charset=self.fonts.get(number))
        elif word == "u":
            self._unicode(number % 0x10000)
        elif word in CHARACTERS:
            self._add(CHARACTERS[word])

    def _unicode(self, unit: int) -> None:
        """Add a UTF-16 code unit; skip what follows it for older readers."""
        if 0xD800 <= unit < 0xDC00:
            self.high = unit
        elif 0xDC00 <= unit < 0xE000:
            pair = 0x10000 + (self.high - 0xD800 << 10) + unit - 0xDC00 if self.high else 0xFFFD
            self._add(chr(pair))
            self.high = 0
        else:
            self._add(chr(unit).translate(BULLETS))
        self.skip = self.group.fallbacks

    def _bytes(self, data: bytes) -> None:
        kept = data[self.skip :]
        self.skip -= len(data) - len(kept)
        self.pending += kept

    def _flush(self) -> None:
        if self.pending:
            data, self.pending = self.pending, bytearray()
            self._add(data.decode(self.group.charset or self.charset, "replace"))

    def _add(self, text: str) -> None:
        if not self.group.skipped:
            self.text.append(text)
            self.size += len(text) + TAG * text.count("\n")
            self.cut = self.cut or self.size > MAX_HTML

"""Runs in the child process. Reads RTF: text, basic formats, lists, tables, pictures.

Source: Rich Text Format (RTF) Specification, version 1.9.1.
"""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from ..decoding import preload_codecs
from ..escaping import escape
from . import MAX_HTML, MAX_PICTURES, rtf_charsets
from .messages import Message
from .rtf_words import BULLETS, CHARACTERS, FORMATS, OFF, PICTURES, SKIPPED
from .sanitizer import sanitize_fragment

TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])"
    rb"|([{}])|([^\\{}\r\n]+)|[\r\n]"
)
MAX_DEPTH: Final = 1_000  # of groups
TAG: Final = 200  # what a tag costs a browser, as so many characters of HTML


@dataclass(frozen=True, slots=True)
class _State:
    """What a group inherits from the one around it."""

    formats: frozenset[str] = frozenset()
    skipped: bool = False
    picture: str | None = None  # "" in a picture of a format that is not known (yet)
    charset: str | None = None  # of the font, if it has one
    fallbacks: int = 1  # characters after a \\u that are for older readers


def prepare(data: bytes, options: dict[str, Any]) -> None:
    options["charset"], options["fonts"] = rtf_charsets.of_file(data), rtf_charsets.of_fonts(data)
    preload_codecs(options["charset"], *options["fonts"].values())


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the text as HTML. The facts say what is left out.

    Raises ValueError if the data does not begin as RTF does.
    """
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ValueError("not RTF")
    reader = _Reader(options.get("charset") or "cp1252", options.get("fonts", {}))
    reader.read(data)
    html = "".join(reader.blocks)
    most = MAX_HTML + reader.picture_bytes
    left_out = {"picture": reader.left_out} if reader.left_out else {}
    facts = {"left_out": left_out, "cut": reader.cut or len(html) > most}
    yield facts, sanitize_fragment(html[:most]).encode("utf-8", "replace")


class _Reader:
    """Collects blocks of HTML that still has to be sanitized."""

    def __init__(self, charset: str, fonts: dict[int, str]) -> None:
        self.charset, self.fonts = charset, fonts
        self.blocks, self.paragraph = list[str](), list[str]()
        self.cell, self.row, self.rows = list[str](), list[str](), list[str]()
        self.pending = bytearray()  # characters in the code page
        self.hexadecimal: list[bytes] = []  # of a picture
        self.high = 0  # the first half of a pair of code units
        self.skip = 0  # characters left to skip after a \\u
        self.tag, self.in_table, self.cut = "p", False, False
        self.picture_bytes = self.left_out = self.size = 0
        self.state, self.stack = _State(), [_State()]

    def read(self, data: bytes) -> None:
        at = 0
        while (token := TOKEN.match(data, at)) and not self.cut:
            at = token.end()
            word, number, code, sign, brace, text = token.groups()
            if word == b"bin":
                at += max(0, int(number or 0))
            elif word:
                self._word(word.decode(), int(number) if number else None)
            elif sign:
                self._sign(sign.decode("latin-1"))
            elif brace:
                self._brace(brace)
            elif text or code:
                self._bytes(text or bytes.fromhex(code.decode()))
        self._flush()
        self.end_paragraph()
        self._end_table()

    def _brace(self, brace: bytes) -> None:
        self._flush()
        if brace == b"{":
            self.cut = len(self.stack) > MAX_DEPTH
            self.stack.append(self.state)
            return
        outer = self.stack.pop() if len(self.stack) > 1 else self.state
        if self.state.picture is not None and outer.picture is None and not outer.skipped:
            self._picture(self.state.picture)
        self.state = outer

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self.state = replace(self.state, skipped=True)
        elif sign in CHARACTERS:
            self._text(CHARACTERS[sign])
        elif sign in "\r\n":
            self._flush()
            self.end_paragraph()

    def _word(self, word: str, number: int | None) -> None:
        self._flush()
        if word in SKIPPED:
            self.state = replace(self.state, skipped=True)
        elif word == "shppict":  # optional, but shown
            self.state = replace(self.state, skipped=self.stack[-1].skipped)
        elif word in FORMATS or word in OFF:
            self._format(OFF.get(word, (word,)), on=word in FORMATS and number != 0)
        elif word in PICTURES or word == "pict":
            self.state = replace(self.state, picture=PICTURES.get(word, ""))
        elif word in CHARACTERS:
            self._text(CHARACTERS[word])
        elif word == "uc" or (word in ACTIONS and not self.state.skipped):
            ACTIONS[word](self, number or 0)

    def _format(self, words: tuple[str, ...], *, on: bool) -> None:
        formats = self.state.formats | {*words} if on else self.state.formats - {*words}
        self.state = replace(self.state, formats=formats)

    def unicode(self, number: int) -> None:
        """Add a UTF-16 code unit; skip what follows it for older readers."""
        unit = number % 0x10000
        if 0xD800 <= unit < 0xDC00:
            self.high = unit
        elif 0xDC00 <= unit < 0xE000:
            pair = (self.high - 0xD800 << 10) + unit - 0xDC00 if self.high else 0xFFFD - 0x10000
            self._text(chr(0x10000 + pair))
            self.high = 0
        else:
            self._text(chr(unit).translate(BULLETS))
        self.skip = self.state.fallbacks

    def _bytes(self, data: bytes) -> None:
        if self.state.picture is not None:
            self.hexadecimal.append(data)
            return
        kept = data[self.skip :]
        self.skip -= len(data) - len(kept)
        self.pending += kept

    def _flush(self) -> None:
        if self.pending:
            data, self.pending = self.pending, bytearray()
            self._text(data.decode(self.state.charset or self.charset, "replace"))

    def _text(self, text: str) -> None:
        self._flush()
        if self.state.skipped or self.state.picture is not None:
            return
        html = escape(text)
        for word in sorted(self.state.formats):
            html = f"<{FORMATS[word]}>{html}</{FORMATS[word]}>"
        self.add(html)

    def add(self, html: str) -> None:
        self.size += len(html) + TAG * html.count("<")
        self.cut = self.cut or self.size > MAX_HTML + self.picture_bytes
        self.paragraph.append(html)

    def _picture(self, form: str) -> None:
        digits, self.hexadecimal = b"".join(self.hexadecimal).translate(None, b" \t"), []
        try:
            source = base64.b64encode(bytes.fromhex(digits.decode())).decode() if form else ""
        except ValueError:
            source = ""
        if not source or self.picture_bytes + len(source) > MAX_PICTURES:
            self.left_out += 1
            return
        self.picture_bytes += len(source)
        self.add(f'<img alt="" src="data:image/{form};base64,{source}">')

    def end_paragraph(self) -> None:
        html, self.paragraph = "".join(self.paragraph), []
        if self.in_table:
            self.cell.append(f"<p>{html}</p>" if html else "")
            return
        self._end_table()
        if html.strip():
            self.blocks.append(f"<{self.tag}>{html}</{self.tag}>")

    def new_paragraph(self) -> None:
        self.tag, self.in_table = "p", False

    def end_cell(self) -> None:
        self.add("</td>")
        self.row.append(f"<td>{''.join(self.cell)}{''.join(self.paragraph)}")
        self.cell, self.paragraph = [], []

    def end_row(self) -> None:
        self.rows.append(f"<tr>{''.join(self.row)}</tr>")
        self.row = []

    def _end_table(self) -> None:
        if self.row:
            self.end_row()
        if self.rows:
            self.blocks.append(f"<table>{''.join(self.rows)}</table>")
            self.rows = []


def _fallbacks(reader: _Reader, number: int) -> None:
    reader.state = replace(reader.state, fallbacks=max(0, number))


def _font(reader: _Reader, number: int) -> None:
    reader.state = replace(reader.state, charset=reader.fonts.get(number))


def _heading(reader: _Reader, level: int) -> None:
    reader.tag = f"h{level + 1}" if 0 <= level < 6 else "p"


def _in_table(reader: _Reader, _number: int) -> None:
    reader.in_table = True


ACTIONS: Final[dict[str, Callable[[_Reader, int], None]]] = {
    **dict.fromkeys(("par", "sect", "page"), lambda reader, _: reader.end_paragraph()),
    **dict.fromkeys(("line", "softline"), lambda reader, _: reader.add("<br>")),
    "pard": lambda reader, _: reader.new_paragraph(),
    "cell": lambda reader, _: reader.end_cell(),
    "nestcell": lambda reader, _: reader.add("\u2003"),
    "row": lambda reader, _: reader.end_row(),
    "u": lambda reader, number: reader.unicode(number),
    **{"uc": _fallbacks, "f": _font, "deff": _font},
    "intbl": _in_table,
    "outlinelevel": _heading,
}

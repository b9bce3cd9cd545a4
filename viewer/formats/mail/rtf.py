"""RTF as the body of a message: the HTML that Outlook wraps in it, or its text.

Source: MS-OXRTFEX, 2.1.3 (HTML in RTF) and 2.2 (how it is taken out); Rich Text Format 1.9.1.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from ...content.decoding import decode_declared, safe_codec
from ...markup.formatting import CUT_NOTE
from .compressed_rtf import MAX_RTF, decompress

TOKEN: Final = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\(.)|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.S,
)
WRAPPED: Final = re.compile(rb"\\fromhtml1(?!\d)")
MAX_DEPTH: Final = 10_000
SKIPPED: Final = frozenset({"colortbl", "fonttbl", "info", "object", "pict", "stylesheet"})
CHARACTERS: Final = {
    "par": "\r\n",
    "line": "\r\n",
    "row": "\r\n",
    "sect": "\r\n",
    "page": "\r\n",
    "tab": "\t",
    "cell": "\t",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "endash": "–",
    "emdash": "—",
    "~": "\N{NO-BREAK SPACE}",
    "_": "\N{NON-BREAKING HYPHEN}",
    "{": "{",
    "}": "}",
    "\\": "\\",
}
CODE_PAGES: Final = {  # of the character sets of fonts
    128: 932,
    129: 949,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
    186: 1257,
    204: 1251,
    222: 874,
    238: 1250,
}


@dataclass(frozen=True, slots=True)
class Group:
    """What holds up to the end of a group: `place` is where its text goes."""

    place: str = "text"  # or "tag", "nowhere"
    is_for_rtf_alone: bool = False
    skipped_after_unicode: int = 1
    font: int = -1


def packed_body(packed: bytes) -> tuple[str, str]:
    """Return the HTML that is wrapped in compressed RTF, and the text of RTF that wraps none."""
    rtf = decompress(packed)
    html, text = body(rtf)
    if len(rtf) < MAX_RTF:
        return html, text
    return (f"{html}<p>{CUT_NOTE}</p>", "") if html else ("", f"{text}\r\n\r\n{CUT_NOTE}")


def body(rtf: bytes) -> tuple[str, str]:
    """Return the HTML that is wrapped in the RTF, and the text of an RTF that wraps none."""
    is_wrapped = WRAPPED.search(rtf[:4096]) is not None
    text = "".join(_Reader(rtf, is_wrapped=is_wrapped).texts())
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return (whole, "") if is_wrapped else ("", whole.strip("\r\n\0"))


class _Reader:
    def __init__(self, rtf: bytes, *, is_wrapped: bool) -> None:
        self.rtf = rtf
        self.is_wrapped = is_wrapped
        self.group = Group()
        self.outer: list[Group] = []
        self.page = 1252
        self.font_pages: dict[int, int] = {}
        self.pending = bytearray()  # bytes of characters that may go on
        self.left_to_skip = 0  # characters that stand for one in Unicode

    def texts(self) -> Iterator[str]:
        at = 0
        while token := TOKEN.match(self.rtf, at):
            at = token.end()
            word, number, code, symbol, brace, plain = token.groups()
            if code:
                self._add(bytes.fromhex(code.decode()))
                continue
            if plain:
                self._add(plain)
                continue
            yield self._decoded()
            if brace:
                self._enter_or_leave(brace)
            elif word == b"bin":
                at += max(int(number or 0), 0)
            elif word:
                yield self._word(word.decode(), None if number is None else int(number))
            elif symbol == b"*":
                self._ignore_unless_known(at)
            elif symbol:
                yield self._shown(CHARACTERS.get(symbol.decode("latin-1"), ""))
        yield self._decoded()

    def _add(self, data: bytes) -> None:
        skipped = min(self.left_to_skip, len(data))
        self.left_to_skip -= skipped
        if self._is_shown():
            self.pending += data[skipped:]

    def _decoded(self) -> str:
        data = bytes(self.pending)
        self.pending.clear()
        if not data:
            return ""
        page = self.page
        if self.group.place == "text":
            page = self.font_pages.get(self.group.font, page)
        text = decode_declared(data, safe_codec("utf-8" if page == 65001 else f"cp{page}"))
        return self._in_place(text)

    def _shown(self, text: str) -> str:
        if text and self.left_to_skip:
            self.left_to_skip -= 1
            return ""
        return self._in_place(text) if self._is_shown() else ""

    def _is_shown(self) -> bool:
        group = self.group
        return group.place == "tag" or (group.place == "text" and not group.is_for_rtf_alone)

    def _in_place(self, text: str) -> str:
        is_text_of_page = self.is_wrapped and self.group.place == "text"
        return escape(text, quote=False) if is_text_of_page else text

    def _enter_or_leave(self, brace: bytes) -> None:
        self.left_to_skip = 0
        if brace == b"{" and len(self.outer) < MAX_DEPTH:
            self.outer.append(self.group)
        elif brace == b"}" and self.outer:
            self.group = self.outer.pop()

    def _ignore_unless_known(self, at: int) -> None:
        """Send the text of a group of a kind that not all programs know nowhere, but for tags."""
        token = TOKEN.match(self.rtf, at)
        is_tag = self.is_wrapped and token is not None and token[1] == b"htmltag"
        if self.group.place != "nowhere":
            self.group = replace(self.group, place="tag" if is_tag else "nowhere")

    def _word(self, word: str, number: int | None) -> str:
        match word:
            case "u" if number is not None:
                shown = self._shown(chr(number & 0xFFFF))
                self.left_to_skip = self.group.skipped_after_unicode
                return shown
            case "uc":
                self.group = replace(self.group, skipped_after_unicode=max(number or 0, 0))
            case "htmlrtf":
                self.group = replace(self.group, is_for_rtf_alone=number != 0)
            case "ansicpg" if number:
                self.page = number
            case "f" if number is not None:
                self.group = replace(self.group, font=number)
            case "fcharset" if number in CODE_PAGES:
                self.font_pages[self.group.font] = CODE_PAGES[number]
            case _ if word in SKIPPED:
                self.group = replace(self.group, place="nowhere")
            case _:
                return self._shown(CHARACTERS.get(word, ""))
        return ""

"""Reads the lines of calendars and address cards: `NAME;PARAMETER=value:value`, folded.

Source: RFC 5545, 3.1 and 3.3.11 (calendars), RFC 6350, 3.3 and 4 (cards), vCard 2.1 for values
in quoted-printable.
"""

import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ...content.decoding import safe_codec

LINE: Final = re.compile(
    r'(?:[\w-]{1,80}\.)?(?P<name>[\w-]{1,80})(?P<parameters>(?:;(?:[^";:]|"[^"]*")*)*):(?P<value>.*)',
    re.S,
)
PARAMETER: Final = re.compile(r';([\w-]+)(?:=((?:[^";]|"[^"]*")*))?')
ESCAPED: Final = re.compile(r"\\([\\;,nN:])")
QUOTED_PRINTABLE: Final = "QUOTED-PRINTABLE"
MAX_ENTRIES: Final = 2_000
MAX_LINES: Final = 500  # of one entry


class ContentLine(NamedTuple):
    name: str
    parameters: dict[str, str]
    value: str

    def text(self) -> str:
        """Return the value as a text, its escapes resolved."""
        return ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], self.value).strip()

    def parts(self) -> list[str]:
        """Return the parts of a value that semicolons separate."""
        parts = re.split(r"(?<!\\);", self.value)
        return [text for part in parts if (text := self._replace(value=part).text())]


Entry = list[ContentLine]


def entries(text: str, kinds: frozenset[str]) -> Iterator[tuple[str, Entry]]:
    """Yield the kind and the lines of each entry, without those of entries within it."""
    kind, depth, lines = "", 0, list[ContentLine]()
    for line in _lines(text):
        name = line.value.strip().upper()
        if line.name == "BEGIN" and kind:
            depth += 1
        elif line.name == "BEGIN" and name in kinds:
            kind, depth, lines = name, 0, []
        elif line.name == "END" and kind and depth:
            depth -= 1
        elif line.name == "END" and kind:
            yield kind, lines
            kind = ""
        elif kind and not depth and len(lines) < MAX_LINES:
            lines.append(line)


def _lines(text: str) -> Iterator[ContentLine]:
    for line in _unfolded(text):
        if found := LINE.fullmatch(line):
            pairs = PARAMETER.findall(found["parameters"])
            parameters = {  # a type may stand without its name in vCard 2.1
                (name if value else "TYPE").upper(): value.strip('"') or name
                for name, value in pairs
            }
            yield ContentLine(found["name"].upper(), parameters, _value(found["value"], parameters))


def _unfolded(text: str) -> Iterator[str]:
    """Join lines that go on: by a space in front, in quoted-printable by `=` at the end."""
    whole: list[str] = []
    for line in text.split("\n"):
        goes_on = bool(whole) and QUOTED_PRINTABLE in whole[0].upper() and whole[-1].endswith("=")
        if goes_on:
            whole[-1] = whole[-1][:-1]
            whole.append(line)
        elif line[:1] in (" ", "\t"):
            whole.append(line[1:])
        else:
            yield "".join(whole)
            whole = [line]
    yield "".join(whole)


def _value(value: str, parameters: dict[str, str]) -> str:
    if QUOTED_PRINTABLE not in {parameters.get(name, "").upper() for name in ("ENCODING", "TYPE")}:
        return value
    data = binascii.a2b_qp(value.encode("utf-8", "replace"))
    return data.decode(safe_codec(parameters.get("CHARSET")) or "utf-8", "replace")

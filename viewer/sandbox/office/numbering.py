"""Numbers of the lists and headings of a Word document, as Word counts and writes them.

Source: ECMA-376, part 1, section 17.9 (numbering).
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from .elements import attribute, children, first_child, parse_int
from .package import Package

LEVELS: Final = 9
PLACE: Final = re.compile(r"%([1-9])")
ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
MAX_NUMBER: Final = 4_000  # in letters or Roman


class Level(NamedTuple):
    form: str  # "decimal", "bullet", "lowerLetter", …
    text: str  # such as "%1.%2)": the numbers of the levels
    start: int
    restarts: bool  # a list that begins again, although its kind has been used


class Numbering:
    """Counts the paragraphs of each list; must see them in their order."""

    def __init__(self, package: Package) -> None:
        root = package.xml("word/numbering.xml")
        kinds = {attribute(one, "abstractNumId"): one for one in children(root, "abstractNum")}
        self.lists = {id: list(levels) for id, levels in _lists(root, kinds)}
        self.kinds = {
            attribute(one, "numId"): attribute(first_child(one, "abstractNumId"), "val")
            for one in children(root, "num")
        }
        self.counts: dict[str | None, list[int | None]] = {}  # by kind: lists may go on
        self.begun: set[tuple[str | None, int]] = set()

    def label(self, list_id: str | None, level: int) -> str | None:
        """Return the next number of a level, such as "2.1"; None for a bullet or no number."""
        levels = self.lists.get(list_id or "")
        if not levels or level >= len(levels) or levels[level].form in ("bullet", "none"):
            return None
        counts = self.counts.setdefault(self.kinds.get(list_id), [None] * LEVELS)
        for above in range(level):
            counts[above] = counts[above] or levels[above].start
        last, use = counts[level], (list_id, level)
        begins = last is None or (levels[level].restarts and use not in self.begun)
        counts[level] = levels[level].start if begins else (last or 0) + 1
        self.begun.add(use)
        counts[level + 1 :] = [None] * (LEVELS - level - 1)
        return PLACE.sub(
            lambda place: _shown(levels, counts, int(place[1]) - 1), levels[level].text
        )


def _shown(levels: list[Level], counts: list[int | None], level: int) -> str:
    number = counts[level]
    if number is None or level >= len(levels):
        return ""
    write = FORMS.get(levels[level].form, str)
    return write(number) if 0 < number < MAX_NUMBER else str(number)


def _lists(
    root: Element, kinds: dict[str | None, Element]
) -> Iterator[tuple[str, Iterator[Level]]]:
    for one in children(root, "num"):
        kind = kinds.get(attribute(first_child(one, "abstractNumId"), "val"))
        starts = {
            attribute(change, "ilvl"): attribute(first_child(change, "startOverride"), "val")
            for change in children(one, "lvlOverride")
        }
        yield attribute(one, "numId") or "", _levels(kind, starts)


def _levels(kind: Element | None, starts: dict[str | None, str | None]) -> Iterator[Level]:
    for _, level in zip(range(LEVELS), children(kind, "lvl"), strict=False):
        new = starts.get(attribute(level, "ilvl"))
        start = new or attribute(first_child(level, "start"), "val")
        form = attribute(first_child(level, "numFmt"), "val") or "decimal"
        text = attribute(first_child(level, "lvlText"), "val") or ""
        yield Level(form, text[:100], parse_int(start, 1), new is not None)


def letters(number: int) -> str:
    """Return a … z, aa, bb, …, as Word counts."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def roman(number: int) -> str:
    out = ""
    for value, sign in ROMAN:
        out, number = out + sign * (number // value), number % value
    return out


FORMS: Final[dict[str, Callable[[int], str]]] = {
    "decimalZero": "{:02d}".format,
    "lowerLetter": letters,
    "upperLetter": lambda number: letters(number).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
}

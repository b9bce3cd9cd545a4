"""Sizes and counts as they are shown."""

from collections.abc import Mapping
from typing import Final

CUT_NOTE: Final = "Only its beginning is shown. Save the original to read all of it."
UNITS: Final = ("KB", "MB", "GB", "TB")  # each is 1,000 times the one before it


def format_size(size: int) -> str:
    """Return `1 byte`, `2.4 KB`, `512 MB`: a decimal only below ten, where it tells something."""
    if size < 1000:
        return format_count(size, "byte")
    amount = size / 1000
    unit = 0
    while amount >= 999.5 and unit < len(UNITS) - 1:
        amount /= 1000
        unit += 1
    has_decimal = amount < 9.95
    digits = f"{amount:.1f}".removesuffix(".0") if has_decimal else f"{amount:.0f}"
    return f"{digits} {UNITS[unit]}"


def format_count(number: int, noun: str) -> str:
    """Return `1 page`, `1,200 pages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def left_out_note(counts: Mapping[str, int]) -> str:
    """Return such as "3 charts and 1 diagram are not shown."; empty if all is shown."""
    nouns = [format_count(number, noun) for noun, number in sorted(counts.items())]
    if not nouns:
        return ""
    listed = " and ".join(filter(None, (", ".join(nouns[:-1]), nouns[-1])))
    return f"{listed} {'is' if sum(counts.values()) == 1 else 'are'} not shown."

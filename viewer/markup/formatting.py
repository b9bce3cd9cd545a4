"""Sizes and counts as they are shown."""

from collections.abc import Mapping
from typing import Final

CUT_NOTE: Final = "Only its beginning is shown. Save the original to read all of it."
UNITS: Final = ("KiB", "MiB", "GiB", "TiB")


def format_size(size: int) -> str:
    """Return `1 byte`, `24.0 KiB`, `512 MiB`."""
    if size < 1024:
        return format_count(size, "byte")
    amount = size / 1024
    unit = 0
    while amount >= 1023.95 and unit < len(UNITS) - 1:
        amount /= 1024
        unit += 1
    return f"{amount:.0f} {UNITS[unit]}" if amount >= 99.95 else f"{amount:.1f} {UNITS[unit]}"


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

"""Counts, in words and in digits: the one place that knows the plural, and what is a number."""

import re

_DIGITS = re.compile("[0-9]{1,15}")


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return `1 document`, `1,200 documents`; `plural` is for words that do not end with the s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def whole_number(text: str) -> int | None:
    """Return the number that at most 15 ASCII digits say; None for any other text.

    `int` also takes `+1`, ` 1`, `1_0` and the digits of all scripts.
    """
    return int(text) if _DIGITS.fullmatch(text) else None

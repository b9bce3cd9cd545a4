"""Formats a number of days as a date or time by the parts of a format code."""

import datetime
import re
from collections.abc import Iterator, Sequence
from typing import Final

ELAPSED: Final = re.compile(r"h+|m+|s+", re.I)
LAST: Final = 2_958_466  # the first day of the year 10000
LEAP_ERROR: Final = 60  # day 60 of these calendars is 1900-02-29, which there never was
EPOCH: Final = datetime.datetime(1899, 12, 30)
EPOCH_1904: Final = datetime.datetime(1904, 1, 1)
SECONDS: Final = {"h": 3600, "m": 60, "s": 1}
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def date_text(parts: Sequence[tuple[str, str]], days: float, *, from_1904: bool) -> str:
    """Return the moment that lies so many days after the epoch; empty if there is none."""
    if not 0 <= days < LAST:
        return ""
    precision = 1000 if ("mark", ".") in parts else 1
    seconds = round(days * 86400 * precision) / precision
    epoch = EPOCH_1904 if from_1904 else EPOCH
    early = datetime.timedelta(days=int(days < LEAP_ERROR and not from_1904))
    moment = epoch + early + datetime.timedelta(seconds=seconds)
    return "".join(_texts(parts, moment, seconds))


def days_of(text: str, *, from_1904: bool) -> float:
    """Return the days of an ISO 8601 date, or of a time alone; ValueError if it is neither."""
    epoch = EPOCH_1904 if from_1904 else EPOCH
    if text.startswith("T") or text[2:3] == ":":
        moment = datetime.datetime.combine(epoch, datetime.time.fromisoformat(text))
    else:
        moment = datetime.datetime.fromisoformat(text)
    return (moment.replace(tzinfo=None) - epoch) / datetime.timedelta(days=1)


def _texts(
    parts: Sequence[tuple[str, str]], moment: datetime.datetime, seconds: float
) -> Iterator[str]:
    units = [text[0] for kind, text in parts if kind in ("date", "elapsed")]
    hour = moment.hour
    if any(kind == "noon" for kind, _ in parts):
        hour = (hour + 11) % 12 + 1
    position, fraction = -1, f"{moment.microsecond:06}"
    for kind, text in parts:
        if kind == "elapsed":
            position += 1
            yield f"{int(seconds // SECONDS[text[0]]):0{len(text)}}"
        elif kind == "date":
            position += 1
            is_minute = text[0] == "m" and _is_minute(units, position)
            yield _unit("i" * len(text) if is_minute else text, moment, hour)
        elif kind == "noon":
            yield text.split("/")[moment.hour >= 12]
        elif kind == "digit":
            yield fraction[:1]
            fraction = fraction[1:]
        else:
            yield text


def _is_minute(units: Sequence[str], position: int) -> bool:
    """`m` is a minute after an hour or before a second, else a month."""
    return units[position - 1 : position] == ["h"] or units[position + 1 : position + 2] == ["s"]


def _unit(text: str, moment: datetime.datetime, hour: int) -> str:
    unit, length = text[0], len(text)
    if unit == "y":
        return f"{moment.year % 100:02}" if length < 3 else f"{moment.year:04}"
    if unit == "m" and length > 2:
        return _name(MONTHS[moment.month - 1], length)
    if unit == "d" and length > 2:
        return _name(DAYS[moment.weekday()], length)
    number = {
        **{"m": moment.month, "d": moment.day, "h": hour, "i": moment.minute, "s": moment.second}
    }[unit]
    return f"{number:0{min(length, 2)}}"


def _name(name: str, length: int) -> str:
    """Three letters give the short name, four the whole one, five the initial."""
    return name[:3] if length == 3 else name[0] if length == 5 else name

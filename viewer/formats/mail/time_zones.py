"""In the child process: the time zone of an appointment of Outlook.

Source: MS-OXOCAL, 2.2.1.39 (PidLidTimeZoneStruct) and 2.2.1.41 (definitions of time zones).
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from struct import Struct
from typing import Final, NamedTuple

DEFINITION: Final = Struct("<2xH")  # the length of what is between it and its rules
RULE: Final = Struct(
    "<4xH2x14x3i16s16s"
)  # flags, biases in minutes, begin of standard time, of DST
IN_FORCE: Final = 2  # a flag
CHANGE: Final = Struct("<8H")  # year, month, weekday from Sunday, week, hour, minute, and smaller
LAST_WEEK: Final = 5


class Rule(NamedTuple):
    """The minutes from local time to UTC, and what is added to them; when each half begins."""

    bias: int
    standard_bias: int
    daylight_bias: int
    standard_begin: bytes
    daylight_begin: bytes


def local_time(moment: datetime, definition: bytes) -> datetime:
    """Return the moment in this time zone; as it is if the definition says nothing.

    May raise struct.error, ValueError or OverflowError for a damaged definition.
    """
    rules = [(flags & IN_FORCE, rule) for flags, rule in _rules(definition)]
    if not rules:
        return moment
    rule = max(rules, key=lambda one: one[0])[1]
    standard = moment.astimezone(_zone(rule.bias + rule.standard_bias))
    begin = _change(rule.daylight_begin, standard.year)
    end = _change(rule.standard_begin, standard.year)
    if begin is None or end is None:
        return standard
    daylight = moment.astimezone(_zone(rule.bias + rule.daylight_bias))
    is_after_begin = standard.replace(tzinfo=UTC) >= begin
    is_before_end = daylight.replace(tzinfo=UTC) < end
    is_north = begin < end
    is_daylight = is_after_begin and is_before_end if is_north else is_after_begin or is_before_end
    return daylight if is_daylight else standard


def _rules(definition: bytes) -> Iterator[tuple[int, Rule]]:
    if not definition:
        return
    (length,) = DEFINITION.unpack_from(definition)
    rules = definition[DEFINITION.size + length :]
    for at in range(0, len(rules) - RULE.size + 1, RULE.size):
        flags, *fields = RULE.unpack_from(rules, at)
        yield flags, Rule(*fields)


def _zone(minutes: int) -> timezone:
    return timezone(-timedelta(minutes=minutes))


def _change(begin: bytes, year: int) -> datetime | None:
    """Return when a half of this year begins, in the time before it; None if there are no halves.

    It is the first to fourth such weekday of a month, or the last.
    """
    _, month, weekday, week, hour, minute, _, _ = CHANGE.unpack(begin)
    if not month:
        return None
    first = datetime(year, month, 1, hour, minute, tzinfo=UTC)
    until_weekday = (weekday - 1 - first.weekday()) % 7
    day = first + timedelta(days=until_weekday, weeks=week - 1)
    return day if week < LAST_WEEK or day.month == month else day - timedelta(weeks=1)

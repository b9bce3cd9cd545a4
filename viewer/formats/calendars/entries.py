"""In the child process: the entries of a calendar or of an address book as HTML.

Source of their lines, `NAME;PARAMETER=value:value`, folded: RFC 5545, 3.1 and 3.3.11 (calendars),
RFC 6350, 3.3 and 4 (cards), vCard 2.1 for values in quoted-printable.
"""

import binascii
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from ...content import charset_detection
from ...content.decoding import CHARSETS, decode, preload_codecs
from ...markup.escaping import escape, escape_attribute
from ...markup.formatting import format_count
from ...markup.sanitizer import safe_image_source, safe_link
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, shown_as

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
    kind = ""
    depth = 0
    lines = list[ContentLine]()
    for line in _lines(text):
        name = line.value.strip().upper()
        if line.name == "BEGIN" and kind:
            depth += 1
        elif line.name == "BEGIN" and name in kinds:
            kind = name
            depth = 0
            lines = []
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
            yield ContentLine(
                found["name"].upper(), parameters, _decoded(found["value"], parameters)
            )


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
        elif line:
            yield "".join(whole)
            whole = [line]
    yield "".join(whole)


def _decoded(value: str, parameters: dict[str, str]) -> str:
    if QUOTED_PRINTABLE not in {parameters.get(name, "").upper() for name in ("ENCODING", "TYPE")}:
        return value
    data = binascii.a2b_qp(value.encode("utf-8", "replace"))
    return decode(data, charset_detection.detect(data, parameters.get("CHARSET")))[0]


EVENTS: Final = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
BUSY: Final = "VFREEBUSY"  # the times at which somebody is busy, or free
CARDS: Final = frozenset({"VCARD"})
TIME: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T?(\d\d):?(\d\d)(?::?(\d\d))?(Z)?)?.*", re.S)
DURATION: Final = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?", re.A)
UNITS: Final = ("weeks", "days", "h", "min", "s")
UNIT_OF_ONE: Final = {"weeks": "week", "days": "day"}
MAIL_TO: Final = re.compile("mailto:", re.I)
FIELDS: Final = {  # name -> label, in the order of display
    "DTSTART": "Starts",
    "DTEND": "Ends",
    "DUE": "Due",
    "DURATION": "Lasts",
    "RRULE": "Repeats",
    "FREEBUSY": "Times",
    "LOCATION": "Where",
    "STATUS": "Status",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "Invited",
    "ORG": "Organisation",
    "TITLE": "Title",
    "ROLE": "Role",
    "TEL": "Telephone",
    "EMAIL": "E-mail",
    "ADR": "Address",
    "BDAY": "Birthday",
    "URL": "Web",
    "CATEGORIES": "Categories",
    "DESCRIPTION": "Description",
    "COMMENT": "Comment",
    "NOTE": "Note",
}
RULE: Final = {
    "FREQ": "{}",
    "COUNT": "{} times",
    "UNTIL": "until {}",
    "BYDAY": "on {}",
    "BYMONTHDAY": "on day {}",
    "BYMONTH": "in month {}",
    "WKST": "",
}
TIMES: Final = frozenset({"DTSTART", "DTEND", "DUE", "BDAY"})
PEOPLE: Final = frozenset({"ORGANIZER", "ATTENDEE"})
LINKED: Final = frozenset({"TEL", "EMAIL", "URL"})
PHOTOS: Final = {"/9j/": "jpeg", "iVBORw": "png", "R0lGOD": "gif", "Qk": "bmp", "UklGR": "webp"}
WITHOUT_NAME: Final = "Without a name"
TITLE_OF_BUSY_TIMES: Final = "Busy times"
TYPES_OF_TIMES: Final = {"BUSY-UNAVAILABLE": "unavailable", "BUSY-TENTATIVE": "tentative"}
MAX_TIMES: Final = 200  # of one line
MAX_TITLE: Final = 500
MAX_TEXT: Final = 20_000
HIDDEN_TYPES: Final = frozenset({"PREF", "INTERNET", "VOICE"})


def prepare(data: bytes, _options: dict[str, Any]) -> None:
    """Import what the values of old cards may be written in."""
    if QUOTED_PRINTABLE.encode() in data.upper():
        preload_codecs(*CHARSETS.split())
        charset_detection.prepare()


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the entries; raise ValueError if there is none."""
    text = decode(data, options.get("charset"))[0]
    out: list[str] = []
    counts: Counter[str] = Counter()
    size = periods = 0
    for kind, lines in entries(text, EVENTS | CARDS | {BUSY}):
        counts[kind] += 1
        periods += sum(line.value.count(",") + 1 for line in lines if line.name == "FREEBUSY")
        if len(out) < MAX_ENTRIES and size < MAX_HTML:
            title = TITLE_OF_BUSY_TIMES if kind == BUSY else WITHOUT_NAME
            out.append(_entry(lines, title, with_photo=size < MAX_HTML // 2))
            size += len(out[-1])
    if not out:
        raise ValueError("no entries")
    total = counts.total()
    label, noun = ("Address card", "card") if counts.keys() & CARDS else ("Calendar", "event")
    has_others = total > counts[BUSY]
    cut = f"Showing {len(out):,} of {format_count(total, noun)}. Save the original to read all."
    facts = shown_as(
        label,
        format_count(total - counts[BUSY], noun) if has_others else "",
        format_count(periods, "period") if periods else "",
        notes=[cut] if len(out) < total else (),
    )
    html = f'<article class="agenda">{"".join(out)}</article>'
    yield facts, html.encode("utf-8", "replace")


def _entry(lines: Entry, default_title: str, *, with_photo: bool) -> str:
    by_name: dict[str, Entry] = {}
    for line in lines:
        by_name.setdefault(line.name, []).append(line)
    photo = next(map(_photo, by_name.get("PHOTO", ())), "") if with_photo else ""
    rows = "".join(
        f"<dt>{label}</dt><dd>{'<br>'.join(map(_value, by_name[name]))}</dd>"
        for name, label in FIELDS.items()
        if name in by_name
    )
    title = _title(by_name, default_title)
    return f'<section class="entry">{photo}<h2>{title}</h2><dl>{rows}</dl></section>'


def _title(by_name: dict[str, Entry], default: str) -> str:
    titles = [by_name[name][0].text() for name in ("SUMMARY", "FN") if name in by_name]
    person = _person(by_name)
    titles.insert(0 if person and _names_organisation(by_name, titles) else 2, person)
    titles += [by_name[name][0].text() for name in ("EMAIL", "TEL") if name in by_name]
    title = next(filter(None, titles), default)
    return escape(title[:MAX_TITLE])


def _person(by_name: dict[str, Entry]) -> str:
    """Return the name of the person on a card, with the titles before and behind it."""
    if "N" not in by_name:
        return ""
    named = by_name["N"][0]
    parts = re.split(r"(?<!\\);", named.value)
    family, given, more, before, behind, *_ = [*parts, "", "", "", "", ""]
    written = (named._replace(value=part).text() for part in (before, given, more, family, behind))
    return " ".join(filter(None, written))


def _names_organisation(by_name: dict[str, Entry], titles: Sequence[str]) -> bool:
    """Whether the card is titled as its organisation, as some programs write it."""
    parts = by_name["ORG"][0].parts() if "ORG" in by_name else []
    return any(title.casefold() == part.casefold() for title in titles for part in parts)


def _value(line: ContentLine) -> str:
    """Return a value as HTML, with what its parameters say about it."""
    if line.name in TIMES:
        zone = escape(line.parameters.get("TZID", "")[:80])
        return f"{escape(_time(line.value))} {zone}".strip()
    if line.name == "RRULE":
        return escape(_rule(line.value))
    if line.name == "FREEBUSY":
        return _times(line)
    if line.name == "DURATION":
        return escape(_duration(line.value))
    if line.name in PEOPLE:
        name = line.parameters.get("CN") or MAIL_TO.sub("", line.text())
        return _link(line.text(), name)
    types = {one.upper() for one in line.parameters.get("TYPE", "").split(",")} - HIDDEN_TYPES
    kind = f' <span class="dim">{escape(", ".join(sorted(types)).lower()[:80])}</span>'
    text = ", ".join(line.parts()) if line.name in ("ADR", "ORG") else line.text()
    text = text.removeprefix("tel:")
    address = {"TEL": "tel:", "EMAIL": "mailto:"}.get(line.name, "") + text
    shown = _link(address, text) if line.name in LINKED else _paragraphs(text)
    return shown + (kind if types - {""} else "")


def _times(line: ContentLine) -> str:
    """Return each period of a line: when it starts, when it ends or how long it lasts."""
    written = line.parameters.get("FBTYPE", "BUSY").upper()
    kind = escape(TYPES_OF_TIMES.get(written, written.lower())[:80])
    periods = line.value.split(",", MAX_TIMES)
    left_out = periods[MAX_TIMES].count(",") + 1 if len(periods) > MAX_TIMES else 0
    shown = []
    for period in periods[:MAX_TIMES]:
        start, _, end = period.strip()[:MAX_TITLE].partition("/")
        until = f", {_duration(end)}" if end.startswith("P") else f" – {_time(end)}"
        shown.append(f'{escape(_time(start) + until)} <span class="dim">{kind}</span>')
    if left_out:
        shown.append(f"… and {left_out:,} more")
    return "<br>".join(shown)


def _duration(value: str) -> str:
    """Return `1 h 30 min`; the text itself if it is no duration."""
    found = DURATION.fullmatch(value)
    if not found:
        return value[:MAX_TEXT]
    parts = zip(found.groups(), UNITS, strict=True)
    return " ".join(
        f"{number} {UNIT_OF_ONE.get(unit, unit) if number == '1' else unit}"
        for number, unit in parts
        if number
    )


def _rule(value: str) -> str:
    """Return `every 2 weeks, on MO, TU, until 2026-12-31` for a rule; unknown parts as they are."""
    parts = dict(part.partition("=")[::2] for part in value[:MAX_TITLE].split(";"))
    often = parts.get("FREQ", "").lower()
    interval = parts.pop("INTERVAL", "1")
    unit = "day" if often == "daily" else often.removesuffix("ly")
    parts["FREQ"] = often if interval == "1" else f"every {interval} {unit}s"
    shown = (
        RULE[name].format(_time(text.replace(",", ", "))) if name in RULE else f"{name}={text}"
        for name, text in parts.items()
    )
    return ", ".join(filter(None, shown))


def _time(value: str) -> str:
    """Return `2026-01-31 09:30 UTC`; the text itself if it is no time."""
    found = TIME.fullmatch(value)
    if not found:
        return value
    year, month, day, hour, minute, _, is_utc = found.groups()
    clock = f" {hour}:{minute}" if hour else ""
    return f"{year}-{month}-{day}{clock}{' UTC' if is_utc else ''}"


def _link(address: str, text: str) -> str:
    address = address.strip()
    if not safe_link(address) or address.startswith("#"):
        return escape(text[:MAX_TEXT])
    rel = 'target="_blank" rel="noopener noreferrer nofollow"'
    return f'<a href="{escape_attribute(address[:MAX_TITLE])}" {rel}>{escape(text[:MAX_TITLE])}</a>'


def _paragraphs(text: str) -> str:
    return escape(text[:MAX_TEXT]).replace("\n", "<br>")


def _photo(line: ContentLine) -> str:
    """Return an embedded picture; one that lies elsewhere is not loaded."""
    data = "".join(line.value.split())
    kind = next((kind for start, kind in PHOTOS.items() if data.startswith(start)), "none")
    source = data if data.startswith("data:") else f"data:image/{kind};base64,{data}"
    is_shown = len(source) < MAX_HTML // 4 and safe_image_source(source)
    return f'<img alt="" src="{escape(source)}">' if is_shown else ""

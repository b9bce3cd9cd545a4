"""Numbers by the format codes of spreadsheets: `#,##0.00`, `0%`, `yyyy-mm-dd`.

Source: ECMA-376 part 1, 18.8.30 (numFmt) and 18.8.31 (numFmts). Dates that a code leaves to the
reader's country are shown as yyyy-mm-dd; names of months and days are English; fractions (`# ?/?`)
are decimals, and colours are left out.
"""

import functools
import itertools
import math
import operator
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final, NamedTuple

GENERAL: Final = "General"
BUILT_IN: Final = {  # the ids without a format code in the file
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    5: "$#,##0;-$#,##0",
    6: "$#,##0;-$#,##0",
    7: "$#,##0.00;-$#,##0.00",
    8: "$#,##0.00;-$#,##0.00",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    41: "#,##0;-#,##0;-",
    42: "#,##0;-#,##0;-",
    43: "#,##0.00;-#,##0.00;-",
    44: "#,##0.00;-#,##0.00;-",
}
MAX_CODE: Final = 255  # characters, as in the programs that write these files
PART: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<noon>AM/PM|A/P)|(?P<general>General|@)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+)"
    r"|(?P<digit>[0#?])|(?P<end>;)|(?P<mark>[.,%/])|(?P<literal>.)",
    re.I | re.S,
)
DRAWN_AS: Final = dict.fromkeys(("quoted", "escaped", "literal", "space"), "text")
ELAPSED: Final = re.compile(r"h+|m+|s+", re.I)
CONDITION: Final = re.compile(r"(<=|>=|<>|<|>|=)(-?\d{1,15}(?:\.\d{1,15})?)")
COMPARE: Final = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
EXACT: Final = Context(prec=700, rounding=ROUND_HALF_UP)  # digits of the largest float and code
LARGEST_PLAIN: Final = 1e15  # whole numbers below are exact
PADDING: Final = {"0": "0", "?": " ", "#": ""}  # of a placeholder without a digit
YEAR_10000: Final = 2_958_466  # the number of its first day, for which there is no date
LEAP_ERROR: Final = 60  # day 60 of these calendars is 1900-02-29, which there never was
EPOCH: Final = datetime(1899, 12, 30)
EPOCH_1904: Final = datetime(1904, 1, 1)
SECONDS: Final = {"h": 3600, "m": 60, "s": 1}
Part = tuple[str, str]


class Section(NamedTuple):
    """One of the parts of a code that semicolons separate."""

    parts: list[Part]
    condition: tuple[str, float] | None = None

    def has(self, *kinds: str) -> bool:
        return any(kind in kinds for kind, _ in self.parts)


def format_number(value: float, code: str, *, from_1904: bool = False) -> str:
    """Return the text for a number. Dates count days from 1900, in some workbooks from 1904."""
    sections = _sections(code) if len(code) <= MAX_CODE else ()
    if not math.isfinite(value) or not sections:
        return _general(value)
    section, shown = _choose(sections, value)
    if section.has("date", "elapsed"):
        return _date_text(section, value, EPOCH_1904 if from_1904 else EPOCH) or _general(value)
    text = _number_text(section, abs(shown))
    return f"-{text}" if shown < 0 and re.search("[1-9]", text) else text


@functools.lru_cache(maxsize=500)
def _sections(code: str) -> tuple[Section, ...]:
    sections = [Section([])]
    for match in PART.finditer(code):
        kind = match.lastgroup or ""
        text = match[match.lastgroup or 0]
        if kind == "end":
            sections.append(Section([]))
        elif condition := kind == "bracket" and CONDITION.fullmatch(text):
            sections[-1] = sections[-1]._replace(condition=(condition[1], float(condition[2])))
        else:
            sections[-1].parts.extend(_drawn(kind, text))
    return tuple(sections) if code.strip() else ()


def _drawn(kind: str, text: str) -> list[Part]:
    """Return a part as it is drawn; countries, colours and fillings are not."""
    if kind == "bracket" and text.startswith("$"):
        return [("text", text[1:].partition("-")[0])]
    if kind == "bracket" and ELAPSED.fullmatch(text):
        return [("elapsed", text.lower())]
    if kind in ("fill", "bracket"):
        return []
    drawn = " " if kind == "space" else text.lower() if kind == "date" else text
    return [(DRAWN_AS.get(kind, kind), drawn)]


def _choose(sections: Sequence[Section], value: float) -> tuple[Section, float]:
    """Return the section for a value, and the value with the sign that is to be shown."""
    rest = [section for section in sections if not section.condition]
    for section in sections:
        if section.condition:
            sign, limit = section.condition
            if COMPARE[sign](value, limit):
                return section, abs(value) if sign.startswith("<") and limit <= 0 else value
    if len(rest) < len(sections):
        return (rest or sections)[0], value
    if len(sections) > 2 and value == 0:
        return sections[2], value
    return (sections[1], abs(value)) if len(sections) > 1 and value < 0 else (sections[0], value)


def _general(value: float) -> str:
    """Return a number as a spreadsheet shows it without a format: 31001, 0.19, 1E+300."""
    value = float(value)
    if value.is_integer() and abs(value) < LARGEST_PLAIN:
        return str(int(value))
    return f"{value:.10g}".replace("e", "E") if math.isfinite(value) else str(value)


def _number_text(section: Section, value: float) -> str:
    if ("mark", "/") in section.parts:
        return _general(value)
    if section.has("general"):
        texts = (_general(value) if kind == "general" else text for kind, text in section.parts)
        return "".join(texts)
    if not section.has("digit"):
        return "".join(text for _, text in section.parts)
    if section.has("exponent"):
        return _scientific(section.parts, value)
    exact = Decimal(repr(value)).scaleb(2 * section.parts.count(("mark", "%")))
    return _plain(section.parts, exact)


def _plain(parts: Sequence[Part], value: Decimal) -> str:
    """Fill the digits of a number into the placeholders around the decimal point.

    Each comma that follows the last digit before the point divides by a thousand.
    """
    whole, point, rest = _split(parts)
    after = itertools.takewhile(lambda part: part[0] != "digit", reversed(whole))
    thousands = sum(part == ("mark", ",") for part in after)
    decimals = sum(kind == "digit" for kind, _ in rest)
    exact = value.scaleb(-3 * thousands).quantize(Decimal(1).scaleb(-decimals), context=EXACT)
    digits, _, fraction = f"{exact:f}".partition(".")
    return _whole(whole, digits.lstrip("0")) + point + _decimals(rest, fraction)


def _split(parts: Sequence[Part]) -> tuple[Sequence[Part], str, Sequence[Part]]:
    if ("mark", ".") not in parts:
        return parts, "", ()
    point = parts.index(("mark", "."))
    return parts[:point], ".", parts[point + 1 :]


def _whole(parts: Sequence[Part], digits: str) -> str:
    """Fill from the right; the first placeholder takes what is left."""
    places = [index for index, (kind, _) in enumerate(parts) if kind == "digit"]
    grouped = places and ("mark", ",") in parts[places[0] : places[-1]]
    out: list[str] = []
    count = 0
    for index in range(len(parts) - 1, -1, -1):
        kind, text = parts[index]
        if kind != "digit":
            out.append("" if text == "," else text)
            continue
        taken = digits if index == places[0] else digits[-1:]
        digits = digits[: len(digits) - len(taken)]
        for digit in reversed(taken or PADDING[text]):
            out.append("," if grouped and count and count % 3 == 0 else "")
            out.append(digit)
            count += 1
    return "".join(reversed(out))


def _decimals(parts: Sequence[Part], digits: str) -> str:
    """Fill from the left; zeros at the end are padding."""
    significant = len(digits.rstrip("0"))
    following = enumerate(digits)
    out = []
    for kind, text in parts:
        if kind == "digit":
            place, digit = next(following)
            out.append(digit if place < significant else PADDING[text])
        else:
            out.append("" if text == "," else text)
    return "".join(out)


def _scientific(parts: Sequence[Part], value: float) -> str:
    at = next(index for index, (kind, _) in enumerate(parts) if kind == "exponent")
    decimals = sum(kind == "digit" for kind, _ in _split(parts[:at])[2])
    texts = [text if kind == "text" else "" for kind, text in parts]
    before = "".join(texts[:at])
    after = "".join(texts[at:])
    return f"{before}{value:.{decimals}E}{after}"


def _date_text(section: Section, days: float, epoch: datetime) -> str:
    """Return the moment that lies so many days after the epoch; empty if there is none."""
    if not 0 <= days < YEAR_10000:
        return ""
    precision = 1000 if ("mark", ".") in section.parts else 1
    seconds = round(days * 86400 * precision) / precision
    early = timedelta(days=int(days < LEAP_ERROR and epoch == EPOCH))
    moment = epoch + early + timedelta(seconds=seconds)
    hour = (moment.hour + 11) % 12 + 1 if section.has("noon") else moment.hour
    units = "".join(text[0] for kind, text in section.parts if kind in ("date", "elapsed"))
    at = 0
    fraction = iter(f"{moment.microsecond:06}")
    out = []
    for kind, text in section.parts:
        drawn = text
        if kind == "elapsed":
            drawn = f"{int(seconds // SECONDS[text[0]]):0{len(text)}}"
        elif kind == "date":  # `m` is a minute after an hour or before a second, else a month
            is_minute = units[at] == "m" and (
                units[:at].endswith("h") or units[at + 1 :][:1] == "s"
            )
            drawn = _unit("i" if is_minute else units[at], len(text), moment, hour)
        elif kind == "noon":
            drawn = text.split("/")[moment.hour >= 12]
        elif kind == "digit":
            drawn = next(fraction, "")
        at += kind in ("date", "elapsed")
        out.append(drawn)
    return "".join(out)


def _unit(unit: str, length: int, moment: datetime, hour: int) -> str:
    """Return a year, month, day or other part as its letters say: `mmm` is a short name, `mmmm` a
    whole one, `mmmmm` an initial.
    """
    if unit == "y":
        return f"{moment.year % 100:02}" if length < 3 else f"{moment.year:04}"
    names = {"m": f"{moment:%B}", "d": f"{moment:%A}"}  # English, as no locale is set
    if unit in names and length > 2:
        name = names[unit]
        return name[:3] if length == 3 else name[0] if length == 5 else name
    numbers = {"m": moment.month, "d": moment.day, "h": hour, "i": moment.minute}
    return f"{numbers.get(unit, moment.second):0{min(length, 2)}}"

"""Formats numbers by the format codes of spreadsheets: `#,##0.00`, `0%`, `yyyy-mm-dd`, `# ?/?`.

Source: ECMA-376 part 1, 18.8.30 (numFmt) and 18.8.31 (numFmts). Dates that a code leaves to the
reader's country are shown as yyyy-mm-dd; names of months and days are English.
"""

import functools
import itertools
import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from .date_format import ELAPSED, date_text

GENERAL: Final = "General"
BUILT_IN: Final = {  # the ids without a format code in the file
    **{1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00"},
    **{12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy"},
    **{18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm"},
    **{37: "#,##0;(#,##0)", 38: "#,##0;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)"},
    **{40: "#,##0.00;[Red](#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0"},
    **{5: "$#,##0;-$#,##0", 6: "$#,##0;[Red]-$#,##0"},
    **{7: "$#,##0.00;-$#,##0.00", 8: "$#,##0.00;[Red]-$#,##0.00"},
    **dict.fromkeys((41, 42), "#,##0;-#,##0;-"),
    **dict.fromkeys((43, 44), "#,##0.00;-#,##0.00;-"),
}
MAX_CODE: Final = 255  # characters, as in the programs that write these files
PART: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<noon>AM/PM|A/P)|(?P<general>General)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+)"
    r"|(?P<digit>[0#?])|(?P<end>;)|(?P<mark>[.,%/])|(?P<literal>.)",
    re.I | re.S,
)
COLORS: Final = {
    **{"blue": 0x0000FF, "cyan": 0x00FFFF, "green": 0x00FF00, "magenta": 0xFF00FF},
    **{"red": 0xFF0000, "yellow": 0xFFFF00},
}
CONDITION: Final = re.compile(r"(<=|>=|<>|<|>|=)(-?\d{1,15}(?:\.\d{1,15})?)")
COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
}
EXACT: Final = Context(prec=700, rounding=ROUND_HALF_UP)  # digits of the largest float and code
LARGEST_PLAIN: Final = 1e15  # whole numbers below are exact

DRAWN_AS: Final = dict.fromkeys(("quoted", "escaped", "literal", "space"), "text")

Part = tuple[str, str]


class Section(NamedTuple):
    """One of the parts of a code that semicolons separate."""

    parts: list[Part]
    condition: tuple[str, float] | None
    color: int | None = None

    def has(self, *kinds: str) -> bool:
        return any(kind in kinds for kind, _ in self.parts)


def format_number(value: float, code: str, *, from_1904: bool = False) -> str:
    """Return the text for a number; dates count days from 1900, in some workbooks from 1904."""
    sections = _sections(code) if len(code) <= MAX_CODE else ()
    if not math.isfinite(value) or not sections:
        return general(value)
    section, shown = _choose(sections, value)
    if section.has("date", "elapsed"):
        return date_text(section.parts, value, from_1904=from_1904) or general(value)
    text = _number_text(section, abs(shown))
    return f"-{text}" if shown < 0 and re.search("[1-9]", text) else text


def format_color(value: float, code: str) -> int | None:
    """Return the colour that a code gives to a number, such as red below zero."""
    sections = _sections(code) if "[" in code and len(code) <= MAX_CODE else ()
    return _choose(sections, value)[0].color if sections and math.isfinite(value) else None


def general(value: float) -> str:
    """Return a number as a spreadsheet shows it without a format: 31001, 0.19, 1E+300."""
    value = float(value)
    if not math.isfinite(value):
        return str(value)
    if value.is_integer() and abs(value) < LARGEST_PLAIN:
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


@functools.lru_cache(maxsize=500)
def _sections(code: str) -> tuple[Section, ...]:
    found: list[Section] = [Section([], None)]
    for match in PART.finditer(code):
        kind, text = match.lastgroup or "", match[match.lastgroup or 0]
        if kind == "end":
            found.append(Section([], None))
        elif condition := kind == "bracket" and CONDITION.fullmatch(text):
            found[-1] = found[-1]._replace(condition=(condition[1], float(condition[2])))
        elif kind == "bracket" and text.lower() in COLORS:
            found[-1] = found[-1]._replace(color=COLORS[text.lower()])
        else:
            found[-1].parts.extend(_part(kind, text))
    return tuple(found) if code.strip() else ()


def _part(kind: str, text: str) -> list[Part]:
    """Return a part as it is drawn; countries and fillings are not."""
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
    for section in sections:
        if section.condition:
            sign, limit = section.condition
            if COMPARE[sign](value, limit):
                return section, abs(value) if sign.startswith("<") and limit <= 0 else value
    if any(section.condition for section in sections):
        rest = [section for section in sections if not section.condition]
        return (rest or sections)[0], value
    if len(sections) > 2 and value == 0:
        return sections[2], value
    return (sections[1], abs(value)) if len(sections) > 1 and value < 0 else (sections[0], value)


def _number_text(section: Section, value: float) -> str:
    if section.has("general"):
        texts = (general(value) if kind == "general" else text for kind, text in section.parts)
        return "".join(texts)
    if not section.has("digit"):
        return "".join(text for _, text in section.parts)
    exact = Decimal(repr(value)).scaleb(2 * section.parts.count(("mark", "%")))
    if section.has("exponent"):
        return _scientific(section.parts, exact)
    if ("mark", "/") in section.parts:
        return _fraction(section.parts, exact)
    return _plain(section.parts, exact)


def _plain(parts: Sequence[Part], value: Decimal) -> str:
    """Fill the digits of a number into the placeholders around the decimal point."""
    whole, point, rest = _split(parts)
    thousands = _trailing_commas(whole)
    decimals = sum(kind == "digit" for kind, _ in rest)
    exact = value.scaleb(-3 * thousands).quantize(Decimal(1).scaleb(-decimals), context=EXACT)
    digits, _, fraction = f"{exact:f}".partition(".")
    return _whole(whole, digits.lstrip("0")) + point + _decimals(rest, fraction)


def _split(parts: Sequence[Part]) -> tuple[list[Part], str, list[Part]]:
    place = parts.index(("mark", ".")) if ("mark", ".") in parts else len(parts)
    return list(parts[:place]), "." if place < len(parts) else "", list(parts[place + 1 :])


def _trailing_commas(parts: Sequence[Part]) -> int:
    """Return how many commas follow the last digit: each divides by a thousand."""
    after = itertools.takewhile(lambda part: part[0] != "digit", reversed(parts))
    return sum(part == ("mark", ",") for part in after)


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
        for digit in reversed(taken or _padding(text)):
            out.append("," if grouped and count and count % 3 == 0 else "")
            out.append(digit)
            count += 1
    return "".join(reversed(out))


def _decimals(parts: Sequence[Part], digits: str) -> str:
    kept = len(digits.rstrip("0"))
    out, place = [], 0
    for kind, text in parts:
        if kind != "digit":
            out.append("" if text == "," else text)
            continue
        digit = digits[place : place + 1]
        out.append(digit if place < kept or text == "0" else _padding(text))
        place += 1
    return "".join(out)


def _padding(placeholder: str) -> str:
    return {"0": "0", "?": " "}.get(placeholder, "")


def _scientific(parts: Sequence[Part], value: Decimal) -> str:
    place = next(index for index, (kind, _) in enumerate(parts) if kind == "exponent")
    mantissa, after = parts[:place], parts[place + 1 :]
    whole, _, rest = _split(mantissa)
    step = max(1, sum(kind == "digit" for kind, _ in whole))
    decimals = sum(kind == "digit" for kind, _ in rest)
    rounded = Context(prec=max(1, decimals + 1), rounding=ROUND_HALF_UP).create_decimal(value)
    exponent = rounded.adjusted() // step * step if rounded else 0
    sign = "-" if exponent < 0 else "+" if parts[place][1].endswith("+") else ""
    number = _plain(mantissa, value.scaleb(-exponent))
    return f"{number}E{sign}{_whole(after, str(abs(exponent)) if exponent else '')}"


def _fraction(parts: Sequence[Part], value: Decimal) -> str:
    """`# ?/?` by the nearest fraction whose denominator has that many digits, or is given."""
    slash = parts.index(("mark", "/"))
    before = "".join("0" if kind == "digit" else text for kind, text in parts[:slash])
    below = "".join(text for _, text in parts[slash + 1 :])
    has_whole = len(before.split()) > 1
    whole = int(value) if has_whole else 0
    top, bottom = _nearest(Fraction(value) - whole, below)
    if has_whole and top == bottom:
        whole, top = whole + 1, 0
    numbers = [str(whole)] if has_whole and (whole or not top) else []
    return " ".join([*numbers, *([f"{top}/{bottom}"] if top or not has_whole else [])])


def _nearest(value: Fraction, below: str) -> tuple[int, int]:
    if given := re.search(r"[1-9]\d{0,3}", below):
        return round(value * int(given[0])), int(given[0])
    digits = min(max(below.count("?") + below.count("#"), 1), 4)
    return value.limit_denominator(10**digits - 1).as_integer_ratio()

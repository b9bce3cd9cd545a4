"""In the child process: JSON indented, without a change of any value."""

import json
import re
from typing import Final

JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')
NUMBER: Final = r"-?\d[\d.eE+-]*"
NUMBERS: Final = re.compile(rf"\[\n\s+({NUMBER}(?:,\n\s+{NUMBER})*)(?:\n\s+(\])|,?\s*-?\Z)")
MAX_IN_LINE: Final = 72  # characters
INDENT: Final = "\t"
MAX_DEPTH: Final = 60


def indent_json(text: str, *, whole: bool = True) -> str | None:
    """Return the JSON indented, short lists of numbers on a line; None if it is not valid or too
    deeply nested.

    Text that is not whole can't be checked: it counts as valid if it starts as JSON does.
    """
    try:
        if whole:
            json.loads(text)
        elif not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
            return None
        return NUMBERS.sub(_in_line, _indent(JSON_TOKEN.findall(text)))
    except (ValueError, RecursionError):
        return None


def _indent(words: list[str]) -> str:
    """Write the tokens, not parsed values: that keeps 1.0, 1e400 and duplicate names."""
    out: list[str] = []
    depth = 0
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in ("]", "}"):
            depth -= 1
            out.append(word if out[-1] in ("[", "{") else _line(depth) + word)
            continue
        out.append(word + " " if word == ":" else word)
        depth += word in ("[", "{")
        if word in ("[", "{", ",") and following not in ("]", "}"):
            out.append(_line(depth))
    return "".join(out)


def _in_line(numbers: re.Match[str]) -> str:
    line = "[" + " ".join(numbers[1].split()) + (numbers[2] or "")
    return line if len(line) <= MAX_IN_LINE else numbers[0]


def _line(depth: int) -> str:
    if depth > MAX_DEPTH:
        raise ValueError("too deeply nested")
    return "\n" + INDENT * depth

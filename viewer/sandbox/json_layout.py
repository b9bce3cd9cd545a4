"""Runs in the child. JSON, one value a line, without changing a character of any value."""

import json
import re
from typing import Final

WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
INDENT: Final = "  "
DEEPEST: Final = 60


def laid_out(text: str) -> str:
    """The same JSON with indentation; the text as it was, if it isn't JSON or is too deep."""
    try:
        json.loads(text)
        return _lay_out(WORD.findall(text))
    except (ValueError, RecursionError):
        return text


def _lay_out(words: list[str]) -> str:
    """Written from the words, not from parsed values: 1.0, 1e400 and twin names stay."""
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


def _line(depth: int) -> str:
    if depth > DEEPEST:
        raise ValueError("too deep to lay out")
    return "\n" + INDENT * depth

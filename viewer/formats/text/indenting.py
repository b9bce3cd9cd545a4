"""Runs in the child process. Indents JSON, and XML that has many elements on a line.

No character of a value in JSON is changed. In XML only white space between elements is, and only
where a document has no text beside elements: all elements of a name that holds text anywhere stay
as they were written, with all in them. Nothing is expanded or loaded: tags are only compared.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')
NUMBER: Final = r"-?\d[\d.eE+-]*"
NUMBERS: Final = re.compile(rf"\[\n\s+({NUMBER}(?:,\n\s+{NUMBER})*)(?:\n\s+(\])|,?\s*-?\Z)")
MAX_IN_LINE: Final = 72  # characters
INDENT: Final = "  "
MAX_DEPTH: Final = 60
XML_TOKEN: Final = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
    r"|<!DOCTYPE(?:[^<>\[\"']|\"[^\"]*\"|'[^']*')*+(?:\[.*?\]\s*)?>"
    r"|</?[^\s<>/!?](?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>|[^<]+",
    re.S,
)
NAME: Final = re.compile(r"</?([^\s<>/]+)")
PRESERVED: Final = re.compile(r"\sxml:space\s*=\s*[\"']preserve")
NO_ELEMENT: Final = ("<!--", "<?", "<!DOCTYPE")
TAGS_IN_LINE: Final = 4  # with more on average it is laid out


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


def folds_of(lines: str) -> list[int]:
    """Return for each line 1 if it ends with an opening bracket, -1 if it begins with its end."""
    return [
        1 if line.endswith(("[", "{")) else -line.lstrip().startswith(("]", "}"))
        for line in lines.split("\n")
    ]


def _indent(words: list[str]) -> str:
    """Written from tokens, not parsed values: keeps 1.0, 1e400 and duplicate names."""
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


def indent_xml(text: str, *, whole: bool = True) -> tuple[str, list[int]] | None:
    """Return the XML indented, and for each line 1 if a fold begins with it, -1 if one ends.

    None if its tags don't match, are nested too deeply, or few on a line. Text that is
    not whole may lack the ends of elements.
    """
    if text.count("<") <= TAGS_IN_LINE * (text.rstrip().count("\n") + 1):
        return None
    tokens, rest = _tokens(text.lstrip("\ufeff \t\r\n"))
    if rest and whole:
        return None
    try:
        ends, texted = _structure(tokens, whole=whole)
        lines = list(_lines(tokens, ends, texted))
    except ValueError:
        return None
    folds = [fold for line, fold in lines for fold in _folds(line, fold)]
    return "\n".join([*(line for line, _ in lines), rest]).rstrip("\n"), folds


def _tokens(text: str) -> tuple[list[str], str]:
    """Return the tokens, and the rest from what is none."""
    tokens, position = [], 0
    while found := XML_TOKEN.match(text, position):
        tokens.append(found[0])
        position = found.end()
    return tokens, text[position:]


def _structure(tokens: list[str], *, whole: bool) -> tuple[dict[int, int], set[str]]:
    """Return where each element ends by where it begins, and the names of those with text."""
    ends: dict[int, int] = {}
    texted: set[str] = set()
    open_: list[tuple[int, str]] = []
    for at, token in enumerate(tokens):
        if token.startswith(NO_ELEMENT) or not token.strip():
            continue
        if not token.startswith("<") or token.startswith("<!"):
            texted.add(open_[-1][1] if open_ else "")
        elif token.startswith("</"):
            start, name = open_.pop() if open_ else (0, "")
            if name != _name(token):
                raise ValueError("tags do not match")
            ends[start] = at
        elif not token.endswith("/>"):
            open_.append((at, _name(token)))
    if (open_ and whole) or "" in texted:
        raise ValueError("text without an element, or an element without an end")
    return ends, texted


def _lines(tokens: list[str], ends: dict[int, int], texted: set[str]) -> Iterator[tuple[str, int]]:
    """Yield what stands on lines of its own, and its fold."""
    depth = at = 0
    while at < len(tokens):
        token, end, fold = tokens[at], at, 0
        if token.startswith("</"):
            depth, fold = depth - 1, -1
        elif _begins_element(token):
            end = ends.get(at, len(tokens) - 1)
            is_empty = end == at + 1 or (end == at + 2 and not tokens[at + 1].startswith("<"))
            is_kept = is_empty or _name(token) in texted or PRESERVED.search(token)
            end, fold = (end, 0) if is_kept else (at, 1)
        if depth > MAX_DEPTH:
            raise ValueError("too deeply nested")
        if token.strip():
            yield INDENT * depth + "".join(tokens[at : end + 1]), fold
        depth += fold == 1
        at = end + 1


def _folds(line: str, fold: int) -> Iterator[int]:
    """Yield the fold of each line of a tag: the last line begins one, the first line ends one."""
    more = [0] * line.count("\n")
    yield from [*more, fold] if fold > 0 else [fold, *more]


def _begins_element(token: str) -> bool:
    return token.startswith("<") and not token.startswith(("<!", "<?")) and token[-2:] != "/>"


def _name(token: str) -> str:
    found = NAME.match(token)
    return found[1] if found else ""

"""Runs in the child. Source code -> lines of HTML with a class for each kind of token."""

from collections.abc import Iterator
from typing import Any, Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename, get_lexer_for_mimetype
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, String
from pygments.util import ClassNotFound

from viewer.decoding import decode, load_codecs
from viewer.escaping import escape
from viewer.sandbox.frames import Frame
from viewer.sandbox.json_layout import laid_out

COLOURS: Final = {  # the nearest ancestor of a token decides
    Keyword: "k",
    Keyword.Constant: "m",
    Keyword.Type: "m",
    Name.Tag: "k",
    Name.Function: "f",
    Name.Class: "f",
    Name.Builtin: "f",
    Name.Namespace: "f",
    Name.Decorator: "f",
    Name.Exception: "f",
    Name.Label: "f",
    Name.Attribute: "o",
    Name.Variable: "o",
    Name.Constant: "m",
    Operator: "o",
    Operator.Word: "k",
    String: "s",
    Comment: "c",
    Number: "m",
    Error: "e",
    Generic.Deleted: "e",
    Generic.Inserted: "s",
    Generic.Heading: "g",
    Generic.Subheading: "g",
    Generic.Strong: "g",
}


class Highlighter:
    """Lexers by the name they are asked for; loaded before the child gives up reading files."""

    def __init__(self) -> None:
        self.lexers: dict[str, Lexer] = {}

    def load(self, language: str, *, filename: str = "", media_type: str = "") -> None:
        """Find a lexer by language, else by file name, else by media type."""
        for find, clue in (
            (get_lexer_by_name, language),
            (get_lexer_for_filename, filename),
            (get_lexer_for_mimetype, media_type),
        ):
            if clue and language not in self.lexers and (lexer := _found(find, clue)):
                self.lexers[language] = lexer

    def colour(self, language: str, code: str) -> str:
        """HTML of which every line is well formed by itself."""
        lexer = self.lexers.get(language)
        if lexer is None:
            return escape(code)
        return "".join(_span(token, text) for token, text in lexer.get_tokens(code))


DOCUMENT: Final = Highlighter()


def prepare(_data: bytes, order: dict[str, Any]) -> None:
    """Find the lexer by the file's name, else by its type."""
    load_codecs(order.get("charset"))
    DOCUMENT.load("", filename=order["name"], media_type=order["type"])


def frames(data: bytes, order: dict[str, Any]) -> Iterator[Frame]:
    """One fragment; lines are parted by line ends."""
    text, encoding = decode(data, order.get("charset"))
    if order["json"]:
        text = laid_out(text)
    html = DOCUMENT.colour("", text.removesuffix("\n")).removesuffix("\n")
    lexer = DOCUMENT.lexers.get("")
    facts = {"encoding": encoding, "language": lexer.name if lexer else ""}
    yield facts, html.encode("utf-8", "replace")


def _found(find: Any, clue: str) -> Lexer | None:
    try:
        lexer: Lexer = find(clue, stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None
    return lexer


def _span(token: Any, text: str) -> str:
    colour = _colour(token)
    if not colour:
        return escape(text)
    lines = (escape(line) for line in text.split("\n"))
    return "\n".join(f'<span class="tok-{colour}">{line}</span>' if line else "" for line in lines)


def _colour(token: Any) -> str | None:
    while token is not None and token not in COLOURS:
        token = token.parent
    return COLOURS.get(token)

"""In the child process: source code as HTML, with an element for each run of tokens of one type:
<b>, <u> and <i> for the most frequent ones, since small files grow by them.
"""

import re
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import takewhile
from typing import Any, Final

from pygments.lexer import Lexer
from pygments.lexers import (
    find_lexer_class_for_filename,
    get_lexer_by_name,
    get_lexer_for_filename,
    get_lexer_for_mimetype,
)
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String
from pygments.util import ClassNotFound

from ...content.decoding import decode
from ...markup.escaping import escape
from ...markup.names import extension_of
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message
from .code import lexed_name
from .indenting import indent_json
from .text_lines import MAX_LINES, html_lines, shown_lines

START: Final = 4_000  # bytes
SECONDS: Final = 2.5  # of CPU time for one text
# The program that a script names, as in `#!/usr/bin/env python3`.
INTERPRETER: Final = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)?(?:\S*/)?)?([A-Za-z]+)")
LANGUAGES: Final = {"node": "js", "tclsh": "tcl", "escript": "erlang", "dash": "sh"}
LABELS: Final = {
    "S": "R",
    "Nimrod": "Nim",
    "systemverilog": "Verilog",
    "Text only": "",
    "Perl6": "Raku",
    "Transact-SQL": "SQL",
    "TASM": "Assembly",
    "vhdl": "VHDL",
    "LessCss": "Less",
    "reg": "Windows registry",
    "ODIN": "Odin",
    "autohotkey": "AutoHotkey",
    "RHTML": "ERB",
}
NUMBER: Final = "<i class=m>"
TAG_TOKENS: Final = {  # start tag -> token types; the nearest ancestor of a token type counts
    "<b>": (Keyword, Name.Tag, Operator.Word),
    "<u>": (String, Generic.Inserted),
    "<i>": (Comment,),
    NUMBER: (Keyword.Constant, Keyword.Type, Name.Constant, Number),
    "<i class=f>": (Name.Function, Name.Class, Name.Builtin, Name.Namespace, Name.Decorator)
    + (Name.Exception, Name.Label),
    "<i class=o>": (Name.Attribute, Name.Variable),
    "<i class=e>": (Generic.Deleted,),
    "<i class=g>": (Generic.Heading, Generic.Subheading, Generic.Strong),
}
TOKEN_TAGS: Final = {token: tag for tag, tokens in TAG_TOKENS.items() for token in tokens}


class Highlighter:
    """Lexers by language name, imported while the process may still open files."""

    def __init__(self) -> None:
        self.lexers: dict[str, Lexer] = {}

    def load(
        self, language: str, *, filename: str = "", media_type: str = "", start: bytes = b""
    ) -> None:
        """Find a lexer by language, file name, first line or media type; keep it by language.

        Of languages that share an extension, the `start` of the text decides.
        """
        for find, value in (
            (get_lexer_by_name, language),
            (partial(get_lexer_for_filename, code=start.decode("utf-8", "replace")), filename),
            (get_lexer_by_name, extension_of(filename) or filename.lower()),
            (get_lexer_by_name, _interpreter(start)),
            (get_lexer_for_mimetype, media_type),
        ):
            if value and language not in self.lexers and (lexer := _found(find, value)):
                self.lexers[language] = lexer
                next(lexer.get_tokens("x"), None)  # some lexers import their tables only now

    def highlight(self, language: str, code: str) -> str:
        """Return HTML in which every line is well-formed, without colours where there is no lexer
        and after SECONDS or MAX_HTML.
        """
        lexer = self.lexers.get(language)
        out = []
        size = 0
        position = 0
        deadline = time.process_time() + SECONDS
        tokens = lexer.get_tokens(code) if lexer else ()
        for tag, run in _runs(takewhile(lambda _: time.process_time() < deadline, tokens)):
            out.append(_element(tag, run))
            size += len(out[-1])
            position += len(run)
            if size > MAX_HTML:
                break
        return "".join((*out, escape(code[position:], quotes=False)))


DOCUMENT: Final = Highlighter()


def preload() -> None:
    """Compile the patterns of all file names, which takes a process longer than most texts."""
    find_lexer_class_for_filename("a name that is in no pattern")


def prepare(data: bytes, options: dict[str, Any]) -> None:
    """Find the lexer: by the name but for a document whose type says more."""
    name = options["name"]
    subtype = options["type"].rpartition("/")[2].rpartition("+")[2]
    name = name if options["type"] == "text/plain" or "." in name else ""
    options["is_json"] = "json" in (subtype, extension_of(name))
    media_type = "application/json" if options["is_json"] else options["type"]
    name, media_type = (name, "text/xml") if subtype == "xml" else (lexed_name(name), media_type)
    DOCUMENT.load("", filename=name, media_type=media_type, start=data[:START])


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the highlighted lines; the last ones plain if they are many."""
    text, encoding = decode(data, options["charset"])
    laid_out = indent_json(text, whole=options["whole"]) if options["is_json"] else None
    text = (laid_out or text).removesuffix("\n")
    total = text.count("\n") + 1
    text = "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])
    html = DOCUMENT.highlight("", text)
    shown = text.count("\n") + 1  # some lexers add a line end, and some take one away
    html = "\n".join((html + "\n").split("\n")[:shown])
    lines, block = html_lines(html, total)
    lexer = DOCUMENT.lexers.get("")
    label = LABELS.get(lexer.name, lexer.name) if lexer else ""
    facts = shown_lines(lines, data, encoding, options, label)
    facts["source"] |= {"layout": "json"} if laid_out else {}
    yield facts, block


def _interpreter(start: bytes) -> str:
    found = INTERPRETER.match(start)
    name = found[1].decode().lower() if found else ""
    return LANGUAGES.get(name, name)


def _found(find: Any, value: str) -> Lexer | None:
    try:
        lexer: Lexer = find(value, stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None
    return lexer


def _runs(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[str, str]]:
    """Yield the start tag, or none, and the text of tokens that follow each other alike, with the
    blanks between them, and the commas between numbers.
    """
    current = ""
    run = ""
    blank = ""
    for token, text in tokens:
        tag = _tag(token)
        if not tag and not text.strip(", \n" if current == NUMBER else None):
            blank += text
            continue
        if tag != current:
            yield current, run
            yield "", blank
            current = tag
            run = ""
            blank = ""
        run += blank + text
        blank = ""
    yield current, run
    yield "", blank


def _element(tag: str, text: str) -> str:
    """Return the text with an element in each of its lines."""
    escaped = escape(text, quotes=False)
    if not tag:
        return escaped
    end = f"</{tag[1]}>"
    return "\n".join(f"{tag}{line}{end}" if line else "" for line in escaped.split("\n"))


def _tag(token: Any) -> str:
    while token is not None and token not in TOKEN_TAGS:
        token = token.parent
    return TOKEN_TAGS.get(token, "")

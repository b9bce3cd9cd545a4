"""In the child process: a Jupyter notebook, each cell as Markdown that says the same.

Source: the notebook format 4 of nbformat, of 2015.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from ...content.decoding import decode
from ...markup.formatting import CUT_NOTE, format_count
from ...sandbox import MAX_HTML, MAX_PICTURES
from ...sandbox.messages import Message, shown_as
from .markdown_text import FENCE, HIGHLIGHTER, MAX_LANGUAGES, to_html

ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ATTACHMENT: Final = re.compile(r"\(attachment:([^)\s]{1,200})\)")
LANGUAGE: Final = re.compile(rb'"(?:name|language)"\s*:\s*"([\w+#.-]{1,30})"')
BLANK_LINES: Final = re.compile(r"\n\s*\n")  # which would end a block of HTML
PICTURES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
MAX_CELLS: Final = 10_000  # a browser stays quick with so many


def prepare(data: bytes, _options: dict[str, Any]) -> None:
    """Import the lexers of all languages that the notebook and its texts may name."""
    found = dict.fromkeys(LANGUAGE.findall(data) + FENCE.findall(data))
    for name in ["python", *(name.decode("ascii", "ignore") for name in found)][:MAX_LANGUAGES]:
        HIGHLIGHTER.load(name)


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the cells; raise nearly anything if this is no notebook."""
    book = json.loads(decode(data, options.get("charset"))[0])
    cells = book["cells"]
    about = book.get("metadata", {})
    named = [about.get(key, {}).get("name") for key in ("language_info", "kernelspec")]
    language = next((name for name in named if name in HIGHLIGHTER.lexers), "python")
    out = []
    left = MAX_HTML + MAX_PICTURES
    for cell in cells[:MAX_CELLS]:
        out.append(to_html(_markdown(cell, language), left))
        left -= len(out[-1])
        if left < 0:
            break
    count = format_count(len(cells), "cell")
    notes = [CUT_NOTE] if left < 0 or len(out) < len(cells) else []
    html = f'<article class="prose">{"".join(out)}</article>'
    yield shown_as("Notebook", language, count, notes=notes), html.encode("utf-8", "replace")


def _markdown(cell: dict[str, Any], language: str) -> str:
    source = _text(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        attached = cell.get("attachments", {})
        return ATTACHMENT.sub(lambda found: _picture(attached.get(found[1], {})), source)
    outputs = map(_output, cell.get("outputs", ()))
    return "\n\n".join((_fenced(source, language), *outputs))


def _output(output: dict[str, Any]) -> str:
    """Return the richest form that is safe: a picture, HTML sanitized, Markdown, text."""
    forms = output.get("data", {})
    if picture := _picture(forms):
        return f"![Output]{picture}"
    for kind in ("text/html", "text/markdown"):
        if kind in forms:
            return BLANK_LINES.sub("\n", _text(forms[kind]))
    lines = "\n".join(output.get("traceback", ()))
    return _fenced(lines or _text(output.get("text", forms.get("text/plain"))))


def _picture(forms: dict[str, Any]) -> str:
    """Return a picture as the target of a link; the sanitizer says if it is one."""
    kind = next(filter(forms.__contains__, PICTURES), "")
    return f"(data:{kind};base64,{''.join(_text(forms[kind]).split())})" if kind else ""


def _fenced(text: str, language: str = "") -> str:
    """Return a block of code within more tildes than are in it."""
    marks = "~" * (2 + max(map(len, re.findall("~+", text)), default=1))
    return f"{marks}{language}\n{ANSI.sub('', text)}\n{marks}" if text else ""


def _text(value: Any) -> str:
    """Return a text, which is stored as one string or as its lines."""
    return "".join(value) if isinstance(value, list) else value or ""

"""Runs in the child process. Renders Jupyter notebooks: texts, code, and the stored outputs.

Source: the notebook format 4 of nbformat, of 2015.
"""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from ...content.decoding import decode
from ...markup.escaping import escape
from ...markup.formatting import format_count
from ...markup.sanitizer import safe_image_source, sanitize_fragment
from ...sandbox import MAX_HTML, MAX_PICTURES
from ...sandbox.messages import Message, shown_as
from .highlighting import Highlighter
from .markdown_text import FENCE, HIGHLIGHTER, MAX_LANGUAGES, to_html

ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ATTACHMENT: Final = re.compile(r"\(attachment:([^)\s]{1,200})\)")
LANGUAGE: Final = re.compile(rb'"(?:name|language)"\s*:\s*"([\w+#.-]{1,30})"')
PICTURES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
SVG: Final = "image/svg+xml"  # in an img it can neither run scripts nor load anything
MAX_OUTPUT: Final = 100_000  # characters of one text
MAX_CELLS: Final = 10_000  # a browser stays quick with so many
CODE: Final = Highlighter()

Json = dict[str, Any]


def prepare(data: bytes, _options: dict[str, Any]) -> None:
    """Import the lexers of all languages that the notebook and its texts may name."""
    for highlighter, pattern in ((CODE, LANGUAGE), (HIGHLIGHTER, FENCE)):
        names = dict.fromkeys(name.decode("ascii", "ignore") for name in pattern.findall(data))
        for name in ["python", *names][:MAX_LANGUAGES]:
            highlighter.load(name)


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the cells; raise ValueError if this is no notebook."""
    book = json.loads(decode(data, options.get("charset"))[0])
    cells = _cells(book)
    language = _language(book)
    out, size, limit = [], 0, MAX_HTML + MAX_PICTURES
    for cell in cells[:MAX_CELLS]:
        html = _cell(cell, language)
        size += len(html)
        if size > limit:
            break
        out.append(html)
    total = format_count(len(cells), "cell")
    cut = f"Showing {len(out):,} of {total}. Save the original to read all."
    facts = shown_as("Notebook", language, total, notes=[cut] if len(out) < len(cells) else ())
    html = f'<article class="notebook">{"".join(out)}</article>'
    yield facts, html.encode("utf-8", "replace")


def _cells(book: Any) -> list[Json]:
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise ValueError("not a notebook")
    return [cell for cell in cells if isinstance(cell, dict)]


def _language(book: Json) -> str:
    metadata = _dict(book, "metadata")
    names = (_dict(metadata, key).get("name") for key in ("language_info", "kernelspec"))
    return next((name for name in names if isinstance(name, str) and name in CODE.lexers), "python")


def _cell(cell: Json, language: str) -> str:
    source = _text(cell.get("source"))
    match cell.get("cell_type"):
        case "markdown":
            return f'<section class="prose cell">{to_html(_with_pictures(source, cell))}</section>'
        case "code":
            return _code_cell(cell, source, language)
    return f'<pre class="cell" tabindex="0">{escape(source[:MAX_OUTPUT])}</pre>'


def _code_cell(cell: Json, source: str, language: str) -> str:
    number = cell.get("execution_count")
    label = f"In [{number}]" if isinstance(number, int) else "In [ ]"
    code = CODE.highlight(language, source) if len(source) < MAX_OUTPUT else escape(source)
    found = cell.get("outputs")
    outputs = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    shown = "".join(map(_output, outputs))
    return (
        f'<section class="cell"><p class="dim">{label}</p>'
        f'<pre class="source" tabindex="0"><code>{code}</code></pre>{shown}</section>'
    )


def _output(output: Json) -> str:
    """Return the richest form that is safe: a picture, HTML sanitized, Markdown, text."""
    match output.get("output_type"):
        case "stream":
            return _plain(_text(output.get("text")), is_error=output.get("name") == "stderr")
        case "error":
            return _plain("\n".join(_strings(output.get("traceback"))), is_error=True)
    forms = _dict(output, "data")
    for kind in (SVG, *PICTURES):
        if address := _address(kind, _text(forms.get(kind))):
            return f'<div class="output"><img alt="Output" src="{address}"></div>'
    if "text/html" in forms:
        html = sanitize_fragment(_text(forms["text/html"])[:MAX_HTML])
        return (
            f'<div class="output prose" tabindex="0" role="group" aria-label="Output">{html}</div>'
        )
    if "text/markdown" in forms:
        return f'<div class="output prose">{to_html(_text(forms["text/markdown"]))}</div>'
    return _plain(_text(forms.get("text/plain")))


def _address(kind: str, stored: str) -> str:
    """Return a picture, which is stored in base64, or a drawing; empty if it is none."""
    if kind == SVG:
        stored = base64.b64encode(stored.encode("utf-8", "replace")).decode()
    address = f"data:{kind};base64,{''.join(stored.split())}"
    return address if stored and (kind == SVG or safe_image_source(address)) else ""


def _plain(text: str, *, is_error: bool = False) -> str:
    bare = ANSI.sub("", text)
    cut = "\n…" if len(bare) > MAX_OUTPUT else ""
    names = "output failed" if is_error else "output"
    html = escape(bare[:MAX_OUTPUT].rstrip("\n")) + cut
    return f'<pre class="{names}" tabindex="0">{html}</pre>' if html else ""


def _with_pictures(source: str, cell: Json) -> str:
    """Put pictures that are attached to a cell into its text."""
    attached = _dict(cell, "attachments")

    def address(match: re.Match[str]) -> str:
        for kind, data in _dict(attached, match[1]).items():
            if kind in PICTURES:
                return f"(data:{kind};base64,{''.join(_text(data).split())})"
        return match[0]

    return ATTACHMENT.sub(address, source)


def _dict(value: Json, name: str) -> Json:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _strings(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return a text, which is stored as one string or as its lines."""
    return value if isinstance(value, str) else "".join(_strings(value))

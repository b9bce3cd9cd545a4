"""Runs in the child process. Draws a mail message: its head, its body and its attachments."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...content.media_types import canonical_type
from ...markup.escaping import escape
from ...sandbox.messages import DATA_PLACEHOLDER, Message, with_data
from ..archives.enclosed import File, draw
from . import mail_message

EXTENSIONS: Final = {"message/rfc822": ".eml", "text/plain": ".txt", "text/html": ".html"}

prepare = mail_message.prepare


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield the head, with the body behind it, then the attachments, as `enclosed` draws them.

    The facts are those of `mail_message`, but the attachments are their number.
    """
    (facts, body), *contents = mail_message.render(data, options)
    files = list(_files(facts["attachments"], contents))
    links = (f'<a href="#file-{n}">{escape(file.name)}</a>' for n, file in enumerate(files, 1))
    head = letter_head(facts["headers"], links) + DATA_PLACEHOLDER
    about = {"format": facts["format"], "cut": facts["cut"], "attachments": len(files)}
    yield with_data(head.encode("utf-8", "replace"), body, **about)
    yield from draw(files)


def letter_head(headers: Iterable[tuple[str, str]], attached: Iterable[str]) -> str:
    """Return a table of the headers, and of what is attached, which is given as HTML."""
    rows = [(name, escape(text)) for name, text in headers]
    if names := ", ".join(attached):
        rows.append(("Attached", names))
    lines = (f'<tr><th scope="row">{name}</th><td>{html}</td></tr>\n' for name, html in rows)
    return f'<table class="letter">\n<tbody>\n{"".join(lines)}</tbody>\n</table>\n'


def _files(listed: Iterable[Any], contents: Iterable[Message]) -> Iterator[File]:
    for number, (attachment, content) in enumerate(zip(listed, contents, strict=True), 1):
        (name, kind, size), (facts, data) = attachment, content
        default = f"attachment {number}{EXTENSIONS.get(kind, '')}"
        yield File(name or default, canonical_type(kind), size, data if facts["complete"] else None)

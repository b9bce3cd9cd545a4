"""PDF: pages drawn in the sandbox, with their text as a layer to select, copy and search.

The browser's own PDF viewer is not used: it does not work in a sandboxed page, runs the
document's scripts, and follows its links out of the page.
"""

import base64

from ..formatting import format_count
from ..original import Original
from ..preview import Preview
from ..sandbox.process import JobResult, SandboxError
from ..templating import render
from . import card

SECONDS = 30
MESSAGES = {
    "password": "This PDF is locked with a password. Save it to open it.",
    "format": "This file says it is a PDF, but it is not one that can be read.",
}


def preview(original: Original, media_type: str) -> Preview:
    """Return the pages that could be drawn; a card if the file is locked or no PDF."""
    result = original.run("pdf", original.pieces(), {}, seconds=SECONDS)
    if result.failure in MESSAGES:
        return card.preview(original, media_type, MESSAGES[result.failure])
    return pages_preview(result)


def pages_preview(result: JobResult) -> Preview:
    """Return the pages, with a note if some are missing; raise SandboxError if all are."""
    messages = result.messages
    total = int(messages.pop(0)[0]["pages"]) if messages else 0
    if not messages:
        raise SandboxError(result.failure)
    pages = []
    while messages:  # each picture is released once it is encoded
        facts, png = messages.pop(0)
        picture = base64.b64encode(png).decode()
        page = render("kinds/pdf.html", page=facts, picture=picture, total=total)
        pages.append(page.encode("utf-8", "replace"))
    return Preview(
        "pdf",
        "PDF",
        b"".join(pages),
        facts=(format_count(total, "page"),),
        note=_note(len(pages), total),
        tools=frozenset({"zoom", "pages"}),
    )


def _note(shown: int, total: int) -> str:
    if shown >= total:
        return ""
    pages = format_count(total, "page")
    return f"Showing {shown:,} of {pages}. Save the original to read all of it."

"""PDF: pages drawn in a child process, with the text over them to select, copy and search.

The browser's own PDF viewer is never used: it does not run in a sandbox, it runs the
document's scripts, and one click in it may leave the page.
"""

import base64
from dataclasses import dataclass
from typing import Any

from viewer.kinds import card
from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import ChildFailed, run
from viewer.templating import fragment
from viewer.wording import counted

SECONDS = 30
MESSAGES = {
    "password": "This PDF is locked with a password. Save it to open it.",
    "format": "This file says it is a PDF, but it is not one that can be read.",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One drawn page: its number, its size in pixels, its picture, and where its text stands."""

    number: int
    width: int
    height: int
    text: list[tuple[float, float, float, float, str]]
    picture: str


def preview(original: Original, kind: str) -> Preview:
    """All pages within the limits, and a note about those beyond."""
    answer = run("pdf", original.pieces(), {}, seconds=SECONDS)
    sheets = [_sheet(facts, png) for facts, png in answer.frames if "page" in facts]
    if not sheets:
        if answer.failure in MESSAGES:
            return card.preview(original, kind, MESSAGES[answer.failure])
        raise ChildFailed(answer.failure)
    total = int(answer.frames[0][0].get("pages", len(sheets)))
    return Preview(
        "pdf",
        "PDF",
        fragment("kinds/pdf.html", sheets=sheets, total=total),
        facts=(counted(total, "page"),),
        note=_note(len(sheets), total),
        tools=frozenset({"zoom", "pages"}),
    )


def _sheet(facts: dict[str, Any], png: bytes) -> Sheet:
    return Sheet(
        number=int(facts["page"]),
        width=int(facts["width"]),
        height=int(facts["height"]),
        text=[(float(x), float(y), float(w), float(h), str(s)) for x, y, w, h, s in facts["text"]],
        picture=base64.b64encode(png).decode(),
    )


def _note(shown: int, total: int) -> str:
    if shown >= total:
        return ""
    return f"Showing {shown:,} of {counted(total, 'page')}. Save the original to read all of it."

"""Books (EPUB): their chapters in the order of reading, rendered in the sandbox, and an outline."""

from typing import Final

from ...markup.formatting import CUT_NOTE, left_out_note
from ...markup.templating import render
from ...sandbox.process import Job
from .. import card
from ..archives import archive
from ..original import Original
from ..preview import Preview

EPUB: Final = "application/epub+zip"
JOB: Final = Job("viewer.formats.words.book_chapters", memory_mb=768, cpu_seconds=10, seconds=15)
NOTE: Final = "Reading view: text and pictures, without the layout of the book."
PROTECTED: Final = (
    "This book is encrypted (DRM): only the program that it was bought for opens it."
    " Save the original to open it there."
)


def preview(original: Original, media_type: str) -> Preview:
    """Return the chapters; a card if they are encrypted, the list of files if it is no book."""
    result = original.run(JOB, original.pieces(), {})
    if result.failure == "protected":
        return card.preview(original, media_type, PROTECTED)
    if result.failure or len(result.messages) != 1:
        return archive.preview(original, media_type)
    ((facts, html),) = result.messages
    outline = facts["outline"] if len(facts["outline"]) > 1 else []
    contents = render("words/outline.html", outline=outline).encode("utf-8", "replace")
    notes = (NOTE, left_out_note(facts["left_out"]), CUT_NOTE if facts["cut"] else "")
    return Preview(
        "book",
        "Book",
        contents + b'<article class="prose">%b</article>' % html,
        facts=tuple(filter(None, (facts["title"], facts["creator"]))),
        note=" ".join(filter(None, notes)),
        tools=frozenset({"zoom"}),
        styles=("pdf/outline.css",),
        scripts=("pdf/outline.js",),
    )

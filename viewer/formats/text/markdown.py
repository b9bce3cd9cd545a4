"""Markdown: CommonMark with tables, rendered in the sandbox."""

from ...markup.formatting import CUT_NOTE
from ...sandbox.process import Job
from ..original import Original
from ..preview import Preview
from . import text

MAX_SIZE = 512 << 10
JOB = Job("viewer.formats.text.markdown_text", memory_mb=512, cpu_seconds=6, seconds=10)


def preview(original: Original, media_type: str) -> Preview:
    """Return the rendered text; the source above MAX_SIZE or if rendering fails."""
    if not (message := original.html_of_job(JOB, MAX_SIZE)):
        return text.preview(original, media_type, label="Markdown")
    facts, html = message
    return Preview(
        "markdown",
        "Markdown",
        b'<article class="prose">%b</article>' % html,
        note=CUT_NOTE if facts["cut"] else "",
        tools=frozenset({"zoom"}),
    )

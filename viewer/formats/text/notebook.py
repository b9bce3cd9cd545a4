"""Jupyter notebooks: texts, code and stored outputs."""

from typing import Final

from ...markup.formatting import format_count
from ...sandbox.process import Job
from ..original import Original
from ..preview import Preview
from . import code

MAX_SIZE: Final = 32 << 20
JOB: Final = Job("viewer.formats.text.notebook_cells", memory_mb=768, cpu_seconds=10, seconds=20)


def preview(original: Original, _media_type: str) -> Preview:
    """Return the cells; the source above MAX_SIZE or if this is no notebook."""
    if not (message := original.html_of_job(JOB, MAX_SIZE)):
        return code.preview(original, "application/json")
    facts, html = message
    shown, total = int(facts["shown"]), int(facts["cells"])
    note = f"Showing {shown:,} of {format_count(total, 'cell')}. Save the original to read all."
    return Preview(
        "notebook",
        "Notebook",
        b'<article class="notebook">%b</article>' % html,
        facts=(str(facts["language"]), format_count(total, "cell")),
        note=note if shown < total else "",
        tools=frozenset({"zoom"}),
        styles=("text/notebook.css",),
    )

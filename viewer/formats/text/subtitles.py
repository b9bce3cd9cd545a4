"""Subtitles (SubRip and WebVTT): when each text is shown."""

from typing import Final

from ...markup.formatting import CUT_NOTE, format_count
from ...sandbox.process import Job
from ..original import Original
from ..preview import Preview
from . import text

MAX_SIZE: Final = 8 << 20
TYPES: Final = ("application/x-subrip", "text/vtt", "text/srt")
JOB: Final = Job("viewer.formats.text.subtitle_lines", memory_mb=256, cpu_seconds=5, seconds=10)


def preview(original: Original, media_type: str) -> Preview:
    """Return the texts with their times; plain lines above MAX_SIZE or if there are none."""
    if not (message := original.html_of_job(JOB, MAX_SIZE)):
        return text.preview(original, media_type, label="Subtitles")
    facts, html = message
    return Preview(
        "subtitles",
        "Subtitles",
        html,
        facts=(format_count(int(facts["texts"]), "text"), f"until {facts['until']}"),
        note=CUT_NOTE if facts["cut"] else "",
        styles=("grid.css", "text/subtitles.css"),
    )

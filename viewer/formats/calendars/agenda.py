"""Calendars (iCalendar) and address cards (vCard): their entries as a person reads them."""

from typing import Final

from ...markup.formatting import format_count
from ...sandbox.process import Job
from ..original import Original
from ..preview import Preview
from ..text import text

MAX_SIZE: Final = 16 << 20
JOB: Final = Job("viewer.formats.calendars.entries", memory_mb=384, cpu_seconds=6, seconds=15)
TYPES: Final = ("text/calendar", "text/vcard", "text/x-vcard", "text/directory")


def preview(original: Original, media_type: str) -> Preview:
    """Return the entries; the text above MAX_SIZE or if there are none."""
    if not (message := original.html_of_job(JOB, MAX_SIZE)):
        return text.preview(original, media_type)
    facts, html = message
    label, noun = ("Address card", "card") if facts["cards"] else ("Calendar", "event")
    shown, total = int(facts["shown"]), int(facts["entries"])
    note = f"Showing {shown:,} of {format_count(total, noun)}. Save the original to read all."
    return Preview(
        "agenda",
        label,
        b'<article class="agenda">%b</article>' % html,
        facts=(format_count(total, noun),),
        note=note if shown < total else "",
        tools=frozenset({"zoom"}),
        styles=("calendars/agenda.css",),
    )

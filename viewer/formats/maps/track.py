"""Tracks and places of GPX and KML files: drawn without a map, and measured."""

from typing import Any, Final

from ...markup.formatting import format_count
from ...sandbox.process import Job, SandboxError
from ..original import Original
from ..preview import Preview
from ..text import code

MAX_SIZE: Final = 32 << 20
JOB: Final = Job("viewer.formats.maps.track_points", memory_mb=1024, cpu_seconds=8, seconds=15)
LABELS: Final = {
    "application/gpx+xml": "GPX track",
    "application/vnd.google-earth.kml+xml": "KML places",
    "application/vnd.google-earth.kmz": "KMZ places",
}
NOTE: Final = "Drawn without a map: no map service is asked. North is up."


def preview(original: Original, media_type: str) -> Preview:
    """Return the drawing; the source above MAX_SIZE, or if there is nothing to be drawn."""
    try:
        if original.size > MAX_SIZE:
            raise SandboxError("large")
        facts, html = original.run_html_job(JOB, {})
    except SandboxError:
        if media_type.endswith("kmz"):
            raise
        return code.preview(original, media_type)
    return Preview(
        "map",
        LABELS[media_type],
        html,
        facts=_facts(facts),
        note=NOTE,
        styles=("maps/track.css",),
    )


def _facts(facts: dict[str, Any]) -> tuple[str, ...]:
    counts = ((facts["points"], "point"), (facts["places"], "place"))
    return tuple(format_count(number, noun) for number, noun in counts if number)

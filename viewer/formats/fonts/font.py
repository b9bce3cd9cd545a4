"""Fonts: their names, and a specimen that is drawn in the sandbox."""

from typing import Final

from ...markup.formatting import format_count
from ...sandbox.process import Job, SandboxError
from ..original import Original
from ..preview import Preview

JOB: Final = Job("viewer.formats.fonts.specimen", memory_mb=512, cpu_seconds=8, seconds=15)
LABELS: Final = {
    "font/ttf": "TrueType font",
    "font/otf": "OpenType font",
    "font/collection": "Font collection",
    "font/woff": "WOFF font",
    "font/woff2": "WOFF2 font",
    "font/sfnt": "Font",
    "application/font-sfnt": "Font",
    "application/font-woff": "WOFF font",
    "application/x-font-ttf": "TrueType font",
    "application/x-font-otf": "OpenType font",
}


def preview(original: Original, media_type: str) -> Preview:
    """Return the specimen of each font in the file."""
    result = original.run(JOB, original.pieces(), {})
    if not result.messages:
        raise SandboxError(result.failure or "no font")
    first, count = result.messages[0][0], len(result.messages)
    glyphs = format_count(first["glyphs"], "glyph")
    return Preview(
        "font",
        LABELS[media_type],
        b"".join(html for _, html in result.messages),
        facts=(glyphs,) if count == 1 else (format_count(count, "font"),),
        styles=("fonts/specimen.css",),
    )

"""Images: shown in an <img>, where an SVG can neither run scripts nor load anything."""

from typing import Final

from ..original import Original
from ..preview import Preview

LABELS: Final = {
    "image/svg+xml": "SVG image",
    "image/x-icon": "Icon",
    "image/vnd.microsoft.icon": "Icon",
    "image/webp": "WebP image",
}
SCRIPTS, STYLES = ("pictures/picture.js",), ("pictures/picture.css",)


def preview(_original: Original, media_type: str) -> Preview:
    label = LABELS.get(media_type) or media_type.partition("/")[2].upper() + " image"
    return Preview(
        "image",
        label,
        carrier="img",
        tools=frozenset({"zoom", "fit"}),
        scripts=SCRIPTS,
        styles=STYLES,
    )

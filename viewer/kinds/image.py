"""Images: the browser draws them in an <img>, where an SVG can neither run nor load anything."""

from typing import Final

from viewer.original import Original
from viewer.preview import Preview

LABELS: Final = {
    "image/svg+xml": "SVG image",
    "image/x-icon": "Icon",
    "image/vnd.microsoft.icon": "Icon",
    "image/webp": "WebP image",
}


def preview(_original: Original, kind: str) -> Preview:
    """The image itself is the carrier of the bytes."""
    label = LABELS.get(kind) or kind.partition("/")[2].upper() + " image"
    return Preview("image", label, carrier="img", tools=frozenset({"fit"}))

"""What kind of document this is, and how that kind is shown. One file a kind."""

from collections.abc import Callable
from typing import Final

from viewer.child.process import ChildFailed
from viewer.kinds import card, image, media, pdf, text
from viewer.media_types import IMAGES, effective
from viewer.original import Original
from viewer.preview import Preview

Renderer = Callable[[Original, str], Preview]

BY_TYPE: Final[dict[str, Renderer]] = {
    "application/pdf": pdf.preview,
    **dict.fromkeys(IMAGES, image.preview),
}
NOT_DRAWN: Final = "The preview could not be drawn. The original is intact."


def preview_of(original: Original) -> Preview:
    """The preview for this document; the bare card where its own kind can't be drawn."""
    kind = effective(original.content_type, original.first(4096))
    if not original.size:
        return card.preview(original, kind, "This document is empty.")
    try:
        return _renderer(kind, original.name)(original, kind)
    except ChildFailed:
        return card.preview(original, kind, NOT_DRAWN)


def _renderer(kind: str, _name: str) -> Renderer:
    if kind in BY_TYPE:
        return BY_TYPE[kind]
    if kind.startswith(("audio/", "video/")):
        return media.preview
    return text.preview if kind.startswith("text/") else card.preview

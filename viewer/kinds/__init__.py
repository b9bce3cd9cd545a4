"""What kind of document this is, and how that kind is shown. One file a kind."""

from collections.abc import Callable
from typing import Final

from viewer.extensions import OPEN_DOCUMENT, OPEN_XML, ending
from viewer.kinds import (
    audio_video as media,
)
from viewer.kinds import (
    card,
    code,
    image,
    mail,
    markdown,
    office,
    pdf,
    table,
    text,
)
from viewer.kinds import (
    html as web,
)
from viewer.media_types import IMAGES
from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import ChildFailed

Renderer = Callable[[Original, str], Preview]

BY_TYPE: Final[dict[str, Renderer]] = {
    "application/pdf": pdf.preview,
    "text/markdown": markdown.preview,
    "text/csv": table.preview,
    "text/tab-separated-values": table.preview,
    "text/html": web.preview,
    "application/xhtml+xml": web.preview,
    "message/rfc822": mail.preview,
    "application/zip": office.preview,
    **dict.fromkeys(IMAGES, image.preview),
}
PLAIN_BY_ENDING: Final[dict[str, Renderer]] = {
    "md": markdown.preview,
    "markdown": markdown.preview,
    "csv": table.preview,
    "tsv": table.preview,
}
BY_BEGINNING: Final[tuple[tuple[str, Renderer], ...]] = (
    ("audio/", media.preview),
    ("video/", media.preview),
    (OPEN_XML, office.preview),
    (OPEN_DOCUMENT, office.preview),
)
NOT_DRAWN: Final = "The preview could not be drawn. The original is intact."


def preview_of(original: Original) -> Preview:
    """The preview for this document; the bare card where its own kind can't be drawn."""
    kind = original.kind()
    if not original.size:
        return card.preview(original, kind, "This document is empty.")
    try:
        return _renderer(kind, original.name)(original, kind)
    except ChildFailed:
        return card.preview(original, kind, NOT_DRAWN)


def _renderer(kind: str, name: str) -> Renderer:
    if kind == "text/plain" and ending(name) in PLAIN_BY_ENDING:
        return PLAIN_BY_ENDING[ending(name)]
    if kind in BY_TYPE:
        return BY_TYPE[kind]
    for beginning, renderer in BY_BEGINNING:
        if kind.startswith(beginning):
            return renderer
    if code.is_code(kind, name):
        return code.preview
    return text.preview if kind.startswith("text/") else card.preview

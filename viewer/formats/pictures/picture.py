"""Pictures, audio and video.

Images are shown in an <img>, where an SVG can neither run scripts nor load anything; those that
browsers do not show, such as HEIC, TIFF and PSD, are converted in the sandbox before. Audio and
video are played by the browser's own player.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, cast

import pybase64

from ...markup.formatting import format_count
from ...markup.templating import render
from ...sandbox.messages import Message
from ...sandbox.process import Job, SandboxError
from .. import card
from ..original import Original
from ..preview import Preview

IMAGE_LABELS: Final = {
    "image/svg+xml": "SVG image",
    "image/x-icon": "Icon",
    "image/vnd.microsoft.icon": "Icon",
    "image/webp": "WebP image",
}
PLAYER_LABELS: Final = {
    "audio/midi": "MIDI audio",
    "video/matroska": "Matroska video",
    "video/mp2t": "MPEG-TS video",
    "video/quicktime": "QuickTime video",
    "video/x-matroska": "Matroska video",
    "video/x-msvideo": "AVI video",
}
GZIP: Final = b"\x1f\x8b"
SCRIPTS, STYLES = ("pictures/picture.js",), ("pictures/stage.css", "pictures/picture.css")
CARRIER_SCRIPT: Final = "pictures/media.js"  # of the element that shows the original


def image_preview(original: Original, media_type: str) -> Preview:
    if media_type == "image/svg+xml" and original.beginning.startswith(GZIP):
        return packed_svg_preview(original, media_type)
    label = IMAGE_LABELS.get(media_type) or media_type.partition("/")[2].upper() + " image"
    return Preview(
        "image",
        label,
        carrier="img",
        tools=frozenset({"zoom", "fit"}),
        scripts=(*SCRIPTS, CARRIER_SCRIPT),
        styles=STYLES,
    )


def audio_video_preview(_original: Original, media_type: str) -> Preview:
    element, _, subtype = media_type.partition("/")
    carrier = cast(Literal["audio", "video"], element)
    label = PLAYER_LABELS.get(media_type) or f"{subtype.removeprefix('x-').upper()} {element}"
    return Preview(
        element,
        label,
        carrier=carrier,
        source={"type": media_type},
        styles=STYLES[:1],
        scripts=(CARRIER_SCRIPT,),
    )


JOB: Final = Job("viewer.formats.pictures.pictures", memory_mb=1536, cpu_seconds=20, seconds=40)
HEIF_JOB: Final = replace(JOB, threads=True)
HEIF: Final = dict.fromkeys(
    ("image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"), "HEIC image"
)
LABELS: Final = HEIF | {
    "image/tiff": "TIFF image",
    "image/vnd.adobe.photoshop": "Photoshop image",
    "image/jp2": "JPEG 2000 image",
    "image/jpx": "JPEG 2000 image",
    "image/icns": "Icon",
    "image/vnd-ms.dds": "DDS image",
    "image/x-tga": "TGA image",
    "image/x-pcx": "PCX image",
    "image/x-sgi": "SGI image",
    "image/qoi": "QOI image",
    "image/x-portable-anymap": "PNM image",
    "image/x-portable-bitmap": "PBM image",
    "image/x-portable-graymap": "PGM image",
    "image/x-portable-pixmap": "PPM image",
}
TOO_LARGE: Final = "This picture has too many pixels to be drawn here. Save it to open it."
NOTES: Final = {
    "image/vnd.adobe.photoshop": "Shown as it was saved flat, without its layers.",
}
PREVIEW_NOTE: Final = "Shown is the preview that is in this file, not all of its data."
DATA_PLACEHOLDER: Final = b"\0data\0"


def preview(original: Original, media_type: str) -> Preview:
    """Return the picture, or all its pages; a card if it has too many pixels."""
    is_heif = media_type in HEIF
    job, options = HEIF_JOB if is_heif else JOB, {"heif": is_heif}
    result = original.run(job, original.pieces(), options)
    if result.failure == "size":
        return card.preview(original, media_type, TOO_LARGE)
    if len(result.messages) < 2:
        raise SandboxError(result.failure or "no page")
    (counts, _), *pages = result.messages
    total = int(counts["pages"])
    special = PREVIEW_NOTE if counts["is_preview"] else NOTES.get(media_type, "")
    note = (special, _cut_note(len(pages), total), _size_note(pages))
    return Preview(
        "image" if total == 1 else "pictures",
        LABELS[media_type],
        b"".join(_sections(pages, total)),
        facts=(_size(pages[0][0]) if total == 1 else format_count(total, "page"),),
        note=" ".join(filter(None, note)),
        scripts=SCRIPTS if total == 1 else ("pdf/pages.js",),
        styles=STYLES if total == 1 else (*STYLES, "pdf/pages.css"),
        tools=frozenset({"zoom", "fit"} if total == 1 else {"zoom", "pages"}),
    )


def packed_svg_preview(original: Original, _media_type: str) -> Preview:
    """Return the drawing that gzip has packed."""
    _, drawing = original.run_html_job(JOB, {"heif": False})
    address = b"data:image/svg+xml;base64," + pybase64.b64encode(drawing)
    stage = b'<div class="stage" tabindex="0" role="region" aria-label="Picture">%b</div>'
    label, tools = IMAGE_LABELS["image/svg+xml"], frozenset({"zoom", "fit"})
    image = b'<img alt="The drawing" src="%b">' % address
    return Preview("image", label, stage % image, tools=tools, scripts=SCRIPTS, styles=STYLES)


def _sections(pages: Sequence[Message], total: int) -> Iterator[bytes]:
    for facts, picture in pages:
        html = render("pictures/picture.html", page=facts, total=total, size=_size(facts))
        before, _, after = html.encode().rpartition(DATA_PLACEHOLDER)
        yield before + pybase64.b64encode(picture) + after


def _size(facts: dict[str, Any]) -> str:
    return f"{facts['width']:,} × {facts['height']:,} pixels"


def _size_note(pages: Sequence[Message]) -> str:
    smaller = any(facts["shown_width"] < facts["width"] for facts, _ in pages)
    return "Shown with fewer pixels than the original has." if smaller else ""


def _cut_note(shown: int, total: int) -> str:
    if shown >= total:
        return ""
    pages = format_count(total, "page")
    return f"Showing {shown:,} of {pages}. Save the original to see all of it."

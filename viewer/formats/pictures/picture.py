"""Pictures, audio and video that browsers show, and the names of those converted before.

Images are shown in an <img>, where an SVG can neither run scripts nor load anything. Audio and
video are played by the browser's own player.
"""

import re
from typing import Final, Literal, cast

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
SVG_ROOT: Final = re.compile(rb"<(?:[\w-]{1,40}:)?svg\b([^>]*)")
SVG_LENGTH: Final = re.compile(
    rb"""(?<![\w-])(width|height)\s{0,9}(?:=\s{0,9}["']|:)\s{0,9}[\d.]{1,20}+\s{0,9}+(?!%)"""
)
# XML names texts, so that few bytes may stand for gigabytes, which some browsers write out. These
# patterns match what drawing programs write before a drawing: short texts, none of which names one.
BESIDE: Final = rb"\s++|<\?(?:[^?]++|\?(?!>))*+\?>|<!--(?:[^-]++|-(?!->))*+-->"
NAMED_TEXT: Final = rb"""<!ENTITY\s++[\w:.-]++\s++(?:"[^"<&]{0,200}+"|'[^'<&]{0,200}+')\s*+>"""
DECLARED: Final = rb"%b|%b|<!(?:ATTLIST|ELEMENT)[^<>&]*+>" % (BESIDE, NAMED_TEXT)
DOCTYPE: Final = (
    rb"""<!DOCTYPE(?:[\s\w:.-]++|"[^"<>\[\]]*+"|'[^'<>\[\]]*+')*+(?:\[(?:%b)*+\]\s*+)?+>"""
    % DECLARED
)
BEFORE_ROOT: Final = re.compile(
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?+(?:%b)*+(?:%b(?:%b)*+)?+<(?![!?])"
    % (BESIDE, DOCTYPE, BESIDE)
)
MAX_BEFORE_ROOT: Final = 64 << 10  # bytes
UNBOUNDED: Final = "This drawing cannot be shown here. Save it to open it."
UNSIZED: Final = {"unsized": "yes"}  # a drawing that takes the place that it is given
SCRIPTS: Final = ("pictures/picture.js",)
STYLES: Final = ("pictures/stage.css", "pictures/picture.css")
CARRIER_SCRIPT: Final = "pictures/media.js"  # of the element that shows the original


def has_size(drawing: bytes) -> bool:
    """Whether an SVG drawing that begins so has a width and a height, in anything but per cent."""
    root = SVG_ROOT.search(drawing)
    return root is None or len(set(SVG_LENGTH.findall(root[1]))) == 2


def is_bounded(drawing: bytes) -> bool:
    """Whether an SVG drawing that begins so takes a browser no more than it is long."""
    return BEFORE_ROOT.match(drawing[:MAX_BEFORE_ROOT].replace(b"\0", b"")) is not None


def image_preview(original: Original, media_type: str) -> Preview:
    label = IMAGE_LABELS.get(media_type) or media_type.partition("/")[2].upper() + " image"
    is_drawing = media_type == "image/svg+xml"
    if is_drawing and not is_bounded(original.first(MAX_BEFORE_ROOT)):
        return card.preview(original, media_type, UNBOUNDED)
    return Preview(
        "image",
        label,
        carrier="img",
        tools=frozenset({"zoom", "fit"}),
        source=UNSIZED if is_drawing and not has_size(original.beginning) else {},
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

"""Media types: what the sender declared, read with suspicion, and what follows from it."""

import re
from typing import Final

UNKNOWN: Final = "application/octet-stream"
UNTYPED: Final = frozenset(
    {UNKNOWN, "binary/octet-stream", "application/unknown", "application/x-unknown"}
)
ESSENCE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
CHARSET: Final = re.compile(r';\s*charset\s*=\s*"?([\w.:-]{1,40})', re.I)
ALIASES: Final = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "application/x-pdf": "application/pdf",
    "text/x-markdown": "text/markdown",
    "application/csv": "text/csv",
    "text/x-csv": "text/csv",
    "text/json": "application/json",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/x-m4a": "audio/mp4",
    "application/x-zip-compressed": "application/zip",
}
RASTER_IMAGES: Final = frozenset(
    f"image/{form}"
    for form in (
        "png",
        "apng",
        "jpeg",
        "gif",
        "webp",
        "avif",
        "bmp",
        "x-icon",
        "vnd.microsoft.icon",
    )
)
IMAGES: Final = RASTER_IMAGES | {"image/svg+xml"}
# Beside audio and video: what a browser may show by itself under `default-src 'none'; sandbox`.
SHOWN_INLINE: Final = RASTER_IMAGES | {"application/pdf", "text/plain"}
# Types a browser would run. A data: link to them says "just bytes" instead.
ACTIVE: Final = re.compile(r"text/(html|xsl|css)|.*[/+]xml|.*script|.*xhtml.*")
SIGNATURES: Final = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def essence(content_type: str) -> str:
    """`type/subtype` in lower case and by its usual name; octet-stream if it is neither."""
    declared = content_type.partition(";")[0].strip().lower()
    if not ESSENCE.fullmatch(declared):
        return UNKNOWN
    return ALIASES.get(declared, declared)


def charset(content_type: str) -> str | None:
    """The charset parameter, if there is one."""
    found = CHARSET.search(content_type)
    return found.group(1).lower() if found else None


def recognise(first: bytes) -> str:
    """The type that the first bytes of a document speak of."""
    for signature, kind in SIGNATURES:
        if first.startswith(signature):
            return kind
    return _recognise_container(first) or _recognise_text(first)


def is_shown_inline(content_type: str) -> bool:
    """Whether the bare original may be shown by the browser itself (under a sandbox)."""
    kind = essence(content_type)
    return kind in SHOWN_INLINE or kind.startswith(("audio/", "video/"))


def link_type(kind: str, *, is_image: bool = False) -> str:
    """The type a data: URI carries: its own, unless opening it could run something."""
    return kind if is_image or not ACTIVE.fullmatch(kind) else UNKNOWN


def _recognise_container(first: bytes) -> str | None:
    if first[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(first[8:12])
    if first[4:8] == b"ftyp":
        return "image/avif" if first[8:12] in (b"avif", b"avis") else "video/mp4"
    return None


def _recognise_text(first: bytes) -> str:
    return "text/plain" if first and not BINARY.search(first[:4096]) else UNKNOWN

"""Media types: checks the declared type, detects an undeclared one, says how it may be used."""

import re
from typing import Final

UNKNOWN: Final = "application/octet-stream"
UNTYPED: Final = frozenset(
    {UNKNOWN, "binary/octet-stream", "application/unknown", "application/x-unknown"}
)
MEDIA_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
CHARSET: Final = re.compile(r';\s*charset\s*=\s*"?([\w.:-]{1,40})', re.I)
ALIASES: Final = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-bmp": "image/bmp",
    "image/x-ms-bmp": "image/bmp",
    "image/tif": "image/tiff",
    "image/x-tiff": "image/tiff",
    "image/psd": "image/vnd.adobe.photoshop",
    "image/x-psd": "image/vnd.adobe.photoshop",
    "image/x-photoshop": "image/vnd.adobe.photoshop",
    "application/photoshop": "image/vnd.adobe.photoshop",
    "application/x-photoshop": "image/vnd.adobe.photoshop",
    "image/jpeg2000": "image/jp2",
    "image/jpm": "image/jp2",
    "image/tga": "image/x-tga",
    "image/x-targa": "image/x-tga",
    "application/x-pdf": "application/pdf",
    "text/x-markdown": "text/markdown",
    "application/csv": "text/csv",
    "text/x-csv": "text/csv",
    "text/json": "application/json",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/x-m4a": "audio/mp4",
    "application/x-zip-compressed": "application/zip",
    "application/x-gzip": "application/gzip",
    "application/x-tgz": "application/gzip",
    "application/x-gtar": "application/x-tar",
    "application/tar": "application/x-tar",
    "application/bzip2": "application/x-bzip2",
    "application/x-bzip": "application/x-bzip2",
}
OPEN_XML: Final = "application/vnd.openxmlformats-officedocument."
OPEN_DOCUMENT: Final = "application/vnd.oasis.opendocument."
RASTER_IMAGES: Final = frozenset(
    {"image/png", "image/apng", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"}
    | {"image/x-icon", "image/vnd.microsoft.icon"}
)
IMAGES: Final = RASTER_IMAGES | {"image/svg+xml"}
# With audio and video: what a browser may show by itself under `default-src 'none'; sandbox`.
SHOWN_INLINE: Final = RASTER_IMAGES | {"application/pdf", "text/plain"}
# Types that may run scripts when opened; data: URIs declare them as octet-stream.
ACTIVE: Final = re.compile(r"text/(html|xsl|css)|.*[/+]xml|.*script|.*xhtml.*")
SIGNATURES: Final = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"8BPS\0\1", "image/vnd.adobe.photoshop"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (b"\0\0\1\0", "image/x-icon"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
BRANDS: Final = {  # the major brand of an ISO base media file, where it is no video
    **dict.fromkeys((b"avif", b"avis"), "image/avif"),
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1"), "image/heic"),
    b"M4A ": "audio/mp4",
}
BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def canonical_type(content_type: str) -> str:
    """Return `type/subtype` in lower case, aliases replaced; octet-stream if it is malformed."""
    declared = content_type.partition(";")[0].strip().lower()
    if not MEDIA_TYPE.fullmatch(declared):
        return UNKNOWN
    return ALIASES.get(declared, declared)


def charset(content_type: str) -> str | None:
    found = CHARSET.search(content_type)
    return found.group(1).lower() if found else None


def sniff(first: bytes) -> str:
    for signature, media_type in SIGNATURES:
        if first.startswith(signature):
            return media_type
    is_text = first and not BINARY.search(first[:4096])
    return _sniff_container(first) or ("text/plain" if is_text else UNKNOWN)


def is_shown_inline(content_type: str) -> bool:
    """Whether the browser may show the original by itself (under a sandbox)."""
    media_type = canonical_type(content_type)
    return media_type in SHOWN_INLINE or media_type.startswith(("audio/", "video/"))


def data_uri_type(media_type: str, *, is_image: bool = False) -> str:
    """Return the type for a data: URI: its own, unless opening it could run a script."""
    return media_type if is_image or not ACTIVE.fullmatch(media_type) else UNKNOWN


def _sniff_container(first: bytes) -> str | None:
    if first[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(first[8:12])
    if first[4:8] == b"ftyp":
        return BRANDS.get(first[8:12], "video/mp4")
    if first[257:262] == b"ustar":
        return "application/x-tar"
    if first[:2] == b"BM" and first[6:10] == bytes(4):
        return "image/bmp"
    return None

"""Media types: checks the declared one, says how it may be used."""

import re
from functools import lru_cache
from typing import Final

UNKNOWN: Final = "application/octet-stream"
PDF: Final = "application/pdf"
UNTYPED: Final = frozenset(
    {
        UNKNOWN,
        "binary/octet-stream",
        "application/x-octet-stream",
        "application/octetstream",
        "application/binary",
        "application/x-binary",
        "application/unknown",
        "application/x-unknown",
        "application/download",
        "application/x-download",
        "application/force-download",
    }
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
    "image/pcx": "image/x-pcx",
    "image/vnd.zbrush.pcx": "image/x-pcx",
    "image/sgi": "image/x-sgi",
    "image/x-qoi": "image/qoi",
    "image/x-targa": "image/x-tga",
    "application/x-pdf": "application/pdf",
    "text/x-markdown": "text/markdown",
    "application/csv": "text/csv",
    "text/x-csv": "text/csv",
    "text/json": "application/json",
    "text/x-log": "text/plain",
    "image/x-win-bitmap": "image/x-icon",  # a pointer of Windows
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/x-m4a": "audio/mp4",
    "application/x-zip-compressed": "application/zip",
    "application/x-gzip": "application/gzip",
    "application/x-tgz": "application/gzip",
    "application/x-gtar": "application/x-tar",
    "application/tar": "application/x-tar",
    "application/vnd.ms-word": "application/msword",
    "application/mspowerpoint": "application/vnd.ms-powerpoint",
    "application/bzip2": "application/x-bzip2",
    "application/x-bzip": "application/x-bzip2",
}
OPEN_XML: Final = "application/vnd.openxmlformats-officedocument."
OPEN_DOCUMENT: Final = "application/vnd.oasis.opendocument."
RASTER_IMAGES: Final = frozenset(
    {
        "image/png",
        "image/apng",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/avif",
        "image/bmp",
        "image/x-icon",
        "image/vnd.microsoft.icon",
    }
)
IMAGES: Final = RASTER_IMAGES | {"image/svg+xml"}
# With audio and video: what a browser may show by itself under `default-src 'none'; sandbox`.
SHOWN_INLINE: Final = RASTER_IMAGES | {"application/pdf", "text/plain"}
# Types that may run scripts when opened; data: URIs declare them as octet-stream.
ACTIVE: Final = re.compile(r"text/(html|xsl|css)|.*[/+]xml|.*script|.*xhtml.*", re.S)
CODE_TYPE: Final = re.compile(
    r"application/(json|xml|yaml|x-yaml|toml|sql|javascript|ecmascript|typescript|x-sh|x-httpd-php"
    r"|graphql|x-ndjson|x-python|x-ruby|x-perl|x-tex|x-latex|xml-dtd)"
    r"|.*\+(json|xml|yaml)|text/(?!plain$).*"
)
BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@lru_cache(1024)
def canonical_type(content_type: str) -> str:
    """Return `type/subtype` in lower case, aliases replaced; octet-stream if it is malformed."""
    declared = content_type.partition(";")[0].strip().lower()
    if not MEDIA_TYPE.fullmatch(declared):
        return UNKNOWN
    return ALIASES.get(declared, declared)


def is_generic(content_type: str) -> bool:
    """Whether this media type says nothing of a document."""
    return canonical_type(content_type) in UNTYPED


def charset(content_type: str) -> str | None:
    found = CHARSET.search(content_type)
    return found.group(1).lower() if found else None


def is_shown_inline(content_type: str) -> bool:
    """Whether the browser may show the original by itself (under a sandbox)."""
    media_type = canonical_type(content_type)
    return media_type in SHOWN_INLINE or media_type.startswith(("audio/", "video/"))


def data_uri_type(media_type: str, *, is_image: bool = False) -> str:
    """Return the type for a data: URI: its own, unless opening it could run a script."""
    return media_type if is_image or not ACTIVE.fullmatch(media_type) else UNKNOWN

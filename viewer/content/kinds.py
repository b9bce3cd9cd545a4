"""The table of media types: kinds of documents, as people name them, and file-name extensions."""

import mimetypes
from functools import lru_cache
from typing import Final, NamedTuple

from .media_types import ALIASES, OPEN_DOCUMENT, OPEN_XML, UNKNOWN, canonical_type


class Kind(NamedTuple):
    """The name of one document, and the media types with their extensions, the usual one first."""

    name: str
    types: dict[str, str]


KINDS: Final = {  # by the name of several documents
    "PDF": Kind("PDF", {"application/pdf": ".pdf"}),
    "Texts": Kind(
        "Text",
        {
            f"{OPEN_XML}wordprocessingml.document": ".docx",
            f"{OPEN_DOCUMENT}text": ".odt",
            "application/msword": ".doc",
            "application/rtf": ".rtf",
            "application/x-rtf": ".rtf",
            "text/rtf": ".rtf",
            "text/richtext": ".rtx",
            "text/plain": ".txt .log",
            "text/markdown": ".md .markdown",
            "text/html": ".html .htm",
            "application/xhtml+xml": ".xhtml",
            "application/epub+zip": ".epub",
            "application/vnd.apple.pages": ".pages",
            "application/vnd.ms-works": "",
            "application/vnd.wordperfect": ".wpd",
        },
    ),
    "Tables": Kind(
        "Table",
        {
            f"{OPEN_XML}spreadsheetml.sheet": ".xlsx",
            f"{OPEN_DOCUMENT}spreadsheet": ".ods",
            "application/vnd.ms-excel": ".xls",
            "application/vnd.ms-excel.sheet.macroenabled.12": ".xlsm",
            "application/vnd.ms-excel.sheet.binary.macroenabled.12": ".xlsb",
            "text/csv": ".csv",
            "text/tab-separated-values": ".tsv",
            "application/vnd.apple.numbers": ".numbers",
            "application/vnd.sqlite3": ".sqlite .db .sqlite3",
            "application/vnd.apache.parquet": ".parquet",
        },
    ),
    "Code": Kind(
        "Code",
        {
            "application/json": ".json .har .map",
            "application/ld+json": ".jsonld",
            "application/x-ipynb+json": ".ipynb",
            "application/sql": ".sql",
            "application/xml": ".xml",
            "text/xml": ".xml",
            "application/toml": ".toml",
            "application/yaml": ".yaml .yml",
            "text/yaml": ".yaml",
            "text/javascript": ".js .mjs",
            "application/javascript": ".js",
            "text/css": ".css",
            "text/x-c": ".c .h",
            "text/x-java": ".java",
            "text/x-php": ".php",
            "application/x-php": ".php",
            "text/x-python": ".py",
            "text/x-shellscript": ".sh",
            "application/x-sh": ".sh",
        },
    ),
    "Slides": Kind(
        "Slides",
        {
            f"{OPEN_XML}presentationml.presentation": ".pptx",
            f"{OPEN_DOCUMENT}presentation": ".odp",
            "application/vnd.ms-powerpoint": ".ppt .pps",
            "application/vnd.apple.keynote": ".key",
        },
    ),
    "Pictures": Kind(
        "Picture",
        {
            "image/png": ".png",
            "image/jpeg": ".jpg .jpeg .jpe",
            "image/gif": ".gif",
            "image/webp": ".webp",
            "image/avif": ".avif",
            "image/svg+xml": ".svg",
            "image/svg+xml-compressed": ".svgz",
            "image/heic": ".heic",
            "image/heif": ".heif",
            "image/heic-sequence": "",
            "image/heif-sequence": "",
            "image/tiff": ".tiff .tif",
            "image/bmp": ".bmp",
            "image/jp2": ".jp2 .j2k",
            "image/jpx": "",
            "image/apng": "",
            "image/vnd.microsoft.icon": ".ico",
            "image/x-icon": ".ico",
            "image/icns": ".icns",
            "image/vnd.adobe.photoshop": ".psd",
            "image/x-xcf": ".xcf",
            "image/vnd.djvu": ".djvu",
            "image/vnd-ms.dds": ".dds",
            "image/x-tga": ".tga",
            "image/x-portable-anymap": ".pnm",
            "image/x-portable-bitmap": ".pbm",
            "image/x-portable-graymap": ".pgm",
            "image/x-portable-pixmap": ".ppm",
            "image/x-pcx": "",
            "image/x-sgi": "",
            "image/qoi": "",
        },
    ),
    "E-mails": Kind(
        "E-mail",
        {
            "message/rfc822": ".eml .mht .mhtml",
            "application/vnd.ms-outlook": ".msg",
            "application/mbox": ".mbox",
            "application/ms-tnef": "",
            "application/vnd.ms-tnef": "",
        },
    ),
    "Audio and video": Kind(
        "Recording",
        {
            "audio/mpeg": ".mp3 .mp2",
            "audio/mp4": ".m4a",
            "audio/ogg": ".ogg .oga .opus",
            "audio/wav": ".wav",
            "audio/flac": ".flac",
            "audio/webm": ".weba",
            "audio/aac": ".aac",
            "video/mp4": ".mp4",
            "video/webm": ".webm",
            "video/ogg": ".ogv",
            "video/quicktime": ".mov .qt",
            "video/mpeg": ".mpeg .mpg",
            "video/mp2t": ".ts .m2ts .mts",
            "video/x-matroska": ".mkv",
            "video/x-msvideo": ".avi",
        },
    ),
    "Archives": Kind(
        "Archive",
        {
            "application/zip": ".zip",
            "application/gzip": ".gz .tgz",
            "application/x-tar": ".tar",
            "application/x-bzip2": ".bz2",
            "application/x-xz": ".xz",
            "application/x-7z-compressed": ".7z",
            "application/vnd.rar": ".rar",
            "application/x-archive": "",
            "application/vnd.debian.binary-package": ".deb",
            "application/java-archive": ".jar",
        },
    ),
}
OTHERS: Final = Kind(
    "File",
    {
        "text/calendar": ".ics .ifb",
        "text/vcard": ".vcf",
        "text/vtt": ".vtt",
        "application/x-subrip": ".srt",
        "application/geo+json": ".geojson",
        "application/gpx+xml": ".gpx",
        "application/vnd.google-earth.kml+xml": ".kml",
        "application/vnd.google-earth.kmz": ".kmz",
        "application/vnd.ms-visio.drawing": ".vsdx",
        "application/vnd.visio": ".vsd",
        "application/x-mspublisher": ".pub",
        f"{OPEN_DOCUMENT}graphics": ".odg",
        "font/collection": ".ttc",
        "font/otf": ".otf",
        "font/ttf": ".ttf",
        "font/woff": ".woff",
        "font/woff2": ".woff2",
        "video/3gpp": ".3gp",
    },
)
STANDARD: Final = mimetypes.MimeTypes()  # Python's own table, not the machine's
EXTENSIONS: Final = {
    media_type: extensions.split()
    for kind in (*KINDS.values(), OTHERS)
    for media_type, extensions in kind.types.items()
}
EXTENSIONS_OF_KINDS: Final = {  # without their dots, by the name of a kind
    kind.name: " ".join(kind.types.values()).replace(".", "").split() for kind in KINDS.values()
}
NAMES: Final = {media_type: kind.name for kind in KINDS.values() for media_type in kind.types}


def _types_of_extensions() -> dict[str, str]:
    types: dict[str, str] = {}
    for media_type, extensions in EXTENSIONS.items():
        for extension in extensions:
            types.setdefault(extension, media_type)
    return STANDARD.types_map[True] | types


TYPES: Final = _types_of_extensions()


@lru_cache(1024)  # with that of `canonical_type`, a list of 50 takes 0.96 of the time
def usual_extension(media_type: str) -> str:
    """Return the file-name extension with its dot; an empty string for an unknown type."""
    canonical = canonical_type(media_type)
    extensions = EXTENSIONS.get(canonical)
    if extensions:
        return extensions[0]
    return STANDARD.guess_extension(canonical) or ""


def type_of_name(name: str) -> str:
    """Return the media type that a file name's extension says; an empty string if it says none."""
    _, dot, extension = name.rpartition(".")
    return TYPES.get(f".{extension.lower()}", "") if dot else ""


def kind_of(media_type: str, name: str = "") -> str:
    """Return the kind of a document: by its media type or, if that says nothing, by its name."""
    known = type_of_name(name) if media_type == UNKNOWN else canonical_type(media_type)
    return NAMES.get(known, OTHERS.name)


def media_types_of(plural: str) -> str | None:
    """Return the media types of a kind, with spaces between and around them; None if unknown."""
    kind = KINDS.get(plural)
    if kind is None:
        return None
    aliases = [alias for alias, canonical in ALIASES.items() if canonical in kind.types]
    return f" {' '.join([*kind.types, *aliases])} "

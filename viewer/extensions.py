"""Types and file-name endings: the usual ending of a type, the short word for a badge."""

from typing import Final

from viewer.media_types import essence

OPEN_XML: Final = "application/vnd.openxmlformats-officedocument."
OPEN_DOCUMENT: Final = "application/vnd.oasis.opendocument."
ENDINGS: Final = {
    "application/pdf": "pdf",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/html": "html",
    "application/xhtml+xml": "xhtml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/json": "json",
    "application/ld+json": "jsonld",
    "message/rfc822": "eml",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/svg+xml": "svg",
    "image/x-icon": "ico",
    "image/vnd.microsoft.icon": "ico",
    "image/tiff": "tiff",
    OPEN_XML + "wordprocessingml.document": "docx",
    OPEN_XML + "spreadsheetml.sheet": "xlsx",
    OPEN_XML + "presentationml.presentation": "pptx",
    OPEN_DOCUMENT + "text": "odt",
    OPEN_DOCUMENT + "spreadsheet": "ods",
    OPEN_DOCUMENT + "presentation": "odp",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/rtf": "rtf",
    "application/epub+zip": "epub",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/wav": "wav",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "audio/webm": "weba",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/ogg": "ogv",
    "video/quicktime": "mov",
    "application/zip": "zip",
    "application/gzip": "gz",
    "application/x-tar": "tar",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/yaml": "yaml",
    "text/yaml": "yaml",
    "application/toml": "toml",
    "application/sql": "sql",
    "text/css": "css",
    "text/javascript": "js",
    "application/javascript": "js",
    "text/x-python": "py",
    "text/x-c": "c",
    "text/x-java": "java",
    "text/x-shellscript": "sh",
    "text/calendar": "ics",
    "text/vcard": "vcf",
}


def extension(content_type: str) -> str:
    """The usual ending of a type, with its dot; `.bin` where there is none."""
    return "." + ENDINGS.get(essence(content_type), "bin")


def ending(name: str) -> str:
    """A file name's ending in lower case, without the dot."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def badge(name: str, kind: str) -> str:
    """At most four characters that say what kind of file this is."""
    own = ending(name)
    return own if 0 < len(own) <= 4 and own.isalnum() and own.isascii() else kind[:4]

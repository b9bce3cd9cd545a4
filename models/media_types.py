"""Media types: their essence, and the file-name extension that is usual for each."""

import mimetypes

_STANDARD = mimetypes.MimeTypes()  # Python's own table: the same on every machine
_ADDED = {
    "application/epub+zip": ".epub",
    "application/gzip": ".gz",
    "application/ld+json": ".jsonld",
    "application/rtf": ".rtf",
    "application/sql": ".sql",
    "application/toml": ".toml",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/csv": ".csv",
    "application/x-pdf": ".pdf",
    "application/x-bzip2": ".bz2",
    "application/x-xz": ".xz",
    "application/x-zip-compressed": ".zip",
    "application/xhtml+xml": ".xhtml",
    "application/xml": ".xml",
    "application/yaml": ".yaml",
    "audio/flac": ".flac",
    "audio/mp3": ".mp3",
    "audio/mp4": ".m4a",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".weba",
    "audio/x-m4a": ".m4a",
    "image/avif": ".avif",
    "image/heic": ".heic",
    "image/heif": ".heif",
    "image/jp2": ".jp2",
    "image/jpg": ".jpg",
    "image/pjpeg": ".jpg",
    "image/vnd.adobe.photoshop": ".psd",
    "image/webp": ".webp",
    "image/x-icon": ".ico",
    "image/x-png": ".png",
    "image/x-tga": ".tga",
    "text/calendar": ".ics",
    "text/javascript": ".js",
    "text/json": ".json",
    "text/markdown": ".md",
    "text/vcard": ".vcf",
    "text/x-c": ".c",
    "text/x-csv": ".csv",
    "text/x-java": ".java",
    "text/x-markdown": ".md",
    "text/x-shellscript": ".sh",
    "text/yaml": ".yaml",
    "video/ogg": ".ogv",
}


def essence(content_type: str) -> str:
    """Return the media type in lower case without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def usual_extension(media_type: str) -> str:
    """Return the file-name extension with its dot; an empty string for an unknown type."""
    return _ADDED.get(media_type) or _STANDARD.guess_extension(media_type) or ""

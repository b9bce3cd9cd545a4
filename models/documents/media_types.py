"""Media types: their essence, the file-name extension usual for each and the type of each
extension; and the kinds of documents, as people name them: to filter a list, and to say what a file
is.
"""

import mimetypes

_STANDARD = mimetypes.MimeTypes()  # Python's own table, not that of the machine
_ADDED = {
    "application/epub+zip": ".epub",
    "application/gzip": ".gz",
    "application/ld+json": ".jsonld",
    "application/mbox": ".mbox",
    "application/rtf": ".rtf",
    "application/sql": ".sql",
    "application/toml": ".toml",
    "application/vnd.debian.binary-package": ".deb",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": ".xlsb",
    "application/vnd.ms-excel.sheet.macroenabled.12": ".xlsm",
    "application/gpx+xml": ".gpx",
    "application/vnd.apache.parquet": ".parquet",
    "application/vnd.apple.keynote": ".key",
    "application/vnd.apple.numbers": ".numbers",
    "application/vnd.apple.pages": ".pages",
    "application/vnd.google-earth.kml+xml": ".kml",
    "application/vnd.google-earth.kmz": ".kmz",
    "application/vnd.ms-outlook": ".msg",
    "application/vnd.ms-visio.drawing": ".vsdx",
    "application/vnd.oasis.opendocument.graphics": ".odg",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.rar": ".rar",
    "application/vnd.sqlite3": ".sqlite",
    "application/vnd.visio": ".vsd",
    "application/vnd.wordperfect": ".wpd",
    "application/x-7z-compressed": ".7z",
    "application/x-bzip2": ".bz2",
    "application/x-xz": ".xz",
    "application/x-ipynb+json": ".ipynb",
    "application/xhtml+xml": ".xhtml",
    "application/xml": ".xml",
    "application/yaml": ".yaml",
    "audio/aac": ".aac",
    "audio/flac": ".flac",
    "audio/mp4": ".m4a",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".weba",
    "application/x-subrip": ".srt",
    "font/collection": ".ttc",
    "font/otf": ".otf",
    "font/ttf": ".ttf",
    "font/woff": ".woff",
    "font/woff2": ".woff2",
    "image/avif": ".avif",
    "image/heic": ".heic",
    "image/heif": ".heif",
    "image/icns": ".icns",
    "image/jp2": ".jp2",
    "image/svg+xml-compressed": ".svgz",
    "image/vnd-ms.dds": ".dds",
    "image/vnd.djvu": ".djvu",
    "image/x-xcf": ".xcf",
    "image/vnd.adobe.photoshop": ".psd",
    "image/webp": ".webp",
    "image/x-tga": ".tga",
    "text/calendar": ".ics",
    "text/javascript": ".js",
    "text/markdown": ".md",
    "text/vcard": ".vcf",
    "text/vtt": ".vtt",
    "text/x-c": ".c",
    "text/x-java": ".java",
    "text/x-shellscript": ".sh",
    "video/mp2t": ".ts",
    "video/ogg": ".ogv",
    "video/x-matroska": ".mkv",
}
_OTHER_NAMES = {
    "application/csv": ".csv",
    "application/javascript": ".js",
    "application/x-php": ".php",
    "application/x-pdf": ".pdf",
    "application/x-zip-compressed": ".zip",
    "audio/mp3": ".mp3",
    "audio/x-m4a": ".m4a",
    "image/jpg": ".jpg",
    "image/pjpeg": ".jpg",
    "image/x-icon": ".ico",
    "image/x-png": ".png",
    "text/json": ".json",
    "text/x-csv": ".csv",
    "text/x-markdown": ".md",
    "text/yaml": ".yaml",
}
_FURTHER_EXTENSIONS = {
    ".3gp": "video/3gpp",
    ".db": "application/vnd.sqlite3",
    ".geojson": "application/geo+json",
    ".h": "text/x-c",
    ".har": "application/json",
    ".j2k": "image/jp2",
    ".log": "text/plain",
    ".m2ts": "video/mp2t",
    ".map": "application/json",
    ".markdown": "text/markdown",
    ".mjs": "text/javascript",
    ".mts": "video/mp2t",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
    ".php": "text/x-php",
    ".sqlite3": "application/vnd.sqlite3",
    ".tgz": "application/gzip",
    ".yml": "application/yaml",
}
_TYPES = (
    _STANDARD.types_map[True]
    | {extension: media_type for media_type, extension in _ADDED.items()}
    | _FURTHER_EXTENSIONS
)
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
KINDS = {  # in the plural -> in the singular, and the media types
    "PDF": ("PDF", "application/pdf application/x-pdf"),
    "Texts": (
        *("Text", f"{_OFFICE}.wordprocessingml.document {_OPEN}.text application/msword"),
        "application/rtf application/x-rtf text/rtf text/richtext text/plain text/markdown",
        "text/x-markdown text/html application/xhtml+xml application/epub+zip",
        "application/vnd.apple.pages application/vnd.ms-works application/vnd.wordperfect",
    ),
    "Tables": (
        *("Table", f"{_OFFICE}.spreadsheetml.sheet {_OPEN}.spreadsheet application/vnd.ms-excel"),
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        "text/csv text/tab-separated-values application/csv application/vnd.apple.numbers",
        "application/vnd.sqlite3 application/vnd.apache.parquet",
    ),
    "Code": (
        *("Code", "application/json application/ld+json application/x-ipynb+json application/sql"),
        "application/xml text/xml application/toml application/yaml text/yaml text/javascript",
        "application/javascript text/css text/x-c text/x-java text/x-php application/x-php",
        "text/x-python text/x-shellscript application/x-sh",
    ),
    "Slides": (
        *("Slides", f"{_OFFICE}.presentationml.presentation {_OPEN}.presentation"),
        "application/vnd.ms-powerpoint application/vnd.apple.keynote",
    ),
    "Pictures": (
        *("Picture", "image/png image/jpeg image/gif image/webp image/avif image/svg+xml"),
        "image/heic image/heif image/heic-sequence image/heif-sequence image/tiff image/bmp",
        "image/jp2 image/jpx image/apng image/x-icon image/vnd.microsoft.icon image/icns",
        "image/vnd.adobe.photoshop image/x-xcf image/vnd.djvu image/vnd-ms.dds image/x-tga",
        "image/svg+xml-compressed image/x-portable-anymap image/x-portable-bitmap image/qoi",
        "image/x-portable-graymap image/x-portable-pixmap image/x-pcx image/x-sgi",
    ),
    "E-mails": ("E-mail", "message/rfc822 application/vnd.ms-outlook application/mbox"),
    "Audio and video": (
        *("Recording", "audio/mpeg audio/mp4 audio/ogg audio/wav audio/flac audio/webm"),
        "audio/aac audio/mp3 audio/x-m4a audio/x-wav video/mp4 video/webm video/ogg",
        "video/quicktime video/mpeg video/mp2t video/x-matroska video/x-msvideo",
    ),
    "Archives": (
        *("Archive", "application/zip application/gzip application/x-tar application/x-bzip2"),
        "application/x-xz application/x-7z-compressed application/vnd.rar application/x-archive",
        "application/vnd.debian.binary-package application/java-archive",
    ),
}
_NAMES = {type: name for name, *types in KINDS.values() for type in " ".join(types).split()}


def essence(content_type: str) -> str:
    """Return the media type in lower case without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def usual_extension(media_type: str) -> str:
    """Return the file-name extension with its dot; an empty string for an unknown type."""
    known = _ADDED.get(media_type) or _OTHER_NAMES.get(media_type)
    return known or _STANDARD.guess_extension(media_type) or ""


def type_of_name(name: str) -> str:
    """Return the media type that a file name's extension says; an empty string if it says none."""
    _, dot, extension = name.rpartition(".")
    return _TYPES.get(f".{extension.lower()}", "") if dot else ""


def kind_of(media_type: str, name: str = "") -> str:
    """What people call it: by its media type or, if that says nothing, by its name."""
    says_nothing = media_type == "application/octet-stream"
    return _NAMES.get(type_of_name(name) if says_nothing else media_type, "File")


def media_types_of(kind: str) -> str | None:
    """The media types of a kind, with spaces between and around them; None if it is unknown."""
    _, *types = KINDS.get(kind, ("",))
    return f" {' '.join(types)} " if types else None

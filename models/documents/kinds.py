"""Kinds of documents, as people name them: to filter a list, and to say what a file is."""

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
KINDS = {  # in the plural -> in the singular, and the media types
    "PDF": ("PDF", "application/pdf application/x-pdf"),
    "Texts": (
        *("Text", f"{_OFFICE}.wordprocessingml.document {_OPEN}.text application/msword"),
        "application/rtf text/plain text/markdown text/x-markdown text/html",
    ),
    "Tables": (
        *("Table", f"{_OFFICE}.spreadsheetml.sheet {_OPEN}.spreadsheet application/vnd.ms-excel"),
        "text/csv text/tab-separated-values application/csv",
    ),
    "Slides": (
        *("Slides", f"{_OFFICE}.presentationml.presentation {_OPEN}.presentation"),
        "application/vnd.ms-powerpoint",
    ),
    "Pictures": (
        *("Picture", "image/png image/jpeg image/gif image/webp image/avif image/svg+xml"),
        "image/heic image/heif image/tiff image/bmp",
    ),
    "E-mails": ("E-mail", "message/rfc822 application/vnd.ms-outlook"),
    "Audio and video": (
        *("Recording", "audio/mpeg audio/mp4 audio/ogg audio/wav audio/flac audio/webm"),
        "video/mp4 video/webm video/ogg video/quicktime",
    ),
    "Archives": ("Archive", "application/zip application/gzip application/x-tar"),
}
_NAMES = {type: one for one, *types in KINDS.values() for type in " ".join(types).split()}


def kind_of(media_type: str) -> str:
    return _NAMES.get(media_type, "File")


def media_types(kind: str) -> str | None:
    """The media types of a kind, with spaces between and around them; None if it is unknown."""
    _, *types = KINDS.get(kind, ("",))
    return f" {' '.join(types)} " if types else None

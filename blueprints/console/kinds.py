"""Kinds of documents, as people name them: to filter a list, and to say what a file is."""

from typing import NamedTuple

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_POWERPOINT = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_OPEN = "application/vnd.oasis.opendocument"


class Kind(NamedTuple):
    """In the singular, in the plural, and the media types with spaces between."""

    one: str
    many: str
    media_types: str


KINDS = {
    "pdf": Kind("PDF", "PDF", "application/pdf application/x-pdf"),
    "text": Kind(
        *("Text", "Texts"),
        f"{_WORD} {_OPEN}.text application/msword application/rtf text/plain text/markdown "
        "text/x-markdown text/html",
    ),
    "table": Kind(
        *("Table", "Tables"),
        f"{_EXCEL} {_OPEN}.spreadsheet application/vnd.ms-excel text/csv "
        "text/tab-separated-values application/csv",
    ),
    "slides": Kind(
        *("Slides", "Slides"),
        f"{_POWERPOINT} {_OPEN}.presentation application/vnd.ms-powerpoint",
    ),
    "picture": Kind(
        *("Picture", "Pictures"),
        "image/png image/jpeg image/gif image/webp image/avif image/svg+xml image/heic image/tiff "
        "image/bmp",
    ),
    "mail": Kind("E-mail", "E-mails", "message/rfc822 application/vnd.ms-outlook"),
    "media": Kind(
        *("Recording", "Audio and video"),
        "audio/mpeg audio/mp4 audio/ogg audio/wav audio/flac audio/webm video/mp4 video/webm "
        "video/ogg video/quicktime",
    ),
    "archive": Kind("Archive", "Archives", "application/zip application/gzip application/x-tar"),
}
_NAMES = {type: kind.one for kind in KINDS.values() for type in kind.media_types.split()}


def kind_of(media_type: str) -> str:
    return _NAMES.get(media_type, "File")

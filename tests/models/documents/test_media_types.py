"""models/documents/media_types.py"""

import pytest

from models.documents import kind_of, type_of_name
from models.documents.media_types import essence, usual_extension

EXTENSIONS = {
    "application/csv": ".csv",
    "application/epub+zip": ".epub",
    "application/gzip": ".gz",
    "application/javascript": ".js",
    "application/json": ".json",
    "application/ld+json": ".jsonld",
    "application/msword": ".doc",
    "application/octet-stream": ".bin",
    "application/pdf": ".pdf",
    "application/postscript": ".ps",
    "application/rtf": ".rtf",
    "application/sql": ".sql",
    "application/toml": ".toml",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-powerpoint": ".ppt",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/x-pdf": ".pdf",
    "application/x-sh": ".sh",
    "application/x-tar": ".tar",
    "application/x-zip-compressed": ".zip",
    "application/xhtml+xml": ".xhtml",
    "application/xml": ".xml",
    "application/yaml": ".yaml",
    "application/zip": ".zip",
    "audio/aac": ".aac",
    "audio/flac": ".flac",
    "audio/mp3": ".mp3",
    "audio/mp4": ".m4a",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".weba",
    "audio/x-m4a": ".m4a",
    "audio/x-wav": ".wav",
    "image/avif": ".avif",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/heic": ".heic",
    "image/jpeg": ".jpg",
    "image/jpg": ".jpg",
    "image/pjpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/tiff": ".tiff",
    "image/vnd.microsoft.icon": ".ico",
    "image/webp": ".webp",
    "image/x-icon": ".ico",
    "image/x-png": ".png",
    "message/rfc822": ".eml",
    "text/calendar": ".ics",
    "text/css": ".css",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/javascript": ".js",
    "text/json": ".json",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/tab-separated-values": ".tsv",
    "text/vcard": ".vcf",
    "text/vtt": ".vtt",
    "text/x-c": ".c",
    "text/x-csv": ".csv",
    "text/x-java": ".java",
    "text/x-markdown": ".md",
    "text/x-python": ".py",
    "text/x-shellscript": ".sh",
    "text/xml": ".xml",
    "text/yaml": ".yaml",
    "video/mp4": ".mp4",
    "video/mpeg": ".mpeg",
    "video/ogg": ".ogv",
    "video/quicktime": ".mov",
    "video/webm": ".webm",
    "video/x-msvideo": ".avi",
}


def test_a_media_type_has_its_usual_extension():
    assert {media_type: usual_extension(media_type) for media_type in EXTENSIONS} == EXTENSIONS


def test_an_unknown_type_has_no_extension():
    assert usual_extension("application/x-nobody-knows") == ""


def test_the_essence_is_the_type_in_lower_case_without_parameters():
    assert essence(" Text/HTML ; charset=UTF-8") == "text/html"


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("report.pdf", "application/pdf"),
        ("REPORT.PDF", "application/pdf"),
        ("archive.tar.gz", "application/gzip"),
        ("photo.jpeg", "image/jpeg"),
        ("photo.jpg", "image/jpeg"),
        ("data.csv", "text/csv"),
        ("data.yml", "application/yaml"),
        ("data.xml", "application/xml"),
        ("song.mp3", "audio/mpeg"),
        ("script.mjs", "text/javascript"),
        ("Makefile", ""),
        ("a.nobody-knows", ""),
        ("pdf", ""),
        ("", ""),
        (".", ""),
    ],
)
def test_a_name_says_a_type_by_its_extension(name, media_type):
    assert type_of_name(name) == media_type


def test_the_type_of_an_extension_has_this_as_its_usual_one():
    for extension in EXTENSIONS.values():
        assert usual_extension(type_of_name("a" + extension)) == extension


def test_bytes_of_no_type_are_of_the_kind_that_their_name_says():
    assert kind_of("application/octet-stream", "a.pdf") == kind_of("application/pdf") == "PDF"
    assert kind_of("application/octet-stream", "a.unknown") == "File"
    assert kind_of("text/plain", "a.pdf") == kind_of("text/plain")

"""viewer/content/kinds.py"""

import re

from viewer.content import kinds
from viewer.content.kinds import kind_of, media_types_of, type_of_name, usual_extension
from viewer.rendering.registry import BY_TYPE

EXTENSIONS = {  # in Python's table, which may be another in its next version
    "application/json": ".json",
    "application/msword": ".doc",
    "application/octet-stream": ".bin",
    "application/pdf": ".pdf",
    "application/postscript": ".ps",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-powerpoint": ".ppt",
    "application/x-sh": ".sh",
    "application/x-tar": ".tar",
    "application/zip": ".zip",
    "audio/mpeg": ".mp3",
    "audio/x-wav": ".wav",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/tiff": ".tiff",
    "image/vnd.microsoft.icon": ".ico",
    "message/rfc822": ".eml",
    "text/css": ".css",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/plain": ".txt",
    "text/tab-separated-values": ".tsv",
    "text/x-python": ".py",
    "text/xml": ".xml",
    "video/mp4": ".mp4",
    "video/mpeg": ".mpeg",
    "video/quicktime": ".mov",
    "video/webm": ".webm",
    "video/x-msvideo": ".avi",
}


def test_a_media_type_has_its_usual_extension():
    assert {media_type: usual_extension(media_type) for media_type in EXTENSIONS} == EXTENSIONS


def test_an_unknown_type_has_no_extension():
    assert usual_extension("application/x-nobody-knows") == ""


def test_a_name_says_a_type_by_its_extension():
    types = {
        "report.pdf": "application/pdf",
        "REPORT.PDF": "application/pdf",
        "archive.tar.gz": "application/gzip",
        "photo.jpeg": "image/jpeg",
        "photo.jpg": "image/jpeg",
        "data.csv": "text/csv",
        "data.yml": "application/yaml",
        "data.xml": "application/xml",
        "song.mp3": "audio/mpeg",
        "script.mjs": "text/javascript",
    }
    types |= dict.fromkeys(("Makefile", "a.nobody-knows", "pdf", "", "."), "")
    for name, media_type in types.items():
        assert type_of_name(name) == media_type, name


def test_the_type_of_an_extension_has_this_as_its_usual_one():
    usual = [extensions[0] for extensions in kinds.EXTENSIONS.values() if extensions]
    for extension in (*EXTENSIONS.values(), *usual):
        assert usual_extension(type_of_name("a" + extension)) == extension


def test_what_the_viewer_shows_has_a_kind_unless_it_is_rare():
    """By its kind a list of documents is filtered; each of these is called a file."""
    rare = r"font|\bapplication/x-ole|calendar|vcard|directory|subrip|srt|vtt|gpx|google-earth"
    rare += r"|visio|mspublisher|postscript"
    nameless = {one for one in BY_TYPE if kind_of(one) == "File"}

    assert [one for one in nameless if not re.search(rare, one)] == []


def test_bytes_of_no_type_are_of_the_kind_that_their_name_says():
    assert kind_of("application/octet-stream", "a.pdf") == kind_of("application/pdf") == "PDF"
    assert kind_of("application/octet-stream", "a.unknown") == "File"
    assert kind_of("text/plain", "a.pdf") == kind_of("text/plain")


def test_other_names_of_a_type_are_of_its_kind_and_have_its_extension():
    assert kind_of("image/pjpeg") == "Picture"
    assert usual_extension("image/pjpeg") == ".jpg"
    assert " image/pjpeg " in media_types_of("Pictures")


def test_an_unknown_kind_has_no_media_types():
    assert media_types_of("Nothing") is None

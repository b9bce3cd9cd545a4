"""viewer/content/detection.py"""

import io
import zipfile

import pytest

from viewer.content.detection import FIRST_BYTES, contradicts, detect, shown_type
from viewer.content.kinds import type_of_name
from viewer.tests import samples

OPEN_XML = "application/vnd.openxmlformats-officedocument."
UNKNOWN = "application/octet-stream"
BINARY = bytes(range(256))


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"%PDF-1.4", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"II*\0\x08", "image/tiff"),
        (b"8BPS\0\1", "image/vnd.adobe.photoshop"),
        (b"\0\0\1\0\1\0", "image/x-icon"),
        (b"BM\x36\0\0\0\0\0\0\0", "image/bmp"),
        (b"BMW and other words", "text/plain"),
        (bytes(257) + b"ustar", "application/x-tar"),
        (b"0000ftypheic", "image/heic"),
        (b"RIFF0000WEBP", "image/webp"),
        (b"RIFF0000WAVE", "audio/wav"),
        (b"RIFF0000AVI LIST", "video/x-msvideo"),
        (b"0000ftypavif", "image/avif"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heic"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "image/heic"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf", "image/avif"),
        (b"\0\0\0\x14ftypmif1\0\0\0\0mif1", "image/heif"),
        (b"0000ftypisom", "video/mp4"),
        (b"0000ftypM4A ", "audio/mp4"),
        (b"0000ftypqt  ", "video/quicktime"),
        (b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "video/webm"),
        (b"\x1aE\xdf\xa3\xa3B\x86\x81\x01B\x82\x88matroska", "video/x-matroska"),
        (b"OggS\0\x02" + bytes(22) + b"\x01\x1e\x01vorbis", "audio/ogg"),
        (b"OggS\0\x02" + bytes(22) + b"\x01\x2a\x80theora", "video/ogg"),
        (b"ID3\x04\0", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"fLaC\0", "audio/flac"),
        (b"\x1f\x8b\x08\0", "application/gzip"),
        (b"!<arch>\ndebian-binary   ", "application/vnd.debian.binary-package"),
        (b"!<arch>\na.o/", "application/x-archive"),
        (b"7z\xbc\xaf\x27\x1c\0", "application/x-7z-compressed"),
        (b"SQLite format 3\0\x10\0", "application/vnd.sqlite3"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
        (b"\0\0\2\0\1\0  \x10\0", "image/x-icon"),
        (b"\xff\xd8\xff\xf7\0\x11", "image/jls"),
        (b"{\\rtf1", "application/rtf"),
        (b"SIMPLE  =                    T", "application/fits"),
        (b"\xc5\xd0\xd3\xc6\x20", "application/postscript"),
        (b"just words", "text/plain"),
        ("\ufeffwords".encode("utf-16"), "text/plain"),
        ("Gr\u00fc\u00dfe".encode("latin-1"), "text/plain"),
        (b"<html><script>", "text/plain"),
        (b'<?xml version="1.0"?><kml/>', "application/xml"),
        (b'\xef\xbb\xbf<?xml version="1.0"?><gpx/>', "application/xml"),
        (b"\x00\x01", UNKNOWN),
        (b"", UNKNOWN),
    ],
)
def test_a_type_is_detected_by_the_first_bytes(first, kind):
    assert detect("", first) == kind


@pytest.mark.parametrize(
    ("name", "first", "kind"),
    [
        ("notes.md", b"# Title", "text/markdown"),
        ("sales.CSV", b"a,b", "text/csv"),
        ("data.json", b"{}", "application/json"),
        ("page.html", b"<p>", "text/html"),
        ("logo.svg", b"<svg/>", "image/svg+xml"),
        ("letter.eml", b"From: a@b", "message/rfc822"),
        ("script.py", b"print()", "text/x-python"),
        ("run.sh", b"#!/bin/sh", "text/x-shellscript"),
        ("index.php", b"<?php", "text/x-php"),
        ("conf.yml", b"a: 1", "application/yaml"),
        ("app.ts", b"const a = 1", "text/plain"),
        ("Makefile", b"all:", "text/plain"),
        ("id3.txt", b"ID3 tags are explained here", "text/plain"),
        ("export.csv", "a;b".encode("utf-16-le"), "text/csv"),
        ("empty.csv", b"", "text/csv"),
        ("report.docx", b"some words", "text/plain"),
        ("report.pdf", b"some words", "text/plain"),
        ("sales.csv", BINARY, UNKNOWN),
        ("report.pdf", BINARY, UNKNOWN),
        ("photo.png", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("page.html", b"%PDF-1.7\n\0", "application/pdf"),
        ("page.html", b"\x89PNG\r\n\x1a\n\0", "image/png"),
        ("old.mov", b"\0\0\0\x08wide\0\0", "video/quicktime"),
        ("clip.ts", b"G@\0\x10\0", "video/mp2t"),
        ("prices.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/vnd.ms-excel"),
        ("talk.m4a", b"\0\0\0\x18ftypisom\0", "audio/mp4"),
        ("page.html", b"PK\x03\x04", "application/zip"),
        ("dots.ppm", b"P6\n2 1\n255\nabcdef", "image/x-portable-pixmap"),
        ("phone.3gp", b"\0\0\0\x18ftyp3gp5\0", "video/3gpp"),
        ("model", b"\xff\xfe\xff\x0e" + "a\0b".encode("utf-16-le"), UNKNOWN),
        ("words", b"\xff\xfe" + "words".encode("utf-16-le"), "text/plain"),
        ("raw", b"\0\0\0\x18ftypcrx ", "image/x-canon-cr3"),
        ("film", b"OggS" + bytes(24) + b"\x01video\0", "video/ogg"),
    ],
)
def test_a_name_counts_where_the_first_bytes_do_not_contradict_it(name, first, kind):
    assert detect(type_of_name(name), first) == kind


def archive(*entries):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as file:
        for name, content in entries:
            file.writestr(name, content)
    return raw.getvalue()


OFFICE = {
    name: (media_type, data)
    for name, media_type, data in samples.every_kind()
    if "officedocument" in media_type or "opendocument" in media_type
}


@pytest.mark.parametrize("name", OFFICE)
def test_an_office_file_is_detected_by_its_name(name):
    media_type, data = OFFICE[name]

    assert detect(type_of_name(name), data[:FIRST_BYTES]) == media_type


@pytest.mark.parametrize(
    ("entries", "kind"),
    [
        ([("[Content_Types].xml", ""), ("word/document.xml", "")], "wordprocessingml.document"),
        ([("[Content_Types].xml", ""), ("xl/workbook.xml", "")], "spreadsheetml.sheet"),
        ([("[Content_Types].xml", ""), ("ppt/slides/1.xml", "")], "presentationml.presentation"),
    ],
)
def test_an_office_file_without_a_name_is_detected_by_its_entries(entries, kind):
    assert detect("", archive(*entries)) == OPEN_XML + kind


def test_a_page_that_is_named_like_a_document_is_one():
    archived = b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
    kinds = {b"<html><p>x": "text/html", archived: "message/rfc822", b"words": "text/plain"}

    assert {first: detect("application/msword", first) for first in kinds} == kinds
    assert detect("", b"<html><p>x") == "text/plain"


def test_a_binary_workbook_is_none_of_xml():
    binary = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
    first = archive(("[Content_Types].xml", ""), ("xl/workbook.bin", ""))

    assert detect(type_of_name("a.xlsb"), first) == binary
    assert not contradicts(binary, first)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
        ("application/epub+zip", "application/epub+zip"),
        ("text/html", "application/zip"),
        ("application/vnd.oasis.opendocument.<script>", "application/zip"),
        ("\xff", "application/zip"),
    ],
)
def test_an_archive_that_names_its_type_has_it_if_it_is_known(content, kind):
    assert detect("", archive(("mimetype", content))) == kind


@pytest.mark.parametrize(
    ("name", "declared", "first", "kind"),
    [
        ("photo.heic", UNKNOWN, b"\0\0\0\x18ftypheic", "image/heic"),
        ("report.docx", "application/zip", b"PK\x03\x04", f"{OPEN_XML}wordprocessingml.document"),
        ("files.zip", "application/zip", b"PK\x03\x04", "application/zip"),
        ("app.ts", "video/mp2t", b"const a = 1", "text/plain"),
        ("app.ts", "video/vnd.dlna.mpeg-tts", b"const a = 1", "text/plain"),
        ("clip.ts", "video/mp2t", b"G@\0\x10\0", "video/mp2t"),
        ("clip", "video/mp2t", b"G@\0\x10\0", "video/mp2t"),
        ("a.txt", "application/pdf", b"words", "application/pdf"),
        ("a.csv", "text/plain", b"%PDF-1.7", "text/plain"),
    ],
)
def test_only_an_uncertain_declared_type_is_replaced(name, declared, first, kind):
    assert shown_type(declared, type_of_name(name), first) == kind

"""viewer/formats/words/converted.py, with a stand-in for the conversion."""

from base64 import b64encode
from dataclasses import replace

import pytest

from viewer.content.kinds import type_of_name
from viewer.content.media_types import OPEN_DOCUMENT, OPEN_XML
from viewer.sandbox.converter import Conversion, Converter
from viewer.sandbox.process import JobResult, SandboxError
from viewer.tests import samples
from viewer.tests.samples import preview_of

RTF = b"{\\rtf1 Hello}"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PAGES = samples.pdf("One", "Two", catalog=f"/Font ({'x' * 2_000})")
WORD = f"{OPEN_XML}wordprocessingml.document"


def document(data, content_type, made=None):
    """Return a document, and a list of the extensions that it is converted with."""
    asked = []

    def run(job, pieces, options):
        if not isinstance(job, Conversion):
            return job.run(pieces, options)
        asked.append(job.extension)
        return JobResult([({}, made)], None) if made else JobResult()

    original = samples.original(data, content_type=content_type)
    return replace(original, run=run, converter=Converter("/soffice.bin", "1")), asked


@pytest.mark.parametrize(
    ("data", "content_type", "label", "extension"),
    [
        (RTF, "application/rtf", "RTF document", "rtf"),
        (RTF, "application/msword", "RTF document", "rtf"),
        (OLE, "application/msword", "Word document", "doc"),
        (OLE, "application/vnd.ms-powerpoint", "Presentation", "ppt"),
        (samples.docx(), WORD, "Word document", "docx"),
        (samples.pptx(), f"{OPEN_XML}presentationml.presentation", "Presentation", "pptx"),
        (samples.odt(), f"{OPEN_DOCUMENT}text", "Text document", "odt"),
        (samples.odp(), f"{OPEN_DOCUMENT}presentation", "Presentation", "pptx"),
        (samples.odt(), f"{OPEN_DOCUMENT}graphics", "Drawing", "odg"),
        (samples.package(x=b""), "application/vnd.apple.keynote", "Keynote presentation", "key"),
        (OLE, "application/vnd.visio", "Visio drawing", "vsd"),
        (OLE, "application/x-mspublisher", "Publisher document", "pub"),
        (b"\xffWPC", "application/octet-stream", "WordPerfect document", "wpd"),
        (b"\xdb\xa5-\0", "application/msword", "Word document", "doc"),
    ],
)
def test_a_document_is_shown_as_the_pages_of_its_pdf(data, content_type, label, extension):
    original, asked = document(data, content_type, PAGES)
    shown = preview_of(original)

    assert (shown.kind, shown.label, shown.facts) == ("pdf", label, ("2 pages",))
    assert shown.note.startswith("Converted by LibreOffice: the layout may differ, and comments")
    assert shown.for_file().label == label
    assert shown.for_file().note == shown.note
    assert b64encode(PAGES) in b"".join(shown.for_file().body.pieces())
    assert original.has_pages
    assert original.pages().texts(1).texts == ["One", "Two"]
    assert set(asked) == {extension}


@pytest.mark.parametrize(
    ("data", "content_type"),
    [(samples.odt(), f"{OPEN_DOCUMENT}text"), (samples.ods(), f"{OPEN_DOCUMENT}spreadsheet")],
)
def test_a_conversion_that_took_too_long_is_not_called_locked_or_damaged(data, content_type):
    original, _ = document(data, content_type)
    slow = replace(original, run=lambda *_: JobResult(failure="time"))
    shown = preview_of(slow).body.decode()

    assert "LibreOffice took too long to convert this document" in shown
    assert "damaged" not in shown
    assert "took too long" in preview_of(replace(slow, as_pages=True)).body.decode()


def test_the_text_of_a_word_document_says_that_its_pages_took_too_long():
    original, _ = document(samples.docx(), WORD)

    def run(job, pieces, options):
        is_conversion = isinstance(job, Conversion)
        return JobResult(failure="time") if is_conversion else job.run(pieces, options)

    shown = preview_of(replace(original, run=run))
    assert shown.note.startswith("LibreOffice took too long to draw the pages. Only its text")


@pytest.mark.parametrize("made", [None, b"no PDF"])
def test_where_it_fails_a_card_says_so(made):
    original, _ = document(samples.odt(), f"{OPEN_DOCUMENT}text", made)

    assert b"LibreOffice could not show this document" in preview_of(original).body
    assert preview_of(replace(original, watermark="x")).kind == "unknown"
    with pytest.raises(SandboxError):
        original.pages().overview()


def test_a_word_document_that_it_fails_on_is_shown_as_text_unless_it_is_to_be_marked():
    original, _ = document(samples.docx(), WORD)

    shown = preview_of(original)
    assert shown.kind == "word"
    assert shown.note == (
        "LibreOffice could not show the pages. Only its text, tables and pictures are shown."
    )
    assert b"Annual report" in shown.body
    assert preview_of(replace(original, watermark="x")).kind == "unknown"


def test_a_file_named_pub_is_of_publisher_unless_it_is_a_text():
    original, asked = document(OLE, "application/octet-stream", PAGES)
    shown = preview_of(
        replace(original, name="leaflet.pub", named_type=type_of_name("leaflet.pub"))
    )
    key = samples.original(b"ssh-ed25519 AAAA me\n", "id.pub")

    assert (shown.kind, asked) == ("pdf", ["pub"])
    assert preview_of(key).kind == "text"


def test_an_empty_page_made_of_a_file_of_apple_is_none():
    pages = samples.package(preview_dot_jpg=b"x", Index__Document_dot_iwa=b"x")
    original, asked = document(pages, "application/vnd.apple.pages", samples.pdf(""))
    shown = preview_of(original)

    assert (asked, shown.kind) == (["pages"], "unknown")


def test_without_a_converter_a_word_document_is_text_with_the_reason():
    shown = preview_of(samples.original(samples.docx(), content_type=WORD))

    assert shown.note == (
        "LibreOffice, which shows the pages, is not installed on the server. "
        "Only its text, tables and pictures are shown."
    )


def test_without_a_converter_there_are_no_pages():
    original = samples.original(RTF, content_type="application/rtf")

    assert preview_of(original).kind == "unknown"
    assert not original.has_pages


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (b"<html><img src='http://127.0.0.1/'></html>", "application/msword"),
        (b"<html></html>", WORD),
        (samples.xlsx(), f"{OPEN_XML}spreadsheetml.sheet"),
        (samples.package(a=b"x"), "application/zip"),
        (samples.pdf("One"), WORD),
    ],
)
def test_what_is_none_of_its_formats_is_not_handed_to_the_converter(data, content_type):
    original, asked = document(data, content_type, samples.pdf("One"))
    preview_of(original)

    assert asked == []


def test_a_pdf_has_pages_without_a_conversion():
    original, asked = document(samples.pdf("One"), "application/pdf")

    assert original.has_pages
    assert original.pages().texts(1).texts == ["One"]
    assert asked == []

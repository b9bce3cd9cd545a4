"""viewer/formats/pdf/pdf.py and viewer/formats/pdf/pages.py"""

from base64 import b64encode
from dataclasses import replace
from io import BytesIO

import pypdfium2
import pytest

from viewer import PdfLockedError, PdfPages, SandboxError
from viewer.formats.pdf import pdf as kind
from viewer.formats.pdf.pages import FILE
from viewer.formats.pdf.pdf import preview
from viewer.sandbox.process import JobResult
from viewer.tests.samples import encrypted_pdf, linked_pdf, locked_pdf, original, pdf

PAGE = {"page": 1, "width": 9, "height": 9, "type": "image/png", "text": [], "links": []}
OVERVIEW = {"total": 2, "count": 2, "size": [9, 9], "attached": []}
TEN = pdf(*(f"Page {n}" for n in range(1, 11)))


def shown(data, **facts):
    return preview(original(data, "a.pdf", **facts), "application/pdf")


def pages_of(data, password=None):
    return PdfPages(replace(original(data, "a.pdf"), password=password))


def answering(*messages, failure=None):
    """A document whose jobs all answer this."""

    def run(*_, **__):
        return JobResult(list(messages), failure)

    return PdfPages(replace(original(b"x"), run=run))


def test_a_served_page_holds_the_first_page_and_how_many_there_are():
    made = shown(TEN)

    assert made.facts == ("10 pages",)
    assert made.note == ""
    assert made.source == {"count": 10}
    assert made.body.count(b"<section") == 1
    assert b"<noscript>" in made.body
    assert made.body.count(b"<image") == 1
    assert b">Page 1</text>" in made.body


def test_a_file_holds_a_picture_of_the_first_page_and_its_text():
    made = shown(TEN).for_file()

    assert made.facts == ("10 pages",)
    assert made.body.count(b"<img") == 1
    assert b'alt="Page 1 "' in made.body
    assert b"the first of 10 pages" in made.body
    assert b'<span class="js">open it, or </span>' in made.body
    assert b'id="copy"' not in made.body
    assert made.frames_pdf


def test_a_file_whose_first_page_cannot_be_drawn_says_that_it_holds_the_pdf(monkeypatch):
    made = shown(TEN)
    monkeypatch.setattr(PdfPages, "drawn", lambda *_: [])
    body = made.for_file().body

    assert b"<img" not in body
    assert b"This file holds the whole PDF" in body


def test_files_in_a_pdf_are_below_its_pages_but_not_under_a_mark():
    document = pypdfium2.PdfDocument(pdf("One"))
    document.new_attachment("invoice.xml").set_data(b"<total>7</total>")
    document.save(out := BytesIO())
    made = shown(out.getvalue())
    marked = replace(original(out.getvalue(), "a.pdf"), watermark="Ana")

    assert made.note == "Files in this PDF are below its pages: invoice.xml."
    assert b"&lt;total>7" in made.body
    assert b64encode(b"<total>7</total>") in made.body
    for other in (made.for_file(), preview(marked, "application/pdf")):
        assert other.note.startswith("Files in this PDF are not shown: invoice.xml. Save")
        assert b64encode(b"<total>7</total>") not in other.body


def test_links_lead_to_pages_and_to_the_web_in_a_tab_of_its_own():
    body = shown(
        linked_pdf(2, "https://example.org/?a=1&b=2", "mailto:a@example.org")
    ).body.decode()

    assert '<a href="#p2" aria-label="Page 2">' in body
    assert (
        'href="https://example.org/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer"' in body
    )
    assert 'href="mailto:a@example.org"' in body


@pytest.mark.parametrize(
    "target",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http:x", "vbscript:x"]
    + ["https://a b", "//example.org", "app://x", " https://example.org"],
)
def test_any_other_address_is_no_link(target):
    target = target.replace("(", "\\(").replace(")", "\\)")
    assert b"<a " not in shown(linked_pdf(target)).body.split(b"<section", 1)[1]


def test_a_pdf_of_one_page_has_no_outline():
    data = pdf("One", catalog="/Outlines<</First<</Title(x)/Dest[4 0 R/Fit]>>/Count 1>>")

    assert b"outline" not in shown(data).body


def test_text_from_the_child_process_is_escaped():
    page = PAGE | {"text": [[0, 0, 1, 1, "</text><script>"]]}
    made = answering((OVERVIEW, b""), (page, b"png")).overview()

    assert b"<script>" not in kind._pages(made)


@pytest.mark.parametrize(
    "page", [PAGE | {"type": "text/html"}, PAGE | {"type": 'image/png" onload="x'}]
)
def test_a_picture_of_another_type_is_refused(page):
    with pytest.raises(SandboxError):
        answering((page, b"png")).drawn(1, 1, FILE, 1)


def test_a_link_to_a_page_that_is_not_there_is_left_out():
    page = PAGE | {"links": [[0, 0, 1, 1, 7, 0], [0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 1, 5]]}
    (made,) = answering((page, b"png")).drawn(1, 1, FILE, 3)

    assert made.links == [(0, 0, 1, 1, 1, 5)]


def test_a_link_names_the_place_on_its_page():
    body = shown(linked_pdf(2, view="XYZ 0 150 0")).body.decode()

    assert '<a href="#p2" data-top="50.0" aria-label="Page 2">' in body


def test_a_crash_before_any_page_raises():
    with pytest.raises(SandboxError):
        answering(failure="crashed").overview()


def test_a_frame_is_shown_when_the_first_page_cannot_be_drawn():
    made = answering((OVERVIEW, b""), failure="crashed").overview()

    assert made.first == (1, 9, 9, "", (), ())


def test_pages_after_one_that_cannot_be_read_have_their_sizes_and_no_text():
    facts = {"sizes": [[9, 9], [7, 5], [9, 9]], "outline": []}
    made = answering((facts, b""), ({}, b"One"), failure="crashed").texts(129)

    assert [frame[:3] for frame in made.frames] == [(129, 9, 9), (130, 7, 5), (131, 9, 9)]
    assert made.texts == ["One", "", ""]


def test_no_page_is_drawn_twice_for_the_screen():
    jobs = set()

    def run(job, pieces, options):
        jobs.add((options["first"], options["count"]))
        return job.run(pieces, options)

    pages = PdfPages(replace(original(TEN), run=run))
    assert [pages.one(number, 10).number for number in range(1, 11)] == list(range(1, 11))
    assert jobs == {(1, 1), (2, 4), (6, 4), (10, 4)}


def test_a_page_whose_neighbour_crashes_is_drawn_alone():
    def run(_job, _pieces, options):
        page = PAGE | {"page": options["first"]}
        return JobResult([(page, b"png")] if options["count"] == 1 else [], "crashed")

    pages = PdfPages(replace(original(b"x"), run=run))

    assert pages.one(3, 9).number == 3


def test_a_locked_file_asks_for_its_password():
    made = shown(encrypted_pdf("open sesame"))

    assert b"pdf-password" in made.body
    assert b"pdf-password" not in made.for_file().body
    assert "card.css" in made.styles
    assert "card.css" in made.for_file().styles


def test_the_password_opens_it():
    for typed in "open sesame", " open sesame\xa0\r\n":
        overview = pages_of(encrypted_pdf("open sesame"), typed).overview()
        assert overview.first.text[0][4] == "Secret"
    with pytest.raises(PdfLockedError):
        pages_of(locked_pdf(), "wrong").overview()


def test_the_card_says_that_a_file_is_no_pdf():
    assert b"not one" in shown(b"%PDF-1.7 nonsense").body

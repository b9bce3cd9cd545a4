"""viewer/kinds/pdf.py"""

import pytest

from tests.viewer.samples import locked_pdf, original, pdf
from viewer.kinds.pdf import pages_preview, preview
from viewer.sandbox.process import JobResult, SandboxError

PAGE = ({"page": 1, "width": 9, "height": 9, "text": [[0, 0, 1, 1, "</text><script>"]]}, b"png")


def preview_of(*messages, failure=None):
    return pages_preview(JobResult(list(messages), failure))


def test_a_pdf_preview_has_a_picture_and_the_text_of_each_page():
    shown = preview(original(pdf("Hello", "There"), "a.pdf"), "application/pdf")

    assert shown.facts == ("2 pages",)
    assert shown.note == ""
    assert shown.body.decode().count('src="data:image/png;base64,') == 2
    assert ">Hello</text>" in shown.body.decode()


def test_text_from_the_child_process_is_escaped():
    body = preview_of(({"pages": 1}, b""), PAGE).body.decode()

    assert "&lt;/text&gt;&lt;script&gt;" in body
    assert "<script>" not in body


def test_pages_drawn_before_a_crash_are_shown():
    shown = preview_of(({"pages": 3}, b""), PAGE, failure="crashed")

    assert "Showing 1 of 3 pages" in shown.note


@pytest.mark.parametrize(
    ("data", "words"), [(locked_pdf(), "locked"), (b"%PDF-1.7 nonsense", "not one")]
)
def test_the_card_says_why_a_pdf_has_no_preview(data, words):
    shown = preview(original(data), "application/pdf")

    assert shown.kind == "unknown"
    assert words in shown.body.decode()


def test_a_crash_before_any_page_raises():
    with pytest.raises(SandboxError):
        preview_of(failure="crashed")

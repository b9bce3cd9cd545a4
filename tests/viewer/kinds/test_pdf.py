"""viewer/kinds/pdf.py"""

import pytest

from tests.viewer.samples import original, pdf
from viewer.kinds import pdf as module
from viewer.kinds.pdf import preview
from viewer.sandbox.process import Answer, ChildFailed

PAGE = ({"page": 1, "width": 9, "height": 9, "text": [[0, 0, 1, 1, "</text><script>"]]}, b"png")


def answer(monkeypatch, *frames, failure=None):
    monkeypatch.setattr(module, "run", lambda *_, **__: Answer(list(frames), failure))
    return preview(original(b"x"), "application/pdf")


def test_pages_with_their_text():
    shown = preview(original(pdf("Hello", "There"), "a.pdf"), "application/pdf")

    assert shown.facts == ("2 pages",)
    assert shown.note == ""
    assert shown.body.count('src="data:image/png;base64,') == 2
    assert ">Hello</text>" in shown.body


def test_the_child_is_not_believed(monkeypatch):
    body = answer(monkeypatch, ({"pages": 1}, b""), PAGE).body

    assert "&lt;/text&gt;&lt;script&gt;" in body
    assert "<script>" not in body


def test_what_was_drawn_before_a_crash_is_shown(monkeypatch):
    shown = answer(monkeypatch, ({"pages": 3}, b""), PAGE, failure="crashed")

    assert "Showing 1 of 3 pages" in shown.note


@pytest.mark.parametrize(("failure", "words"), [("password", "locked"), ("format", "not one")])
def test_it_says_why_it_cannot_be_shown(monkeypatch, failure, words):
    shown = answer(monkeypatch, failure=failure)

    assert shown.kind == "unknown"
    assert words in shown.body


def test_a_crash_before_any_page_is_a_failure(monkeypatch):
    with pytest.raises(ChildFailed):
        answer(monkeypatch, failure="crashed")

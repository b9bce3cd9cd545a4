"""viewer/sandbox/pdf_pages.py"""

import pytest

from tests.viewer.samples import pdf
from viewer.sandbox import pdf_pages
from viewer.sandbox.pdf_pages import Unreadable, frames


def drawn(data):
    return list(frames(data, {}))


def test_every_page_has_a_picture_and_its_text():
    (first, _), (page, png), _ = drawn(pdf("Hello there", "Two"))

    assert first == {"pages": 2}
    assert png.startswith(b"\x89PNG")
    assert (page["page"], page["width"], page["height"]) == (1, 600, 400)
    (x, y, width, height, text) = page["text"][0]
    assert text == "Hello there"
    assert 75 < x < 85
    assert 120 < y < 160
    assert 100 < width < 250
    assert 15 < height < 40


def test_text_stands_where_it_is_seen_on_a_turned_page():
    _, (page, _) = drawn(pdf("Hello there", extra="/Rotate 90"))
    x, y, width, height, _ = page["text"][0]

    assert (page["width"], page["height"]) == (400, 600)
    assert height > width
    assert 0 <= x <= page["width"] - width
    assert 0 <= y <= page["height"] - height


def test_and_where_the_page_does_not_begin_at_zero():
    data = pdf("Hello there").replace(b"0 0 300 200", b"20 0 300 200")
    _, (page, _) = drawn(data)

    assert page["width"] == 560
    assert 35 < page["text"][0][0] < 45


def test_the_limits_hold(monkeypatch):
    monkeypatch.setattr(pdf_pages, "MOST_PAGES", 2)
    assert len(drawn(pdf("a", "b", "c"))) == 3
    monkeypatch.setattr(pdf_pages, "MOST_OUTPUT", 0)
    assert len(drawn(pdf("a", "b", "c"))) == 2
    monkeypatch.setattr(pdf_pages, "MOST_TEXT", 3)
    assert drawn(pdf("abcdef"))[1][0]["text"] == []


def test_a_huge_page_is_drawn_small():
    _, (page, _) = drawn(pdf("x").replace(b"0 0 300 200", b"0 0 9000 9000"))

    assert page["width"] * page["height"] <= pdf_pages.MOST_PIXELS * 1.01


def test_what_is_no_pdf_says_so():
    with pytest.raises(Unreadable, match="format"):
        drawn(b"%PDF-1.7 nonsense")

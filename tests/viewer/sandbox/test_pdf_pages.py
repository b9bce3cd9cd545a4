"""viewer/sandbox/pdf_pages.py"""

import pytest

from tests.viewer.samples import pdf
from viewer.sandbox.pdf_pages import MAX_PIXELS, Limits, UnreadablePdfError, render


def drawn(data, **limits):
    return list(render(data, {}, Limits(**limits)))


def test_every_page_has_a_picture_and_positioned_text():
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


def test_text_positions_follow_the_rotation_of_the_page():
    _, (page, _) = drawn(pdf("Hello there", extra="/Rotate 90"))
    x, y, width, height, _ = page["text"][0]

    assert (page["width"], page["height"]) == (400, 600)
    assert height > width
    assert 0 <= x <= page["width"] - width
    assert 0 <= y <= page["height"] - height


def test_text_positions_follow_the_origin_of_the_page():
    data = pdf("Hello there").replace(b"0 0 300 200", b"20 0 300 200")
    _, (page, _) = drawn(data)

    assert page["width"] == 560
    assert 35 < page["text"][0][0] < 45


def test_pages_pictures_and_text_are_limited():
    assert len(drawn(pdf("a", "b", "c"), pages=2)) == 3
    assert len(drawn(pdf("a", "b", "c"), picture_bytes=0)) == 2
    assert drawn(pdf("abcdef"), text_length=3)[1][0]["text"] == []
    assert [len(page["text"]) for page, _ in drawn(pdf("a", "b"), all_text_runs=1)[1:]] == [1, 0]


def test_a_huge_page_is_scaled_down():
    _, (page, _) = drawn(pdf("x").replace(b"0 0 300 200", b"0 0 9000 9000"))

    assert page["width"] * page["height"] <= MAX_PIXELS * 1.01


def test_a_file_that_is_no_pdf_raises():
    with pytest.raises(UnreadablePdfError, match="format"):
        drawn(b"%PDF-1.7 nonsense")

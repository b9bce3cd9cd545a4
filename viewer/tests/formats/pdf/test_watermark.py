"""viewer/formats/pdf/watermark.py"""

from itertools import product

import pytest
from PIL import Image, ImageChops

from viewer.formats.pdf.drawing import prepare
from viewer.formats.pdf.watermark import Watermark
from viewer.tests.formats.pdf.test_drawing import page_of
from viewer.tests.samples import pdf

TIME = "\n2026-11-23 14:05 UTC"
MARK = "ana@example.org" + TIME
SIZES = [(400, 560), (560, 400), (600, 240)]


def marked(size, text=MARK, ground="white"):
    image = Image.new("RGB", size, ground)
    Watermark(text).draw(image)
    return image


def places_of_first(image):
    """Where the mark in the upper left sixteenth of the picture stands, and all that are alike."""
    width, height = image.size
    gray = image.convert("L")
    cell = gray.crop((0, 0, width // 4, height // 4))
    box = ImageChops.invert(cell).getbbox()
    wide = box[2] - box[0]
    high = box[3] - box[1]
    mark = rows_of(cell.crop(box))
    rows = rows_of(gray)
    return [
        (x, y, x + wide, y + high)
        for x, y in product(range(width - wide + 1), range(height - high + 1))
        if rows[y].startswith(mark[0], x)
        and all(rows[y + n].startswith(row, x) for n, row in enumerate(mark))
    ]


def rows_of(gray):
    raw = gray.tobytes()
    width = gray.width
    return [raw[at : at + width] for at in range(0, len(raw), width)]


@pytest.mark.parametrize("size", SIZES)
def test_every_window_of_half_the_width_and_height_holds_a_mark_whole(size):
    places = places_of_first(marked(size))
    for x, y in product(range(0, size[0] // 2 + 1, 5), range(0, size[1] // 2 + 1, 5)):
        right = x + size[0] / 2
        bottom = y + size[1] / 2
        inside = (x <= a and y <= b and c <= right and d <= bottom for a, b, c, d in places)
        assert any(inside), (x, y)


@pytest.mark.parametrize("ground", ["white", "black", "gray", "navy", "yellow"])
def test_a_mark_is_seen_on_any_ground(ground):
    levels = marked((600, 800), ground=ground).convert("L").getextrema()
    assert levels[1] - levels[0] >= 25


def test_who_and_when_make_another_mark():
    texts = MARK, MARK.replace("ana", "bob"), MARK.replace(":05", ":06"), "dt_4f7K…9E2x" + TIME
    assert len({marked((600, 800), text).tobytes() for text in texts}) == len(texts)


@pytest.mark.parametrize("side", ["10 10", "20 600", "600 20"])
def test_a_tiny_page_gets_as_many_pixels_as_its_marks_need(side):
    data = pdf("x").replace(b"0 0 300 200", f"0 0 {side}".encode())
    options = {"watermark": MARK, "drawing": {}}
    prepare(data, options)
    mark = options["drawing"]["mark"]
    width, height = map(int, side.split())
    scale = mark.least_scale(width, height)
    image = Image.new("RGB", (round(width * scale), round(height * scale)), "white")
    mark.draw(image)
    assert min(image.size) > 90
    assert page_of(data)[1].size == (width * 2, height * 2)


def test_a_letter_that_no_font_has_is_written_by_its_code():
    for letter, code in (("\u202e", "\\u202e"), ("\U0010fffd", "\\U0010fffd")):
        same = [marked((600, 800), f"Ana {one}" + TIME).tobytes() for one in (letter, code)]
        assert same[0] == same[1]

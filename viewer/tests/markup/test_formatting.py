"""viewer/markup/formatting.py"""

import pytest

from viewer.markup.formatting import format_count, format_size, left_out_note


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1.0 KiB"),
        (24_576, "24.0 KiB"),
        (1_048_575, "1.0 MiB"),
        (67_108_864, "64.0 MiB"),
        (536_870_912, "512 MiB"),
        (1 << 40, "1.0 TiB"),
    ],
)
def test_a_size_has_a_unit_and_one_decimal(size, words):
    assert format_size(size) == words


def test_a_count_of_one_is_singular():
    assert format_count(1, "page") == "1 page"
    assert format_count(1200, "page") == "1,200 pages"


def test_a_note_says_what_is_not_shown():
    assert left_out_note({}) == ""
    assert left_out_note({"chart": 1}) == "1 chart is not shown."
    assert left_out_note({"chart": 3, "picture": 1, "diagram": 2}) == (
        "3 charts, 2 diagrams and 1 picture are not shown."
    )

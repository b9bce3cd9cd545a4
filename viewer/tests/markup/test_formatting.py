"""viewer/markup/formatting.py"""

import pytest

from viewer.markup.formatting import format_count, format_size, left_out_note


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1 KB"),
        (2_449, "2.4 KB"),
        (9_949, "9.9 KB"),
        (9_950, "10 KB"),
        (245_123, "245 KB"),
        (999_499, "999 KB"),
        (999_500, "1 MB"),
        (67_108_864, "67 MB"),
        (1 << 30, "1.1 GB"),
        (1 << 40, "1.1 TB"),
    ],
)
def test_a_size_has_a_decimal_unit_and_a_decimal_only_below_ten(size, words):
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

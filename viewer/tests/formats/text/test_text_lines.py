"""viewer/formats/text/text_lines.py"""

import pytest

from viewer.formats.text.text_lines import BLOCK, PART, html_lines, text_lines
from viewer.sandbox import MAX_HTML


@pytest.mark.parametrize("text", ["a\x01" * (1 << 20), "\U0001f600\x01" * (1 << 19)])
def test_html_above_the_limit_is_cut_within_a_line(text):
    facts, html = text_lines(text)

    assert facts["cut"]
    assert MAX_HTML < len(html) < MAX_HTML + 50 * PART
    assert html.endswith(b"\n</a></code></pre>")


def test_a_very_long_line_is_in_parts_that_are_laid_out_one_by_one():
    _, html = text_lines("x" * (2 * PART + 1) + "\nshort")

    assert html.count(b"<span class=part>x") == html.count(b"x</span>") == 3
    assert b">short\n" in html


def test_a_long_text_is_in_blocks_that_are_laid_out_one_by_one():
    _, html = text_lines("word and more\n" * (2 * BLOCK + 3))

    first, second, rest = html.split(b"<span class=block>")[1:][0], *html.split(b"</span>")[1:]
    assert first.count(b"</a>") == second.count(b"</a>") == BLOCK
    assert rest.count(b"</a>") == 3


def test_ready_html_is_not_escaped_again():
    assert b"<a id=L1><i>x</i>\n</a>" in html_lines("<i>x</i>", 1)[1]

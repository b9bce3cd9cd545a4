"""viewer/formats/text/text_lines.py"""

import re

import pytest

from viewer.formats.text.indenting import folds_of
from viewer.formats.text.text_lines import BLOCK, html_lines, text_lines
from viewer.sandbox import MAX_HTML


@pytest.mark.parametrize("text", ["a\x01" * (1 << 20), "\U0001f600\x01" * (1 << 19)])
def test_html_above_the_limit_is_cut_within_a_line(text):
    facts, html = text_lines(text)

    assert facts["cut"]
    assert MAX_HTML < len(html) < MAX_HTML + 50 * BLOCK
    assert html.endswith(b"\n</a></code></pre>")


def test_a_very_long_line_is_in_parts_that_are_laid_out_one_by_one():
    _, html = text_lines("x" * (2 * BLOCK + 1) + "\nshort")

    assert html.count(b"<span class=part>x") == html.count(b"x</span>") == 3
    assert b">short\n" in html


def test_brackets_with_three_lines_between_them_fold_up_to_their_closing_ones():
    text = '{\n  "a": [\n    1\n  ],\n  "[": "{"\n}'
    html = html_lines(text, 9, folds_of(text))[1].decode()

    assert re.sub(r"<code>|</code>|\n", "", html[html.index("<code>") :]) == (
        "<details open><summary id=L1>{</summary>"
        '<a id=L2>  "a": [</a><a id=L3>    1</a><a id=L4>  ],</a>'
        '<a id=L5>  "[": "{"</a></details>'
        "<a id=L6>}</a></pre>"
    )


@pytest.mark.parametrize("text", ["]\n}\n{", "{\n[\n{", "[\n" * 60, "\n"])
def test_folds_are_closed_whatever_the_brackets(text):
    html = html_lines(text, 9, folds_of(text))[1]

    assert html.count(b"<details") == html.count(b"</details>")


def test_ready_html_is_not_escaped_again():
    assert b"<a id=L1><i>x</i>\n</a>" in html_lines("<i>x</i>", 1)[1]

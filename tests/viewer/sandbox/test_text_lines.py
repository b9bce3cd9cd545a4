"""viewer/sandbox/text_lines.py"""

import pytest

from viewer.sandbox import MAX_HTML
from viewer.sandbox.text_lines import BLOCK, MAX_LINES, html_lines, text_lines


def test_lines_are_escaped_and_numbered():
    facts, html = text_lines("a\n<b>\n")

    assert facts == {"lines": 2, "shown": 2, "cut": False}
    assert b'<span class="ln" id="L2">&lt;b&gt;\n</span></code></pre>' in html


def test_lines_above_the_limit_are_left_out():
    facts, html = text_lines("\n" * (MAX_LINES + 4))

    assert facts == {"lines": MAX_LINES + 4, "shown": MAX_LINES, "cut": True}
    assert html.count(b'class="ln"') == MAX_LINES


@pytest.mark.parametrize("text", ["a\x01" * (1 << 20), "\U0001f600\x01" * (1 << 19)])
def test_html_above_the_limit_is_cut_within_a_line(text):
    facts, html = text_lines(text)

    assert facts["cut"]
    assert MAX_HTML < len(html) < MAX_HTML + 50 * BLOCK
    assert html.endswith(b"\n</span></code></pre>")


def test_ready_html_is_not_escaped_again():
    assert b'<span class="ln" id="L1"><i>x</i>\n</span>' in html_lines("<i>x</i>")[1]

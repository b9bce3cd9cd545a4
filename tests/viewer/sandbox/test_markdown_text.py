"""viewer/sandbox/markdown_text.py"""

import pytest

from tests.viewer.samples import MARKDOWN
from viewer.sandbox.markdown_text import prepare, to_html


@pytest.fixture(scope="module")
def html():
    prepare(MARKDOWN, {})
    return to_html(MARKDOWN.decode())


@pytest.mark.parametrize(
    "part",
    [
        '<h1 id="h-notes">Notes</h1>',
        "<em>words</em>",
        "<strong>weight</strong>",
        '<td class="right">3.20</td>',
        '<li class="task">\u2611 done</li>',
        '<li class="task">\u2610 to do</li>',
        "<blockquote>",
        '<span class="tok-k">def</span>',
    ],
)
def test_commonmark_with_tables_and_tasks(html, part):
    assert part in html


def test_a_link_opens_beside_the_page(html):
    assert '<a href="https://example.org/" title="there" target="_blank"' in html


def test_a_picture_elsewhere_is_named_and_never_fetched(html):
    assert "tracker.example" not in html
    assert ">chart</span>" in html


def test_a_picture_within_is_shown():
    assert '<img src="data:image/png;base64,AAAA" alt="x">' in to_html(
        "![x](data:image/png;base64,AAAA)"
    )


def test_a_link_to_a_heading_finds_it():
    text = to_html("[go](#what-it-does)\n\n## What it does")

    assert 'href="#h-what-it-does"' in text
    assert 'id="h-what-it-does"' in text


def test_raw_html_is_text():
    assert "&lt;script&gt;" in to_html("<script>x</script>")


def test_code_without_a_language_is_plain():
    assert to_html("    <b>\n") == '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>'
    assert "tok-" not in to_html("```nonsense\ndef\n```")

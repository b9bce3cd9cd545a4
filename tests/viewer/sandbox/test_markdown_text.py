"""viewer/sandbox/markdown_text.py"""

import pytest

from tests.viewer.samples import MARKDOWN
from viewer.sandbox.markdown_text import prepare, render


def to_html(text):
    ((_, html),) = render(text.encode(), {})
    return html.decode()


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
def test_markdown_is_rendered_with_tables_tasks_and_code(html, part):
    assert part in html


def test_a_link_opens_in_a_new_tab(html):
    assert '<a href="https://example.org/" title="there" target="_blank"' in html


def test_a_remote_picture_is_replaced_by_its_text(html):
    assert "tracker.example" not in html
    assert ">chart</span>" in html


def test_an_embedded_picture_is_shown():
    assert '<img src="data:image/png;base64,AAAA" alt="x">' in to_html(
        "![x](data:image/png;base64,AAAA)"
    )


def test_a_link_to_a_heading_has_the_id_of_the_heading():
    text = to_html("[go](#what-it-does)\n\n## What it does")

    assert 'href="#h-what-it-does"' in text
    assert 'id="h-what-it-does"' in text


def test_raw_html_is_escaped():
    assert "&lt;script&gt;" in to_html("<script>x</script>")


def test_code_without_a_known_language_is_not_highlighted():
    assert to_html("    <b>\n") == '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>'
    assert "tok-" not in to_html("```nonsense\ndef\n```")

"""viewer/formats/text/markdown_text.py"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viewer.samples import MARKDOWN, original, preview_of
from viewer.formats.text.markdown_text import prepare, to_html
from viewer.rendering.registry import MARKDOWN as FORMAT


@pytest.fixture(scope="module")
def html():
    prepare(MARKDOWN, {})
    return to_html(MARKDOWN.decode())


@pytest.mark.parametrize(
    "part",
    [
        '<h1 id="h-notes">Notes<a class="anchor" href="#h-notes" aria-label="Link to Notes"',
        "<em>words</em>",
        "<strong>weight</strong>",
        '<td class="right">3.20</td>',
        '<li class="task">\u2611 done</li>',
        '<li class="task">\u2610 to do</li>',
        "<blockquote>",
        '<i class="k">def</i>',
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


def test_html_is_shown_as_html_without_what_runs_or_loads():
    html = to_html(
        '<p align="center" onclick="x()"><kbd>A</kbd></p>\n\n<script>x</script>'
        '<iframe src="https://a.example"></iframe><style>p{}</style>\n\n'
        "<details><summary>More</summary>\n\n**bold**\n\n</details>\n"
    )

    assert '<p align="center"><kbd>A</kbd></p>' in html
    assert "<details><summary>More</summary>" in html
    assert "<strong>bold</strong>" in html
    assert not re.search("onclick|script|iframe|style|a.example", html)


@pytest.mark.parametrize(
    "text",
    ['<img src="https://a.example/x.png" alt="a &lt;b> c">', "![a <b> c](https://a.example/x.png)"],
)
def test_a_remote_picture_is_its_text_however_it_is_written(text):
    html = to_html(text)

    assert ">a &lt;b&gt; c</span>" in html
    assert "a.example" not in html


@pytest.mark.parametrize("kind", ["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION", "note"])
def test_a_quote_may_be_an_alert(kind):
    assert to_html(f"> [!{kind}]\n> Take *care*.") == (
        f'<blockquote class="alert alert-{kind.lower()}">\n<p><strong>{kind.title()}</strong><br>'
        "Take <em>care</em>.</p>\n</blockquote>\n"
    )


@pytest.mark.parametrize("text", ["> [!NOTE] on the same line", "> [!OTHER]\n> x", "[!NOTE]\nx"])
def test_another_quote_is_no_alert(text):
    assert "alert" not in to_html(text)


def test_an_alert_may_have_no_text():
    assert "<strong>Note</strong>" in to_html("> [!NOTE]")


def test_footnotes_are_linked_both_ways():
    html = to_html("Care[^1].\n\n[^1]: See *there*.\n")

    assert 'href="#h-fn1" id="h-fnref1"' in html
    assert 'id="h-fn1"' in html
    assert 'href="#h-fnref1"' in html


def test_equal_headings_have_different_ids():
    html = to_html("# One *two* `three`\n\n# One *two* `three`\n")

    assert 'id="h-one-two-three"' in html
    assert 'id="h-one-two-three-1"' in html


def test_a_bare_address_is_a_link():
    assert '<a href="https://example.org/x" target="_blank"' in to_html(
        "See https://example.org/x."
    )


def test_front_matter_is_shown_as_it_is():
    assert to_html("---\ntitle: x\n---\n# y").startswith('<pre tabindex="0"><code>title: x')


@given(st.text(alphabet="<>[]!^*`#-|\n \"'=/&;:()abimgsrcNOTE", max_size=200))
def test_any_text_gives_html_without_active_content(text):
    html = to_html(text)

    assert not re.search(r"<(script|iframe|object|embed|form|link|meta|style|svg)\b", html)
    assert not re.search(r"<[^>]*\son\w+=", html)


def test_code_without_a_known_language_is_not_highlighted():
    assert to_html("    <b>\n") == '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>'
    assert "<i class" not in to_html("```nonsense\ndef\n```")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("$a_1 * b_2*c$", "<p><code>a_1 * b_2*c</code></p>"),
        ("so $$x^2$$ is", "<p>so <code>x^2</code> is</p>"),
        ("$`a_b`$", "<p><code>a_b</code></p>"),
        ("($x$)", "<p>(<code>x</code>)</p>"),
        ("$$\na_1\n= c < d\n$$", '<pre tabindex="0"><code>a_1\n= c &lt; d</code></pre>'),
        ("costs $5 and $6", "<p>costs $5 and $6</p>"),
        ("$5-$6 in `$x$`", "<p>$5-$6 in <code>$x$</code></p>"),
        ("US$20, CA$30", "<p>US$20, CA$30</p>"),
        ("\\$5 and $x", "<p>$5 and $x</p>"),
        ("$<b>$", "<p><code>&lt;b&gt;</code></p>"),
    ],
)
def test_a_formula_is_shown_as_it_was_written(text, html):
    assert to_html(text).strip() == html


def test_markdown_is_rendered_as_an_article():
    shown = preview_of(original(MARKDOWN, "a.md"))

    assert shown.body.decode().startswith('<article class="prose"><h1')


def test_markdown_above_the_size_limit_is_shown_as_text():
    assert preview_of(original(b"#" * (FORMAT.most_bytes + 1), "a.md")).kind == "text"

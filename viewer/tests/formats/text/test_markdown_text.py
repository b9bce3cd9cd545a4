"""viewer/formats/text/markdown_text.py"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.text.markdown_text import to_html
from viewer.rendering.registry import MARKDOWN as FORMAT
from viewer.tests.samples import MARKDOWN, original, preview_of

SHOWN = {  # texts, and what they become
    "Some *words*": "<em>words</em>",
    "**weight**": "<strong>weight</strong>",
    "|a|\n|-:|\n|3.20|": '<td class="right">3.20</td>',
    "- [x] done": '<li class="task-list-item">\u2611 done</li>',
    "- [x] done\n\n- x": "<p>\u2611 done</p>",
    "- [ ] to do": '<li class="task-list-item">\u2610 to do</li>',
    "> said": "<blockquote>",
    '[a](https://x.org "y")': '<a href="https://x.org" title="y" target="_blank"',
    "See https://example.org/x.": '<a href="https://example.org/x" target="_blank"',
    "![x](data:image/png;base64,AAAA)": '<img src="data:image/png;base64,AAAA" alt="x">',
    "> [!NOTE]": '<p class="markdown-alert-title">Note</p>',
    "---\ntitle: x\n---\n# y": '<pre tabindex="0"><code>title: x',
    "[go](#what-it-does)": 'href="#h-what-it-does"',
    "## It does": '<h2 id="h-it-does">It does<a class="anchor" href="#h-it-does"',
    "# One *two* `three`\n\n# One *two* `three`": 'id="h-one-two-three-1"',
    "Care[^1].\n\n[^1]: See.": 'href="#h-fn1" id="h-fnref1"',
    "x[^1]\n\n[^1]: See.": 'href="#h-fnref1"',
    "    <b>\n": '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>',
    "```nonsense\ndef\n```": "<code>def\n</code>",
}


@pytest.mark.parametrize("text", SHOWN)
def test_a_text_becomes_html(text):
    assert SHOWN[text] in to_html(text)


def test_markdown_is_an_article_with_its_code_in_colours():
    html = preview_of(original(MARKDOWN, "a.md")).body.decode()

    assert html.startswith('<article class="prose"><h1')
    assert "<b>def</b>" in html


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
        f'<div class="markdown-alert markdown-alert-{kind.lower()}">\n'
        f'<p class="markdown-alert-title">{kind.title()}</p>\n<p>Take <em>care</em>.</p>\n</div>\n'
    )


@pytest.mark.parametrize("text", ["> [!NOTE] on the same line", "> [!OTHER]\n> x", "[!NOTE]\nx"])
def test_another_quote_is_no_alert(text):
    assert "alert" not in to_html(text)


@given(st.text(alphabet="<>[]!^*`#-|\n \"'=/&;:()abimgsrcNOTE", max_size=200))
def test_any_text_gives_html_without_active_content(text):
    html = to_html(text)

    assert not re.search(r"<(script|iframe|object|embed|form|link|meta|style|svg)\b", html)
    assert not re.search(r"<[^>]*\son\w+=", html)


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


def test_markdown_above_the_size_limit_is_shown_as_text():
    assert preview_of(original(b"#" * (FORMAT.most_bytes + 1), "a.md")).kind == "text"

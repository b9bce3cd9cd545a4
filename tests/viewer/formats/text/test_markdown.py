"""viewer/formats/text/markdown.py"""

from tests.viewer.samples import MARKDOWN, original
from viewer.formats.text.markdown import MAX_SIZE, preview


def test_markdown_is_rendered_as_an_article():
    shown = preview(original(MARKDOWN, "a.md"), "text/markdown")

    assert shown.body.decode().startswith('<article class="prose"><h1')


def test_markdown_above_the_size_limit_is_shown_as_text():
    assert preview(original(b"#" * (MAX_SIZE + 1), "a.md"), "text/markdown").kind == "text"

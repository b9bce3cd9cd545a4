"""viewer/kinds/markdown.py"""

from tests.viewer.samples import MARKDOWN, original
from viewer.kinds.markdown import LIMIT, preview


def test_it_is_drawn_as_prose():
    shown = preview(original(MARKDOWN, "a.md"), "text/markdown")

    assert shown.body.startswith('<article class="prose"><h1')


def test_above_the_limit_it_is_text():
    assert preview(original(b"#" * (LIMIT + 1), "a.md"), "text/markdown").kind == "text"

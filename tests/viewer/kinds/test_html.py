"""viewer/kinds/html.py"""

from tests.viewer.samples import HTML, original
from viewer.kinds.html import MAX_SIZE, iframe, preview


def test_a_page_is_shown_in_an_iframe_without_permissions():
    shown = preview(original(HTML, "a.html", "text/html"), "text/html")

    assert shown.foreign_style
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in shown.body
    assert "ran" not in shown.body


def test_no_markup_in_the_page_ends_the_iframe():
    assert iframe("\"></iframe><script>'&quot;", "t").count("<") == 2


def test_a_page_above_the_size_limit_is_shown_as_source():
    assert (
        preview(original(b"<" * (MAX_SIZE + 1), "a.html", "text/html"), "text/html").kind == "code"
    )

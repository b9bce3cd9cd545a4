"""viewer/kinds/html.py"""

from tests.viewer.samples import HTML, original
from viewer.kinds.html import MAX_SIZE, iframe, preview


def test_a_page_is_shown_in_an_iframe_without_permissions():
    shown = preview(original(HTML, "a.html", "text/html"), "text/html")

    assert shown.foreign_style
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in shown.body.decode()
    assert "ran" not in shown.body.decode()


def test_no_markup_in_the_page_ends_the_iframe():
    assert iframe(b"\"></iframe><script>'&quot;", "t").count(b"<") == 2


def test_a_page_with_too_many_tags_is_shown_as_source():
    assert preview(original(b"<a>" * 300_000, "a.html", "text/html"), "text/html").kind == "code"


def test_a_page_above_the_size_limit_is_shown_as_source():
    assert (
        preview(original(b"<" * (MAX_SIZE + 1), "a.html", "text/html"), "text/html").kind == "code"
    )

"""viewer/kinds/web.py"""

from tests.viewer.samples import HTML, original
from viewer.kinds.html import LIMIT, frame, preview


def test_it_stands_in_a_frame_without_rights():
    shown = preview(original(HTML, "a.html", "text/html"), "text/html")

    assert shown.foreign_style
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in shown.body
    assert "ran" not in shown.body


def test_nothing_in_the_page_ends_the_frame():
    assert frame("\"></iframe><script>'&quot;", "t").count("<") == 2


def test_above_the_limit_its_source_is_shown():
    assert preview(original(b"<" * (LIMIT + 1), "a.html", "text/html"), "text/html").kind == "code"

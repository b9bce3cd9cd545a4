"""viewer/formats/web/foreign_html.py, as it is shown"""

import pytest

from viewer.formats.web.foreign_html import UNFRAMED
from viewer.rendering.registry import PAGE
from viewer.tests.samples import HTML, original

ATTRIBUTES = ("class", "sandbox", "referrerpolicy", "title", "srcdoc")


def test_a_page_is_shown_in_an_iframe_without_permissions():
    shown = PAGE.preview(original(HTML, "a.html", "text/html"), "text/html")

    assert shown.foreign_style
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in shown.body.decode()
    assert "ran" not in shown.body.decode()


def test_the_child_process_escapes_a_page_for_the_iframe():
    body = PAGE.preview(original(b"<p>\"</p>'&quot;", "a.html", "text/html"), "text/html").body

    frame, behind = body.split(b"</iframe>")

    assert frame.count(b"<") == 1
    assert frame.count(b'"') == len(ATTRIBUTES) * 2
    assert behind == UNFRAMED


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("هذا نص عربي طويل للتجربة، وهو من الماضي".encode("cp1256"), "عربي طويل"),
        ("Größe und Höhe".encode() + b"\xff", "Größe und Höhe�"),
    ],
)
def test_a_meta_element_that_declares_another_encoding_is_not_believed(data, text):
    page = original(b"<meta charset=utf-8><p>" + data, "a.html", "text/html")

    assert text in PAGE.preview(page, "text/html").body.decode()


@pytest.mark.slow
def test_a_page_with_too_many_tags_is_shown_as_source():
    assert (
        PAGE.preview(original(b"<a>" * 300_000, "a.html", "text/html"), "text/html").kind == "code"
    )


@pytest.mark.slow
def test_a_page_above_the_size_limit_is_shown_as_source():
    large = original(b"<" * (PAGE.most_bytes + 1), "a.html", "text/html")

    assert PAGE.preview(large, "text/html").kind == "code"

"""viewer/formats/sheets/ods_styles.py"""

from xml.etree.ElementTree import fromstring

import pytest

from viewer.formats.sheets.ods_styles import Styles, pixels
from viewer.formats.sheets.sheet import PLAIN, Line


def styles(*items):
    found = Styles()
    for item in items:
        found.take(fromstring(item))
    return found


def look(text="", cell="", paragraph=""):
    return styles(
        f"<style name='a' family='table-cell'><text-properties {text}/>"
        f"<table-cell-properties {cell}/><paragraph-properties {paragraph}/></style>"
    ).look("a")


def test_a_font_is_read():
    found = look(
        "font-weight='bold' font-style='italic' text-underline-style='solid' font-size='20pt' "
        "text-line-through-style='none' color='#C00000'"
    )

    assert (found.bold, found.italic, found.underlined, found.struck) == (True, True, True, False)
    assert (found.size, found.color) == (200, 0xC00000)


@pytest.mark.parametrize(
    ("fill", "color"), [("#ffeb9c", 0xFFEB9C), ("#ffffff", None), ("transparent", None)]
)
def test_a_fill_is_read_and_white_is_none(fill, color):
    assert look(cell=f"background-color='{fill}'").fill == color


def test_borders_are_read():
    found = look(cell="border='0.74pt solid #ff0000' border-left='none' border-top='2.5pt double'")

    assert (found.right, found.left) == (Line(1, "solid", 0xFF0000), Line())
    assert found.top == Line(3, "double", 0)


def test_the_alignment_is_read():
    found = look(
        cell="wrap-option='wrap' vertical-align='middle' rotation-angle='90'",
        paragraph="text-align='end' margin-left='1cm'",
    )

    assert (found.wraps, found.vertical, found.turned) == (True, "middle", "up")
    assert (found.align, found.indent) == ("right", 3)
    assert look(cell="rotation-angle='270'").turned == "down"
    assert look(cell="rotation-angle='30'").turned == ""


def test_a_style_builds_on_others_and_never_endlessly():
    found = styles(
        "<style name='a'><text-properties font-weight='bold' font-style='italic'/></style>",
        "<style name='b' parent-style-name='a'><text-properties font-weight='normal'/></style>",
        "<style name='c' parent-style-name='c'/>",
    )

    assert found.look("b") == PLAIN._replace(italic=True)
    assert found.look("c") == found.look("none") == found.look(None) == PLAIN


def test_columns_have_widths_and_tables_may_be_hidden():
    found = styles(
        "<style name='co1' family='table-column'><table-column-properties column-width='2.258cm'/>"
        "</style>",
        "<style name='ta1' family='table'><table-properties display='false'/></style>",
        "<style name='co1' family='graphic'/>",
    )

    assert found.column_width("co1") == pytest.approx(11.3, abs=0.1)
    assert found.column_width("none") is None
    assert (found.hides("ta1"), found.hides("none")) == (True, False)


@pytest.mark.parametrize(("text", "found"), [("1in", 96), ("1em", None), ("x", None), (None, None)])
def test_lengths_are_pixels(text, found):
    assert pixels(text) == found

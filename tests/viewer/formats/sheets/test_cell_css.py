"""viewer/formats/sheets/cell_css.py"""

import pytest

from viewer.formats.sheets import cell_css
from viewer.formats.sheets.cell_css import (
    DARK_PAGE,
    LEAST_CONTRAST,
    LIGHT_PAGE,
    Stylesheet,
    column_width,
    contrast,
    declarations,
    readable,
)
from viewer.formats.sheets.sheet import PLAIN, WHITE, Line

NONE = Line()


def css(left=NONE, bottom=NONE, **look):
    return declarations(PLAIN._replace(**look), left, bottom, NONE, NONE).split(";")


def test_a_plain_cell_needs_no_rule():
    sheet = Stylesheet()

    assert sheet.name(declarations(PLAIN, NONE, NONE, NONE, NONE)) == ""
    assert sheet.text() == ""


@pytest.mark.parametrize(
    ("look", "rule"),
    [
        ({"bold": True}, "font-weight:650"),
        ({"italic": True}, "font-style:italic"),
        ({"struck": True}, "text-decoration:line-through"),
        ({"underlined": True, "struck": True}, "text-decoration:underline line-through"),
        ({"size": 150}, "font-size:150%"),
        ({"size": 4_000}, "font-size:240%"),
        ({"align": "center"}, "text-align:center"),
        ({"vertical": "top"}, "vertical-align:top"),
        ({"indent": 2}, "padding-inline-start:2.5em"),
        ({"indent": 2, "align": "right"}, "padding-right:2.5em"),
    ],
)
def test_a_look_is_a_rule(look, rule):
    assert rule in css(**look)


def test_a_fill_keeps_its_colors_on_light_and_dark_pages():
    assert css(fill=0xC6EFCE, color=0x006100) == [
        "background:#c6efce",
        "color:#006100",
        "border-color:transparent",
    ]
    assert "color:#ffffff" in css(fill=0x1F497D)


def test_a_pale_grey_is_a_dark_one_on_a_dark_page():
    assert css(fill=0xF2F2F2) == [
        "background:light-dark(#f2f2f2,#303238)",
        "color:light-dark(#000000,#ffffff)",
        "border-color:transparent",
    ]


def test_a_font_color_has_a_shade_for_dark_pages_and_a_grey_is_inverted():
    assert css(color=0xC00000) == ["color:light-dark(#c00000,#e08080)"]
    assert css(color=0x333333) == ["color:light-dark(#333333,#cccccc)"]


def test_lines_have_a_width_a_style_and_a_color_and_white_ones_that_of_the_page():
    assert css(Line(2, "dashed", 0xFF0000), Line(1, "solid", WHITE)) == [
        "border-inline-start:2px dashed light-dark(#ff0000,#ff0000)",
        "border-bottom:1px solid var(--card)",
    ]


@pytest.mark.parametrize("color", [0, 0x000080, 0x777777, 0xFF0000, 0xFFFF00, WHITE])
@pytest.mark.parametrize("background", [LIGHT_PAGE, DARK_PAGE, 0x808080, 0xFFFF00, 0x1F497D, 0])
def test_every_text_can_be_read_on_every_background(color, background):
    assert contrast(readable(color, background), background) >= LEAST_CONTRAST


def test_the_same_look_has_one_class_and_there_are_not_too_many(monkeypatch):
    monkeypatch.setattr(cell_css, "MAX_RULES", 2)
    sheet = Stylesheet()

    assert [sheet.name(rule) for rule in ("a", "b", "a", "c")] == ["s0", "s1", "s0", ""]
    assert sheet.text() == ".grid .s0{a}\n.grid .s1{b}\n"
    bold = [sheet.name_of_cell(PLAIN._replace(size=n), *[NONE] * 4) for n in range(5)]
    assert (bold, len(sheet.cells)) == ([""] * 5, 2)


@pytest.mark.parametrize(("width", "em"), [(0.1, 2), (10, 6.6), (255, 35.6)])
def test_the_width_of_a_column_is_limited(width, em):
    assert column_width(width) == f"width:{em:.1f}em"

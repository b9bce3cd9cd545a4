"""viewer/formats/sheets/xls.py"""

from types import SimpleNamespace

from tests.viewer.samples import xls
from viewer.formats.sheets.sheet import PLAIN, Cell, Line, Merge
from viewer.formats.sheets.xls import Styles, read

BOLD = PLAIN._replace(bold=True)


def test_a_sheet_has_its_values_by_their_formats_and_its_merged_cells():
    (sheet,), hidden, _ = read(xls())

    assert (sheet.name, hidden) == ("Prices", 1)
    assert list(sheet.rows) == [
        (1, {0: Cell("Prices of 2003", look=BOLD), **dict.fromkeys((1, 2), Cell("", look=BOLD))}),
        (
            2,
            {
                0: Cell("Chair"),
                1: Cell("1,234.50", "num"),
                2: Cell("19%", "num"),
                3: Cell("2003-05-09", "num"),
                4: Cell("TRUE", "center"),
            },
        ),
    ]
    assert (sheet.total, sheet.merges) == (2, [Merge(1, 0, 1, 2)])


def font(**more):
    usual = {"bold": 0, "italic": 0, "struck_out": 0, "underline_type": 0}
    return SimpleNamespace(**usual | {"colour_index": 32767, "height": 200} | more)


def style(font_index=0, pattern=0, line=0, **more):
    lines = {f"{side}_line_style": line for side in ("left", "right", "top", "bottom")}
    colors = {f"{side}_colour_index": 10 for side in ("left", "right", "top", "bottom")}
    usual = {"hor_align": 0, "vert_align": 2, "text_wrapped": 0, "indent_level": 0, "rotation": 0}
    return SimpleNamespace(
        font_index=font_index,
        format_key=0,
        background=SimpleNamespace(
            fill_pattern=pattern, pattern_colour_index=13, background_colour_index=65
        ),
        border=SimpleNamespace(**lines, **colors),
        alignment=SimpleNamespace(**usual | more),
    )


def look(one, *fonts):
    """The look of a style in a workbook with these fonts after the usual one."""
    colors = {10: (255, 0, 0), 13: (255, 255, 0), 65: None}
    book = SimpleNamespace(font_list=[font(), *fonts], xf_list=[one], colour_map=colors)
    book.format_map = {}
    return Styles(book)[0].look


def test_a_plain_style_is_plain_and_one_that_is_not_there_too():
    assert look(style()) == PLAIN
    assert Styles(SimpleNamespace(font_list=[], xf_list=[]))[7].look == PLAIN


def test_fonts_fills_lines_and_alignment_are_read():
    title = font(bold=1, italic=1, underline_type=1, height=400, colour_index=10)
    found = look(style(1, 1, 2, hor_align=3, vert_align=0, text_wrapped=1, rotation=180), title)

    assert (found.bold, found.italic, found.underlined, found.struck) == (True, True, True, False)
    assert (found.size, found.color, found.fill) == (200, 0xFF0000, 0xFFFF00)
    assert found.left == found.bottom == Line(2, "solid", 0xFF0000)
    assert (found.align, found.vertical, found.wraps) == ("right", "top", True)
    assert found.turned == "down"


def test_a_date_that_is_left_to_the_country_is_that_of_xlsx():
    formats = {key: SimpleNamespace(format_str="m/d/yy") for key in (14, 15)}
    book = SimpleNamespace(font_list=[font()], xf_list=[], colour_map={}, format_map=formats)
    book.xf_list = [style(), style()]
    book.xf_list[0].format_key, book.xf_list[1].format_key = 14, 15

    assert [Styles(book)[n].code for n in (0, 1)] == ["yyyy-mm-dd", "m/d/yy"]

"""viewer/formats/sheets/xlsx_styles.py"""

import pytest

from tests.viewer.samples import package
from viewer.formats.packages.package import Package
from viewer.formats.sheets.sheet import Line
from viewer.formats.sheets.xlsx_styles import read_styles, tinted

FONT = "<b val='0'/><i/><strike/><u/><sz val='22'/><color rgb='FF00B050'/>"
BOX = "<left style='thin'><color rgb='FF0000FF'/></left><bottom style='double'/><top style='x'/>"


def look(xf, *, font="", fill="", border=""):
    """The look of a cell with the second of these fonts, fills and borders."""
    parts = (
        f"<fonts><font><sz val='11'/></font><font>{font}</font></fonts>"
        f"<fills><fill/><fill>{fill}</fill></fills>"
        f"<borders><border/><border>{border}</border></borders>"
        f"<cellXfs><xf fontId='1' fillId='1' borderId='1'>{xf}</xf></cellXfs>"
    )
    sheet = f"<styleSheet>{parts}</styleSheet>"
    return read_styles(Package(package(xl__styles_dot_xml=sheet)))[0].look


def test_a_font_has_a_weight_a_slant_lines_a_size_and_a_color():
    found = look("", font=FONT)

    assert (found.bold, found.italic, found.struck, found.underlined) == (False, True, True, True)
    assert (found.size, found.color) == (200, 0x00B050)


def test_black_is_the_color_of_the_page():
    assert look("", font="<color rgb='FF000000'/>").color is None


@pytest.mark.parametrize(
    ("fill", "color"),
    [
        ("<patternFill patternType='solid'><fgColor rgb='FFFFC000'/></patternFill>", 0xFFC000),
        ("<patternFill patternType='solid'><fgColor rgb='FFFFFFFF'/></patternFill>", None),
        ("<patternFill patternType='none'/>", None),
        ("<patternFill patternType='mediumGray'/>", 0x808080),
        ("<gradientFill><stop><color rgb='FFFFC000'/></stop></gradientFill>", 0xFFC000),
        ("", None),
    ],
)
def test_a_fill_has_one_color_and_white_is_none(fill, color):
    assert look("", fill=fill).fill == color


def test_borders_have_a_width_a_style_and_a_color():
    found = look("", border=BOX)

    assert (found.left, found.bottom) == (Line(1, "solid", 0x0000FF), Line(3, "double", 0))
    assert found.top == found.right == Line()


def test_the_alignment_is_read():
    found = look(
        "<alignment horizontal='centerContinuous' vertical='center' wrapText='1' indent='99'"
        " textRotation='90'/>"
    )

    assert (found.align, found.vertical, found.wraps) == ("center", "middle", True)
    assert (found.indent, found.turned) == (15, "up")


def test_numbers_that_are_none_are_as_usual():
    assert look("<alignment textRotation='x'/>", font="<sz val='nan'/>").size == 100


THEME = (
    "<theme><clrScheme><dk1><sysClr val='windowText' lastClr='000000'/></dk1>"
    "<accent1><srgbClr val='102030'/></accent1></clrScheme></theme>"
)


def color(element, theme=THEME, own=""):
    """The colour of a font in a workbook with this theme and these colours of its own."""
    styles = (
        f"<styleSheet><fonts><font>{element}</font></fonts><colors><indexedColors>{own}"
        "</indexedColors></colors><cellXfs><xf/></cellXfs></styleSheet>"
    )
    data = package(xl__theme__theme1_dot_xml=theme, xl__styles_dot_xml=styles)
    return read_styles(Package(data))[0].look.color


def test_a_color_is_given_by_its_value_its_number_or_the_theme():
    colors = {
        **{"rgb='FFC00000'": 0xC00000, "rgb='C00000'": 0xC00000, "rgb='red;}'": None},
        **{"theme='0'": 0xFFFFFF, "theme='4'": 0x102030, "theme='5'": 0xC0504D},
        **{"theme='1'": None, "theme='99'": None, "indexed='10'": 0xFF0000, "indexed='64'": None},
        **{"rgb='FF808080' tint='nan'": 0x808080, "auto='1' rgb='FFC00000'": None, "": None},
        **{"rgb='FF808080' tint='1'": 0xFFFFFF, "rgb='FF808080' tint='-9'": None},
    }

    assert {given: color(f"<color {given}/>") for given in colors} == colors


def test_a_damaged_theme_is_that_of_office():
    assert color("<color theme='4'/>", theme="<theme>") == 0x4F81BD


def test_a_workbook_may_have_colors_of_its_own():
    own = "<rgbColor rgb='00112233'/><rgbColor rgb='x'/>"
    shown = [color(f"<color indexed='{n}'/>", own=own) for n in range(3)]

    assert shown == [0x112233, None, 0xFF0000]


@pytest.mark.parametrize(
    ("tint", "color"), [(0, 0x4F81BD), (0.6, 0xB9CDE5), (-0.25, 0x366092), (1, 0xFFFFFF)]
)
def test_a_tint_makes_lighter_or_darker(tint, color):
    parts = zip(tinted(0x4F81BD, tint).to_bytes(3), color.to_bytes(3), strict=True)

    assert all(abs(a - b) <= 2 for a, b in parts)

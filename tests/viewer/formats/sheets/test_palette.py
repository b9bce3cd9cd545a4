"""The colours of viewer/formats/sheets/xlsx_styles.py"""

import pytest

from tests.viewer.samples import package
from viewer.formats.packages.package import Package
from viewer.formats.sheets.xlsx_styles import read_styles, tinted

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

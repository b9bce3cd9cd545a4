"""viewer/formats/sheets/palette.py"""

from xml.etree.ElementTree import fromstring

import pytest

from tests.viewer.samples import package
from viewer.formats.packages.package import Package
from viewer.formats.sheets.palette import Palette, tinted

THEME = (
    "<theme><clrScheme><dk1><sysClr val='windowText' lastClr='000000'/></dk1>"
    "<accent1><srgbClr val='102030'/></accent1></clrScheme></theme>"
)


def palette(*own):
    return Palette(Package(package(xl__theme__theme1_dot_xml=THEME)), own)


@pytest.mark.parametrize(
    ("attributes", "color"),
    [
        ("rgb='FFC00000'", 0xC00000),
        ("rgb='C00000'", 0xC00000),
        ("rgb='red;}'", None),
        ("theme='1'", 0x000000),
        ("theme='4'", 0x102030),
        ("theme='5'", 0xC0504D),
        ("theme='99'", None),
        ("indexed='10'", 0xFF0000),
        ("indexed='64'", None),
        ("auto='1'", None),
        ("rgb='FF808080' tint='nan'", 0x808080),
        ("rgb='FF808080' tint='-9'", 0x000000),
        ("", None),
    ],
)
def test_a_color_is_given_by_its_value_its_number_or_the_theme(attributes, color):
    assert palette().of_element(fromstring(f"<color {attributes}/>")) == color


def test_a_damaged_theme_is_that_of_office():
    damaged = Package(package(xl__theme__theme1_dot_xml="<theme>"))

    assert Palette(damaged).of_theme(4, 0) == 0x4F81BD


def test_a_workbook_may_have_colors_of_its_own():
    assert palette(0x112233, 0).indexed[:3] == [0x112233, 0, 0xFF0000]


@pytest.mark.parametrize(
    ("tint", "color"), [(0, 0x4F81BD), (0.6, 0xB9CDE5), (-0.25, 0x366092), (1, 0xFFFFFF)]
)
def test_a_tint_makes_lighter_or_darker(tint, color):
    parts = zip(tinted(0x4F81BD, tint).to_bytes(3), color.to_bytes(3), strict=True)

    assert all(abs(a - b) <= 2 for a, b in parts)

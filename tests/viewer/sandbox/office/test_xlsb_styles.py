"""viewer/sandbox/office/xlsb_styles.py"""

import struct

import pytest

from tests.viewer.samples import xlsb, xlsb_record
from viewer.sandbox.office.cell_look import Line
from viewer.sandbox.office.package import Package
from viewer.sandbox.office.xlsb_styles import styles

BLACK = bytes(8)


def color(kind, number=0, tint=0, rgb=b"\0\0\0"):
    return struct.pack("<BBh", kind << 1, number, tint) + rgb + b"\xff"


def look(*records, style=3):
    return styles(Package(xlsb(styles=records)))[style].look


def fill(pattern, front):
    """The second fill."""
    empty = xlsb_record(45, bytes(20))
    return empty + xlsb_record(45, struct.pack("<I", pattern) + front + BLACK)


@pytest.mark.parametrize(
    ("front", "found"),
    [
        (color(2, rgb=b"\x12\x34\x56"), 0x123456),
        (color(1, 10), 0xFF0000),
        (color(3, 4), 0x4F81BD),
        (color(3, 4, 32767), None),
        (color(3, 99), None),
    ],
)
def test_a_fill_has_a_color(front, found):
    assert look(fill(1, front)).fill == found


def test_borders_have_a_style_and_a_color():
    line = bytes([5, 0]) + color(1, 12)
    box = b"\0" + bytes(10) + line + bytes(30)
    found = look(xlsb_record(46, bytes(51)), xlsb_record(46, box))

    assert found.bottom == Line(3, "solid", 0x0000FF)
    assert found.top == found.left == Line()


def test_a_style_has_a_font_and_an_alignment():
    font = struct.pack("<4HB3x", 440, 0x0A, 400, 0, 1) + color(1, 10)
    style = struct.pack("<5HBBHH", 0, 0, 2, 0, 0, 90, 3, 0x40 | 1 << 3 | 2, 0)
    found = look(xlsb_record(43, font), xlsb_record(617), xlsb_record(47, style), style=0)

    assert (found.italic, found.struck, found.underlined, found.bold) == (True, True, True, False)
    assert (found.size, found.color) == (200, 0xFF0000)
    assert (found.align, found.vertical, found.wraps) == ("center", "middle", True)
    assert (found.turned, found.indent) == ("up", 3)

"""viewer/sandbox/office/xlsb.py"""

import struct

from tests.viewer.samples import xlsb, xlsb_record, xlsb_text
from viewer.sandbox.office.cell_look import PLAIN
from viewer.sandbox.office.package import Package
from viewer.sandbox.office.sheet import Cell, Column, Merge
from viewer.sandbox.office.xlsb import sheets

BOLD = PLAIN._replace(bold=True)


def read(*cells, **more):
    """The first sheet of a workbook with these cells, and its rows by number."""
    found, _ = sheets(Package(xlsb(*cells, **more)))
    return found[0], dict(found[0].rows)


def test_values_are_shown_as_their_formats_say():
    sheet, rows = read()

    assert sheet.name == "Sales"
    assert list(rows[2].values()) == [
        Cell("Region"),
        Cell("42", "num"),
        Cell("2026-01-31", "num"),
        Cell("19.5%", "num", BOLD),
        Cell("12.34", "num"),
        Cell("TRUE", "center"),
        Cell("#DIV/0!", "center"),
        Cell(""),
        Cell("rich"),
    ]


def test_merged_cells_and_the_last_row_are_known():
    sheet, _ = read()

    assert sheet.merges == [Merge(2, 0, 2, 1)]
    assert sheet.total == 9


def test_the_upper_half_of_a_float_is_a_number():
    packed = struct.unpack("<I", struct.pack("<d", 0.5)[4:])[0]
    _, rows = read(xlsb_record(2, struct.pack("<III", 20, 0, packed)))

    assert rows[2][20] == Cell("0.5", "num")


def test_days_count_from_1904_if_the_workbook_says_so():
    _, rows = read(from_1904=True)

    assert rows[2][2].text == "2030-02-01"


def test_hidden_sheets_are_counted_and_left_out():
    assert sheets(Package(xlsb(hidden=1))) == ([], 1)


def test_a_text_or_a_style_that_is_not_there_is_empty():
    text, style = struct.pack("<III", 20, 0, 99), struct.pack("<III", 21, 99, 42 << 2 | 2)
    _, rows = read(xlsb_record(7, text), xlsb_record(2, style))

    assert (rows[2][20], rows[2][21]) == (Cell(""), Cell("42", "num"))


def test_a_text_of_many_characters_has_a_size_of_two_bytes():
    content = struct.pack("<II", 20, 0) + xlsb_text("x" * 100)
    size = len(content)
    _, rows = read(bytes([6, size & 127 | 128, size >> 7]) + content)

    assert rows[2][20] == Cell("x" * 100)


def test_columns_hidden_rows_frozen_rows_and_grid_lines_are_known():
    sheet, rows = read(
        xlsb_record(60, struct.pack("<4IH", 0, 1, 20 << 8, 0, 1)),
        xlsb_record(485, struct.pack("<I4x", 12 << 8)),
        xlsb_record(137, bytes(30)),
        xlsb_record(151, struct.pack("<ddIIIB", 0, 2, 2, 0, 0, 1)),
        xlsb_record(0, struct.pack("<I", 4) + bytes(7) + b"\x10" + bytes(5)),
    )

    assert sheet.columns == dict.fromkeys((0, 1), Column(20, hidden=True))
    assert (sheet.usual_width, sheet.frozen, sheet.has_grid_lines) == (12, 2, False)
    assert sheet.hidden_rows == {5}

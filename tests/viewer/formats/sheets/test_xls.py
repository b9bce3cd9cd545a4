"""viewer/formats/sheets/xls.py"""

from struct import pack
from types import SimpleNamespace

from tests.viewer.samples import xls
from viewer.formats.sheets import xls as reader
from viewer.formats.sheets.cells import Cell, Merge
from viewer.formats.sheets.xls import _style, read


def test_a_sheet_has_its_values_by_their_formats_and_its_merged_cells():
    (sheet,), left_out = read(xls())

    assert (sheet.name, left_out["hidden sheet"]) == ("Prices", 1)
    assert list(sheet.rows) == [
        (1, {0: Cell("Prices of 2003", bold=True), **dict.fromkeys((1, 2), Cell("", bold=True))}),
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


def test_charts_are_counted(monkeypatch):
    assert [reader._charts(data) for data in (b"", b"\x09\x08\x08\0", xls())] == [0, 0, 0]

    records = [(0x0809, 0x0005), (0x000A, 0), (0x0809, 0x0020), (0x0809, 0x0020)]
    stream = b"".join(pack("<HHHH", kind, 4, 0x0600, what) for kind, what in records)
    monkeypatch.setattr(reader.CompDoc, "get_named_stream", lambda *_: stream)
    assert reader._charts(xls()) == 2


def styled(key, formats=()):
    """A workbook with one font and a style of this number format."""
    known = {key: SimpleNamespace(format_str=code) for key, code in formats}
    return SimpleNamespace(font_list=[SimpleNamespace(bold=0)], format_map=known), SimpleNamespace(
        font_index=0, format_key=key
    )


def test_a_date_that_is_left_to_the_country_is_that_of_xlsx():
    codes = [_style(*styled(key, [(key, "m/d/yy")])).code for key in (14, 15)]

    assert codes == ["yyyy-mm-dd", "m/d/yy"]
    assert _style(*styled(999)).code == "General"

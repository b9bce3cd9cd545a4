"""viewer/formats/sheets/xls.py"""

from tests.viewer.samples import xls
from viewer.formats.sheets.sheet import PLAIN, Cell, Merge
from viewer.formats.sheets.xls import read

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

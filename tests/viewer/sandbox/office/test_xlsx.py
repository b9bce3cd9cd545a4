"""viewer/sandbox/office/xlsx.py"""

import pytest

from tests.viewer.samples import xlsx
from viewer.sandbox.office.package import Package
from viewer.sandbox.office.xlsx import _column, _date, _is_date, read


def test_a_sheet_with_its_name_texts_dates_and_gaps():
    html, counts = read(Package(xlsx()))

    assert counts == ["1 sheet"]
    assert html == (
        "<section><h2>Sales</h2><table>"
        "<tr><th>Region</th><th>Day</th><td></td><th>Units</th></tr>"
        '<tr><td>North</td><td>2026-01-31</td><td></td><td class="num">1234</td></tr>'
        "<tr><td>TRUE</td><td></td><td></td><td></td></tr></table></section>"
    )


@pytest.mark.parametrize(
    ("reference", "column"), [("A1", 0), ("Z9", 25), ("AB12", 27), (None, 5), ("XFD1", 200)]
)
def test_the_column_of_a_reference(reference, column):
    assert _column(reference, 5 if reference is None else 0) == column


@pytest.mark.parametrize(
    ("format_id", "code", "dated"),
    [
        ("14", "", True),
        ("0", "", False),
        ("164", "yyyy-mm-dd", True),
        ("165", '0.00 "days"', False),
    ],
)
def test_which_formats_are_dates(format_id, code, dated):
    assert _is_date(format_id, code) is dated


@pytest.mark.parametrize(
    ("stored", "shown"),
    [("46053", "2026-01-31"), ("46053.5", "2026-01-31 12:00"), ("1e300", "1e300"), ("x", "x")],
)
def test_dates_as_people_write_them(stored, shown):
    assert _date(stored) == shown

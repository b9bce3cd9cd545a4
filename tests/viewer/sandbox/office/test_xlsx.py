"""viewer/sandbox/office/xlsx.py"""

import re

import pytest

from tests.viewer.samples import xlsx
from viewer.sandbox.office.package import Package
from viewer.sandbox.office.xlsx import read


def cells(row, **style):
    """The texts of the cells of a sheet that has this one row."""
    html, _ = read(Package(xlsx(f"<row>{row}</row>", **style)))
    return re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", html)


def test_a_sheet_has_its_name_its_texts_its_dates_and_its_gaps():
    html, counts = read(Package(xlsx()))

    assert counts == ["1 sheet"]
    assert html == (
        "<section><h2>Sales</h2><table>"
        "<tr><th>Region</th><th>Day</th><td></td><th>Units</th></tr>"
        '<tr><td>North</td><td>2026-01-31</td><td></td><td class="num">1234</td></tr>'
        "<tr><td>TRUE</td><td></td><td></td><td></td></tr></table></section>"
    )


@pytest.mark.parametrize(("reference", "column"), [("A1", 0), ("Z9", 25), ("AB12", 27)])
def test_a_cell_stands_in_the_column_of_its_reference(reference, column):
    assert cells(f'<c r="{reference}"><v>7</v></c>') == [""] * column + ["7"]


def test_a_cell_without_a_reference_follows_the_one_before():
    assert cells("<c><v>7</v></c><c><v>8</v></c>") == ["7", "8"]


def test_columns_beyond_the_limit_are_left_out():
    assert len(cells('<c r="XFD1"><v>7</v></c>')) == 200


@pytest.mark.parametrize(
    ("format_id", "code", "shown"),
    [
        ("14", "", "2026-01-31"),
        ("0", "", "46053"),
        ("164", "yyyy-mm-dd", "2026-01-31"),
        ("165", "0.00 &quot;days&quot;", "46053"),
    ],
)
def test_a_number_with_a_date_format_is_shown_as_a_date(format_id, code, shown):
    assert cells('<c s="1"><v>46053</v></c>', format_id=format_id, code=code) == [shown]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [("46053.5", "2026-01-31 12:00"), ("1e300", "1e300"), ("x", "x")],
)
def test_a_date_has_its_time_and_a_malformed_one_stays_as_it_is(stored, shown):
    assert cells(f'<c s="1"><v>{stored}</v></c>') == [shown]

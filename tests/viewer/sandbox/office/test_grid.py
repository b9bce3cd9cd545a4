"""viewer/sandbox/office/grid.py"""

from viewer.sandbox.office.grid import MOST_CELLS, MOST_COLUMNS, html_table


def test_a_header_numbers_and_even_lines():
    assert html_table([["A", "B"], ["<x>"], ["y", "1,5"]]) == (
        "<table><tr><th>A</th><th>B</th></tr><tr><td>&lt;x&gt;</td><td></td></tr>"
        '<tr><td>y</td><td class="num">1,5</td></tr></table>'
    )


def test_the_limits_hold_and_are_told():
    html = html_table(["x"] * 500 for _ in range(MOST_CELLS))

    assert html.count("<td>") <= MOST_CELLS + 2 * MOST_COLUMNS
    assert "longer" in html


def test_one_wide_line_does_not_widen_thousands():
    html = html_table([["x"] * 200, *([["y"]] * 15_000)])

    assert html.count("<td>") < 2 * MOST_CELLS


def test_no_rows_are_an_empty_table():
    assert html_table([]) == "<table></table>"

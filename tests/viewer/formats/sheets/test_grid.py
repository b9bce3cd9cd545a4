"""viewer/formats/sheets/grid.py"""

from viewer.formats.sheets.grid import MAX_CELLS, MAX_COLUMNS, html_table


def test_a_table_has_a_header_aligned_numbers_and_rows_of_equal_width():
    assert html_table([["A", "B"], ["<x>"], ["y", "1,5"]]) == (
        "<table><tr><th>A</th><th>B</th></tr><tr><td>&lt;x&gt;</td><td></td></tr>"
        '<tr><td>y</td><td class="num">1,5</td></tr></table>'
    )


def test_cells_above_the_limit_are_left_out_with_a_note():
    html = html_table(["x"] * 500 for _ in range(MAX_CELLS))

    assert html.count("<td>") <= MAX_CELLS + 2 * MAX_COLUMNS
    assert "longer" in html


def test_one_wide_row_does_not_pad_thousands_of_rows():
    html = html_table([["x"] * 200, *([["y"]] * 15_000)])

    assert html.count("<td>") < 2 * MAX_CELLS


def test_no_rows_give_an_empty_table():
    assert html_table([]) == "<table></table>"

"""viewer/formats/sheets/sheet_grid.py"""

import re

from viewer.formats.sheets.sheet import PLAIN, Cell, Column, Line, Merge, Sheet
from viewer.formats.sheets.workbook import sheets_html

RED = PLAIN._replace(fill=0xFF0000)
UNDER = PLAIN._replace(bottom=Line(1))
OVER = PLAIN._replace(top=Line(2))


def shown(rows, **facts):
    """The HTML and the CSS of one sheet with these cells."""
    html, css, _ = sheets_html([Sheet("A", list(rows.items()), **facts)])
    return html, css


def rows_of(html):
    return re.findall(r'<tr><th scope="row">(\d+)</th>(.*?)</tr>', html)


def test_cells_of_one_look_share_a_class():
    bold = PLAIN._replace(bold=True)
    html, css = shown({1: {0: Cell("a", "", bold), 1: Cell("1", "num", bold), 2: Cell("b")}})

    assert '<td class="s0">a</td><td class="num s0">1</td><td>b</td>' in html
    assert css == ".grid .s0{font-weight:650}\n"


def test_a_line_between_two_cells_is_drawn_once_the_thicker_one():
    html, css = shown({1: {0: Cell("a", "", UNDER)}, 2: {0: Cell("b", "", OVER)}})

    assert '<td class="s0">a</td>' in html
    assert "<td>b</td>" in html
    assert css == ".grid .s0{border-bottom:2px solid light-dark(#000000,#808080)}\n"


def test_lines_at_the_edge_of_the_sheet_are_drawn():
    box = PLAIN._replace(**dict.fromkeys(("left", "right", "top", "bottom"), Line(1)))
    _, css = shown({1: {0: Cell("a", "", box)}})

    assert re.findall(r"border-([\w-]+)", css) == [
        "inline-start",
        "bottom",
        "inline-end",
        "top",
    ]


def test_the_line_below_a_merged_cell_is_that_of_its_last_row():
    cells = {1: {0: Cell("a")}, 2: {0: Cell("", "", UNDER)}, 3: {0: Cell("b")}}
    html, _ = shown(cells, merges=[Merge(1, 0, 2, 0)])

    assert '<td class="s0" rowspan="2">a</td>' in html


def test_empty_cells_with_a_fill_are_drawn_near_the_texts_only():
    cells = {n: dict.fromkeys(range(150), Cell("", "", RED)) for n in range(2, 90)}
    html, _ = shown({1: {0: Cell("a")}, **cells})

    assert len(rows_of(html)) == 21
    assert html.count('<th scope="col">') == 14


def test_a_long_text_does_not_go_over_another_fill_or_a_line():
    text = "A title that is long"
    html, _ = shown({1: {0: Cell(text), 1: Cell("", "", RED)}, 2: {0: Cell(text), 2: Cell("x")}})

    assert f"<td>{text}</td><td" in html
    assert f'<td colspan="2">{text}</td>' in html


def test_columns_are_as_wide_as_the_file_says():
    html, css = shown({1: {0: Cell("a"), 2: Cell("b")}}, columns={0: Column(20)}, usual_width=10)

    assert "<colgroup><col><col class=s0><col class=s1><col class=s1></colgroup>" in html
    assert css == ".grid .s0{width:12.4em}\n.grid .s1{width:6.6em}\n"
    assert '<table class="sized">' in html


def test_without_widths_in_the_file_columns_are_as_wide_as_their_texts():
    assert "<col" not in shown({1: {0: Cell("a")}})[0]


def test_a_text_is_wrapped_where_its_cell_says_so():
    wraps = PLAIN._replace(wraps=True)
    cells = {0: Cell("some words", "", wraps), 1: Cell("x" * 40, "", wraps), 2: Cell("a" * 40)}
    html, _ = shown({1: cells}, columns={0: Column(5)})

    assert '<td class="wraps">some words</td><td class="breaks">xx' in html
    assert "<td>aaa" in html


def test_hidden_rows_and_columns_are_left_out_and_counted():
    cells = {n: {c: Cell(f"{n}{c}") for c in range(4)} for n in range(1, 6)}
    columns = {1: Column(9, hidden=True), 2: Column(9, hidden=True)}
    html, _ = shown(cells, columns=columns, hidden_rows={3}, merges=[Merge(1, 0, 1, 3)])

    assert "1 hidden row and 2 hidden columns are not shown." in html
    assert re.findall(r'<th scope="col">(\w)</th>', html) == ["A", "D"]
    assert [number for number, _ in rows_of(html)] == ["1", "2", "4", "5"]
    assert '<td class="over" colspan="2">10</td>' in html


def test_frozen_rows_are_in_the_head_unless_they_are_many_or_a_merged_cell_leaves_them():
    cells = {n: {0: Cell("x")} for n in range(1, 9)}

    def head(**facts):
        return rows_of(shown(cells, **facts)[0].partition("</thead>")[0])

    assert [number for number, _ in head(frozen=2)] == ["1", "2"]
    assert head(frozen=7) == []
    assert head(frozen=2, merges=[Merge(2, 0, 3, 0)]) == []


def test_a_sheet_can_be_without_grid_lines():
    assert '<table class="unruled">' in shown({1: {0: Cell("a")}}, has_grid_lines=False)[0]


def test_the_first_column_may_be_on_the_right():
    assert 'aria-label="A" dir=rtl><table>' in shown({1: {0: Cell("a")}}, from_right=True)[0]


def test_a_standing_text_has_a_class():
    assert '<td class="up">a</td>' in shown({1: {0: Cell("a", "", PLAIN._replace(turned="up"))}})[0]

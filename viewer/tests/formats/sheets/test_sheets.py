"""viewer/formats/sheets/sheets.py and grid.py"""

import re
from collections import Counter

import pytest

from viewer.formats.sheets import sheets
from viewer.formats.sheets.cells import MAX_CELLS, MAX_COLUMNS, Cell, Merge, Sheet
from viewer.formats.sheets.grid import MAX_GAP, column_name
from viewer.formats.sheets.sheets import CALCULATED_NOTE, MAX_SHEETS, render, sheets_html
from viewer.tests.samples import xlsx


def table(rows, merges=(), **facts):
    """The HTML of one sheet with these texts: {row: {column: text}}."""
    cells = [(number, {c: Cell(text) for c, text in row.items()}) for number, row in rows.items()]
    html, _ = sheets_html([Sheet("A", cells, merges, **facts)])
    return html


def body(rows, merges=()):
    """The rows below the head, without their numbers."""
    return re.findall(r"<tr><th>\d+(.*?)(?=<tr>|</table>)", table(rows, merges), re.S)


def test_a_sheet_has_column_letters_and_row_numbers():
    html = table({1: {0: "a", 2: "<b>"}})

    assert re.findall(r"<th>([A-Z]+)", html) == ["A", "B", "C"]
    assert "<tr><th>1<td>a<td><td>&lt;b>" in html


@pytest.mark.parametrize(("number", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ")])
def test_columns_are_named_by_letters(number, name):
    assert column_name(number) == name


def test_several_sheets_have_links_above():
    html, _ = sheets_html([Sheet(name, [(1, {0: Cell("x")})]) for name in ("One", "<Two>")])

    assert '<a href="#sheet-2" id="tab-2">&lt;Two&gt;</a>' in html
    assert html.count('<section class="worksheet"') == 2
    assert "<nav" not in table({1: {0: "x"}})


def test_merged_cells_span_the_rows_and_columns_that_are_shown():
    merges = [Merge(1, 0, 2, 1), Merge(2, 2, 999, 999)]

    assert body({1: {0: "a", 3: "b"}, 2: {2: "c"}, 3: {0: "d"}}, merges) == [
        "<td colspan=2 rowspan=2>a<td><td>b",
        "<td colspan=2 rowspan=2>c",
        "<td>d<td>",
    ]


@pytest.mark.parametrize(
    "merge", [Merge(2, 1, 3, 2), Merge(9, 9, 9, 9), Merge(3, 3, 1, 1), Merge(2, 2, 2, 2)]
)
def test_a_merge_that_overlaps_or_covers_nothing_is_left_out(merge):
    rows = {n: dict.fromkeys(range(3), "x") for n in (1, 2, 3)}

    assert body(rows, [Merge(1, 0, 2, 1), merge]) == body(rows, [Merge(1, 0, 2, 1)])


def test_many_overlapping_merges_cost_little():
    rows = {n: {0: "x", 199: "x"} for n in range(1, 2_000)}

    assert table(rows, [Merge(1, 0, 9_999, 9_999)] * 10_000).count("<tr>") == 2_000


def test_a_long_text_reaches_over_empty_cells_as_far_as_the_next():
    assert body({1: {0: "A title that is long", 3: "x"}, 2: {0: "short", 3: "x"}}) == [
        "<td colspan=3>A title that is long<td>x",
        "<td>short<td><td><td>x",
    ]


def test_a_text_over_the_last_columns_makes_none_wider():
    assert body({1: {0: "A title that is long"}, 2: {0: "a", 1: "b"}, 3: {0: "long " * 99}}) == [
        "<td class=over colspan=2>A title that is long",
        "<td>a<td>b",
        f"<td class=long colspan=2>{'long ' * 99}",
    ]


def test_lines_of_a_cell_are_kept_and_only_long_ones_broken():
    html = table({1: {0: "In\nCHF"}, 2: {0: f"a\n{'b' * 61}"}})

    assert "<td class=lines>In\nCHF" in html
    assert f"<td class=long>a\n{'b' * 61}" in html


def test_empty_rows_are_shown_unless_they_are_many():
    assert len(body({2: {0: "a"}, 4: {0: "b"}, 1_000: {0: "c"}})) == 5
    assert len(body({1: {0: "a"}, 2 + MAX_GAP: {0: "b"}})) == 2 + MAX_GAP
    assert len(body({1: {0: "a"}, 3 + MAX_GAP: {0: "b"}})) == 2


def test_formulas_without_a_value_are_counted():
    rows = [(1, {0: Cell("=A1", "formula"), 1: Cell("x")})]

    assert sheets_html([Sheet("A", rows)])[1] == 1


@pytest.mark.slow
def test_rows_above_the_limit_are_left_out_with_a_note():
    html = table({n: {0: "x"} for n in range(1, MAX_CELLS)}, total=MAX_CELLS - 1)
    shown = html.count("<tr>") - 1

    assert shown < MAX_CELLS / 2
    assert f"the first {shown:,} rows of {MAX_CELLS - 1:,}" in html
    assert html.index("the first") < html.index("<table>")


def test_a_large_sheet_leaves_room_for_the_others():
    many = ((n, {0: Cell("x")}) for n in range(1, MAX_CELLS))
    others = [Sheet(f"S{n}", [(r, {0: Cell("y")}) for r in range(1, 99)]) for n in range(9)]
    html, _ = sheets_html([Sheet("Large", many), *others])

    assert html.count("<td>y") == 9 * 98


def test_columns_and_sheets_above_the_limit_are_left_out():
    html = table({1: {0: "a", 16_000: "b"}})

    assert f"{MAX_COLUMNS} of 16,001 columns" in html
    assert html.count("<th>") == MAX_COLUMNS + 2
    sections = sheets_html([Sheet("A", [])] * (MAX_SHEETS + 5))[0]
    assert sections.count("<section") == MAX_SHEETS


def test_a_sheet_that_takes_too_long_is_cut_with_a_note(monkeypatch):
    monkeypatch.setattr(sheets, "SECONDS", 0)

    assert "the first 0 rows" in table({1: {0: "a"}, 2: {0: "b"}}, total=2)


def test_the_html_is_limited():
    html = table({n: {0: "<" * 5_000} for n in range(1, 3_000)})

    assert len(html) < 8 << 20
    assert "the first" in html


def test_an_empty_sheet_says_so():
    assert "This sheet is empty." in table({})


def test_rows_that_go_backwards_end_the_sheet():
    cells = {0: Cell("x")}
    html, _ = sheets_html([Sheet("A", [(5, cells), (5, cells), (2, cells)])])

    assert "the first 1 row" in html


def test_hidden_rows_and_columns_are_left_out_and_counted():
    cells = {n: {c: f"{n}{c}" for c in range(4)} for n in range(1, 6)}
    hidden = {"hidden_columns": {1, 2}, "hidden_rows": {3}}
    html = table(cells, merges=[Merge(1, 0, 1, 3)], **hidden)

    assert "2 hidden columns and 1 hidden row are not shown." in html
    assert re.findall(r"<th>([A-Z])", html) == ["A", "D"]
    assert re.findall(r"<th>(\d)", html) == ["1", "2", "4", "5"]
    assert "<td class=over colspan=2>10" in html
    assert "21" not in html


def test_bold_cells_are_bold():
    html, _ = sheets_html([Sheet("A", [(1, {0: Cell("9", "num", bold=True)})])])

    assert '<td class="num bold">9' in html


def test_the_first_column_may_be_on_the_right():
    assert 'aria-label="A" dir=rtl><table>' in table({1: {0: "a"}}, from_right=True)


def test_a_comment_opens_in_its_cell_and_is_named_by_its_place():
    rows = [(2, {1: Cell("9", "num", comment="Why <9>?"), 3: Cell("", comment="empty")})]
    html, _ = sheets_html([Sheet("A", rows, comments=2)])

    assert '<td class=num>9<details class=comment><summary aria-label="Comment on B2">' in html
    assert "<p>Why &lt;9>?</p></details>" in html
    assert '<td><details class=comment><summary aria-label="Comment on D2">' in html
    assert "not shown" not in html


def test_a_long_text_does_not_reach_over_a_comment():
    rows = [(1, {0: Cell("A title that is long"), 1: Cell("", comment="x"), 2: Cell("y")})]

    assert "colspan" not in sheets_html([Sheet("A", rows, comments=1)])[0]


def test_comments_of_hidden_cells_are_counted():
    cells = {0: Cell("a", comment="x"), 1: Cell("b", comment="y")}
    hidden = {"hidden_columns": {1}, "hidden_rows": {2}}
    html, _ = sheets_html([Sheet("A", [(1, cells), (2, cells)], comments=4, **hidden)])

    assert "3 comments, 1 hidden column and 1 hidden row are not shown." in html


@pytest.mark.parametrize(
    "more", [{"has_drawing": True}, {"left_out": Counter({"conditional format": 2})}]
)
def test_a_sheet_that_has_something_but_values_says_so(more):
    html, _ = sheets_html([Sheet("A", [], **more)])

    assert "This sheet has no values." in html
    assert "empty" not in html


def test_a_workbook_that_libreoffice_made_says_that_formulas_may_have_other_results():
    formula = xlsx("<row><c><f>1+1</f><v>2</v></c></row>")
    value = xlsx("<row><c><v>2</v></c></row>")

    def note(data, **options):
        return next(render(data, options))[0]["note"]

    assert note(formula, converted=True) == CALCULATED_NOTE
    assert note(formula) == note(value, converted=True) == ""
    for constant in ("TRUE()", "FALSE()", "NA()", ""):
        made = xlsx(f'<row><c t="b"><f aca="false">{constant}</f><v>1</v></c></row>')
        assert note(made, converted=True) == "", constant


def test_a_workbook_names_what_its_sheets_hold_beside_their_values():
    rule = '<conditionalFormatting><cfRule type="dataBar"/></conditionalFormatting>'
    about, _ = next(render(xlsx(after=rule + '<controls><control shapeId="1"/></controls>'), {}))

    assert about["note"] == "1 conditional format and 1 form control are not shown."

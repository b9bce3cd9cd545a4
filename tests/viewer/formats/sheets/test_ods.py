"""viewer/formats/sheets/ods.py"""

import pytest

from tests.viewer.samples import ods, package
from viewer.formats.packages.package import Package
from viewer.formats.sheets.cells import MAX_CELLS, Cell, Merge
from viewer.formats.sheets.ods import MAX_REPEATED_ROWS
from viewer.formats.sheets.ods import read as read_package

START = '<o:document-content xmlns:o="o" xmlns:t="t" xmlns:b="b" xmlns:s="s" xmlns:f="f">'
STYLES = (
    '<s:style s:name="strong"><s:text-properties f:font-weight="bold"/></s:style>'
    '<s:style s:name="away"><s:table-properties b:display="false"/></s:style>'
)


def read(tables):
    content = f"{START}{STYLES}{tables}</o:document-content>"
    return read_package(Package(package(content_dot_xml=content)))


def rows(text):
    ((sheet,), _) = read(f'<b:table b:name="A">{text}</b:table>')
    return dict(sheet.rows), sheet


def cell(inner):
    return rows(f"<b:table-row>{inner}</b:table-row>")[0][1][0]


def test_sheets_have_names_and_cells_as_they_were_shown():
    (sheet,), left_out = read_package(Package(ods()))

    assert (sheet.name, left_out.total()) == ("Costs", 0)
    assert list(sheet.rows) == [
        (1, {0: Cell("Item"), 1: Cell("Price")}),
        (2, {0: Cell("Chair"), 1: Cell("9.50"), 2: Cell("9.50")}),
    ]


@pytest.mark.parametrize(
    ("inner", "shown"),
    [
        (
            '<b:table-cell o:value-type="float" o:value="9.5"><t:p>9.50 €</t:p></b:table-cell>',
            Cell("9.50 €", "num"),
        ),
        (
            '<b:table-cell o:value-type="boolean"><t:p>TRUE</t:p></b:table-cell>',
            Cell("TRUE", "center"),
        ),
        (
            '<b:table-cell b:style-name="strong"><t:p>a<t:s t:c="2"/>b</t:p><t:p>c</t:p>'
            "</b:table-cell>",
            Cell("a  b\nc", bold=True),
        ),
        (
            '<b:table-cell b:formula="of:=SUM([.A1:.A3])+[Other.B2]"/>',
            Cell("=SUM([.A1:.A3])+[Other.B2]", "formula"),
        ),
        (
            "<b:table-cell><t:p>a<t:line-break/>b</t:p><o:annotation><t:p>no</t:p></o:annotation></b:table-cell>",
            Cell("a\nb"),
        ),
    ],
)
def test_a_cell_is_shown_by_its_type(inner, shown):
    assert cell(inner) == shown


def test_repeated_rows_and_cells_are_repeated_and_empty_ones_skipped():
    found, sheet = rows(
        '<b:table-row b:number-rows-repeated="3"><b:table-cell/></b:table-row>'
        '<b:table-row b:number-rows-repeated="2"><b:table-cell b:number-columns-repeated="2"/>'
        '<b:table-cell b:number-columns-repeated="2"><t:p>x</t:p></b:table-cell></b:table-row>'
        '<b:table-row b:number-rows-repeated="1048571"><b:table-cell/></b:table-row>'
    )

    assert found == {4: {2: Cell("x"), 3: Cell("x")}, 5: {2: Cell("x"), 3: Cell("x")}}
    assert sheet.total == 5


def test_spans_are_merged_cells():
    _, sheet = rows(
        '<b:table-row><b:table-cell/><b:table-cell b:number-columns-spanned="2" '
        'b:number-rows-spanned="3"><t:p>x</t:p></b:table-cell><b:covered-table-cell/></b:table-row>'
    )

    assert sheet.merges == [Merge(1, 1, 3, 2)]


def test_hidden_sheets_are_counted_and_left_out():
    found, left_out = read('<b:table b:name="A"/><b:table b:name="B" b:style-name="away"/>')

    assert [sheet.name for sheet in found] == ["A"]
    assert left_out["hidden sheet"] == 1


def test_repetitions_are_limited():
    full = '<b:table-cell b:number-columns-repeated="99999999"><t:p>x</t:p></b:table-cell>'
    found, sheet = rows(f'<b:table-row b:number-rows-repeated="99999999">{full}</b:table-row>' * 9)

    assert len(found) <= MAX_REPEATED_ROWS
    assert sum(map(len, found.values())) < MAX_CELLS + 200
    assert sheet.cut


def test_hidden_rows_and_columns_and_the_direction_are_known():
    table = (
        '<b:table b:name="A" b:style-name="arabic">'
        '<b:table-column b:number-columns-repeated="2" b:visibility="collapse"/>'
        '<b:table-column b:default-cell-style-name="strong"/>'
        '<b:table-row b:visibility="filter"><b:table-cell/><b:table-cell/>'
        "<b:table-cell><t:p>x</t:p></b:table-cell></b:table-row></b:table>"
    )
    arabic = '<s:style s:name="arabic"><s:table-properties s:writing-mode="rl-tb"/></s:style>'
    ((sheet,), _) = read(arabic + table)

    assert (sheet.hidden_columns, sheet.hidden_rows, sheet.from_right) == ({0, 1}, {1}, True)
    assert dict(sheet.rows) == {1: {2: Cell("x", bold=True)}}


def test_damaged_styles_are_left_out():
    content = f'{START}<b:table b:name="A"/></o:document-content>'
    found, *_ = read_package(Package(package(content_dot_xml=content, styles_dot_xml="<x>")))

    assert [sheet.name for sheet in found] == ["A"]


def test_cells_build_on_styles_that_have_names():
    named = '<x><style name="base"><text-properties font-weight="bold"/></style></x>'
    own = '<s:style s:name="ce1" s:parent-style-name="base"/>'
    table = (
        '<b:table b:name="A"><b:table-row><b:table-cell b:style-name="ce1"><t:p>x</t:p>'
        "</b:table-cell></b:table-row></b:table>"
    )
    content = f"{START}{own}{table}</o:document-content>"
    ((sheet,), *_) = read_package(Package(package(content_dot_xml=content, styles_dot_xml=named)))

    assert dict(sheet.rows) == {1: {0: Cell("x", bold=True)}}

"""viewer/formats/sheets/xlsx.py"""

import pytest

from viewer.formats.packages.package import Package
from viewer.formats.sheets import xlsx as reader
from viewer.formats.sheets.cells import MAX_COLUMNS, Cell, Merge
from viewer.tests.samples import (
    RELATIONSHIPS,
    commented,
    relationships,
    typed_relationships,
    xlsx,
)


def read(*rows, **more):
    """The first sheet of a workbook that has these rows, and its rows by number."""
    found = reader.read(Package(xlsx("".join(rows), **more))).sheets
    return found[0], dict(found[0].rows)


def cells(row, **style):
    """The cells of a sheet that has this one row, by column."""
    return read(f"<row>{row}</row>", **style)[1][1]


def test_a_sheet_has_its_name_its_texts_its_dates_and_its_gaps():
    sheet, rows = read("")

    assert sheet.name == "Sales"
    assert rows == {
        1: {0: Cell("Region"), 1: Cell("Day"), 3: Cell("Units")},
        2: {0: Cell("North"), 1: Cell("2026-01-31", "num"), 3: Cell("1234", "num")},
        3: {0: Cell("TRUE", "center")},
    }


@pytest.mark.parametrize(("reference", "column"), [("A1", 0), ("Z9", 25), ("AB12", 27), ("", 0)])
def test_a_cell_stands_in_the_column_of_its_reference(reference, column):
    assert cells(f'<c r="{reference}"><v>7</v></c>') == {column: Cell("7", "num")}


def test_a_cell_without_a_reference_follows_the_one_before():
    assert cells('<c r="C1"><v>7</v></c><c><v>8</v></c>').keys() == {2, 3}


def test_rows_are_numbered_by_their_attribute_or_their_order():
    rows = [f"<row{r}><c><v>1</v></c></row>" for r in (' r="3"', "", ' r="9"', ' r="x"')]

    assert list(read(*rows)[1]) == [3, 4, 9, 10]


@pytest.mark.parametrize(
    ("format_id", "code", "shown"),
    [
        ("0", "", "46053"),
        ("4", "", "46,053.00"),
        ("14", "", "2026-01-31"),
        ("164", "yyyy-mm-dd", "2026-01-31"),
        ("165", "0.00 &quot;days&quot;", "46053.00 days"),
    ],
)
def test_a_number_is_shown_by_its_format(format_id, code, shown):
    assert cells('<c s="1"><v>46053</v></c>', format_id=format_id, code=code) == {
        0: Cell(shown, "num")
    }


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("<c><v>31001.0</v></c>", Cell("31001", "num")),
        ("<c><v>x</v></c>", Cell("x")),
        ('<c t="e"><v>#N/A</v></c>', Cell("#N/A", "center")),
        ('<c t="b"><v>0</v></c>', Cell("FALSE", "center")),
        ('<c t="str"><f>A1</f><v>text</v></c>', Cell("text")),
        ('<c t="d"><v>2026-01-31</v></c>', Cell("2026-01-31")),
        ('<c t="str"><f>IF(A1,"x","")</f><v></v></c>', Cell("")),
        ('<c t="str"><v>a_x0009_b_x005F_</v></c>', Cell("a\tb_")),
        ('<c t="s"><v>99</v></c>', Cell("")),
        ('<c t="s"><v>-1</v></c>', Cell("")),
        ('<c s="2"><v>1</v></c>', Cell("1", "num", bold=True)),
        ('<c s="999"><v>1</v></c>', Cell("1", "num")),
        ("<c><f>SUM(A1:A3)</f><v>6</v></c>", Cell("6", "num")),
    ],
)
def test_a_value_is_shown_by_its_type(cell, shown):
    assert cells(cell) == {0: shown}


def test_a_formula_without_a_stored_value_is_shown_itself():
    assert cells("<c><f>SUM(A1:A3)</f></c>") == {0: Cell("=SUM(A1:A3)", "formula")}


def test_runs_of_a_text_are_joined_without_phonetic_ones():
    texts = "<sst><si><r><t>東</t></r><r><t>京</t></r><rPh><t>トウキョウ</t></rPh></si></sst>"

    assert cells('<c t="s"><v>0</v></c>', xl__sharedStrings_dot_xml=texts) == {0: Cell("東京")}


def test_merged_cells_and_the_last_row_are_known():
    after = '<mergeCells><mergeCell ref="A1:C2"/><mergeCell ref="nonsense"/></mergeCells>'
    part = f'<worksheet><dimension ref="A1:C7"/><sheetData/>{after}</worksheet>'
    sheet, _ = read(xl__worksheets__sheet1_dot_xml=part)

    assert sheet.merges == [Merge(1, 0, 2, 2)]
    assert sheet.total == 7


def test_hidden_sheets_are_counted_and_left_out():
    book = (
        f'<workbook xmlns:r="{RELATIONSHIPS}"><sheets><sheet name="A" r:id="rId1"/>'
        '<sheet name="B" state="veryHidden" r:id="rId1"/><sheet name="C" r:id="none"/>'
        "</sheets></workbook>"
    )
    found, left_out = reader.read(Package(xlsx(xl__workbook_dot_xml=book)))

    assert [sheet.name for sheet in found] == ["A"]
    assert left_out["hidden sheet"] == 1


def test_days_count_from_1904_if_the_workbook_says_so():
    book = (
        f'<workbook xmlns:r="{RELATIONSHIPS}"><workbookPr date1904="1"/>'
        '<sheets><sheet name="A" r:id="rId1"/></sheets></workbook>'
    )

    assert cells('<c s="1"><v>1</v></c>', xl__workbook_dot_xml=book)[0].text == "1904-01-02"


def test_a_part_that_is_too_large_is_shown_from_its_start():
    rows = "".join(f'<row r="{n}"><c><v>{n}</v></c></row>' for n in range(1, 2_000))
    package = Package(xlsx(rows), max_total=20_000)
    (sheet,) = reader.read(package).sheets

    assert 100 < len(list(sheet.rows)) < 2_000
    assert sheet.cut


def test_a_dtd_in_a_sheet_is_refused():
    part = '<!DOCTYPE x [<!ENTITY a "b">]><worksheet><row><c><v>&a;</v></c></row></worksheet>'

    with pytest.raises(ValueError, match="DTD"):
        read("", xl__worksheets__sheet1_dot_xml=part)


def test_a_sheet_that_is_a_chart_is_none():
    chart = relationships(rId1="chartsheets/sheet1.xml")
    data = xlsx(xl___rels__workbook_dot_xml_dot_rels=chart, xl__chartsheets__sheet1_dot_xml="<x/>")

    assert reader.read(Package(data)).sheets == []


def test_hidden_rows_and_columns_and_the_direction_are_known():
    part = (
        '<worksheet><sheetViews><sheetView rightToLeft="1"/></sheetViews><cols>'
        '<col min="1" max="2"/><col min="3" max="16384" hidden="1"/></cols>'
        '<sheetData><row r="4" hidden="1"><c><v>1</v></c></row></sheetData></worksheet>'
    )
    sheet, _ = read("", xl__worksheets__sheet1_dot_xml=part)

    assert sheet.hidden_columns == set(range(2, MAX_COLUMNS))
    assert sheet.hidden_rows == {4}
    assert sheet.from_right


def test_a_damaged_or_missing_style_is_plain():
    fonts = "<fonts><font><b val='0'/></font></fonts>"
    styles = (
        f"<styleSheet>{fonts}<cellXfs><xf/><xf fontId='7' numFmtId='x'/></cellXfs></styleSheet>"
    )

    for number in (0, 1, 2, "x"):
        row = f'<c s="{number}"><v>1</v></c>'
        assert cells(row, xl__styles_dot_xml=styles) == {0: Cell("1", "num")}


def comments_of(data):
    """The comments in the first sheet of a workbook, by row and column; and their number."""
    sheet = reader.read(Package(data)).sheets[0]
    rows = list(sheet.rows)
    assert [number for number, _ in rows] == sorted(number for number, _ in rows)
    shown = {
        (row, column): cell.comment
        for row, cells in rows
        for column, cell in cells.items()
        if cell.comment
    }
    return shown, sheet.comments


def test_comments_stand_at_their_cells_with_the_names_of_their_authors():
    expected = {(1, 0): "Ada: Which <region>?", (2, 2): "Ada:\nno value", (9, 1): "below"}

    assert comments_of(commented()) == (expected, 3)


def threaded(people="persons/person.xml"):
    return xlsx(
        xl___rels__workbook_dot_xml_dot_rels=(
            relationships(rId1="worksheets/sheet1.xml").replace("</Relationships>", "")
            + f'<Relationship Id="p" Type="{RELATIONSHIPS}/person" Target="{people}"/>'
            "</Relationships>"
        ),
        xl__persons__person_dot_xml=(
            '<personList><person displayName="Ada" id="{1}"/></personList>'
        ),
        xl__worksheets___rels__sheet1_dot_xml_dot_rels=typed_relationships(
            comments="../comments1.xml", threadedComment="../threads1.xml"
        ),
        xl__comments1_dot_xml=(
            '<comments><commentList><comment ref="A1"><text><t>Update your Excel</t></text>'
            "</comment></commentList></comments>"
        ),
        xl__threads1_dot_xml=(
            '<ThreadedComments><threadedComment ref="A1" personId="{1}"><text>Why?</text>'
            '</threadedComment><threadedComment ref="A1" personId="{2}"><text>So.</text>'
            "</threadedComment></ThreadedComments>"
        ),
    )


def test_a_thread_is_one_comment_with_its_answers_in_place_of_its_copy():
    assert comments_of(threaded()) == ({(1, 0): "Ada: Why?\nSo."}, 1)
    assert comments_of(threaded(people="none.xml")) == ({(1, 0): "Why?\nSo."}, 1)


def test_a_sheet_whose_comments_are_damaged_has_those_before():
    for damage, count in (("<comments><", 0), ('<!DOCTYPE a [<!ENTITY b "c">]><a/>', 0)):
        data = xlsx(
            xl__worksheets___rels__sheet1_dot_xml_dot_rels=typed_relationships(comments="/c.xml"),
            c_dot_xml=damage,
        )
        assert comments_of(data) == ({}, count)


def test_the_comments_of_a_sheet_are_limited(monkeypatch):
    monkeypatch.setattr(reader, "MAX_COMMENTS", 2)

    assert comments_of(commented())[1] == 2


def left_out(data):
    """What the first sheet of a workbook has beside its cells, and whether it has drawings."""
    sheet = reader.read(Package(data)).sheets[0]
    list(sheet.rows)
    return dict(+sheet.left_out), sheet.has_drawing


def test_conditional_formats_are_counted_once_also_those_written_twice():
    rule = '<conditionalFormatting sqref="A1"><cfRule type="dataBar"/></conditionalFormatting>'
    again = '<extLst><x14:cfRule xmlns:x14="x" id="1"/></extLst>'

    assert left_out(xlsx(after=rule + rule + again))[0] == {"conditional format": 2}


def test_form_controls_and_embedded_objects_are_counted_once():
    after = (
        '<a:b xmlns:a="x"><control shapeId="1" name="c"/><control name="d" shapeId="2"/></a:b>'
        '<control shapeId="1" name="c"/><oleObject progId="Word" shapeId="3"/>'
    )

    assert left_out(xlsx(after=f"<controls>{after}</controls>"))[0] == {
        "form control": 2,
        "embedded object": 1,
    }


def test_a_sheet_tells_that_it_has_drawings_and_counts_the_shapes_in_them():
    drawing = (
        "<wsDr><twoCellAnchor><from/><pic/></twoCellAnchor><oneCellAnchor><sp/></oneCellAnchor>"
        "<twoCellAnchor><graphicFrame/></twoCellAnchor></wsDr>"
    )
    data = xlsx(
        xl__worksheets___rels__sheet1_dot_xml_dot_rels=typed_relationships(drawing="../d.xml"),
        xl__d_dot_xml=drawing,
    )

    assert left_out(data) == ({"shape": 1}, True)
    assert left_out(xlsx()) == ({}, False)

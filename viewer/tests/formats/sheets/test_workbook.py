"""viewer/formats/sheets/workbook.py and sheets.py"""

import contextlib
import re
from base64 import b64decode
from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from viewer.formats.pdf.pages import SCREEN
from viewer.formats.sheets.sheets import MAX_SHEETS, render
from viewer.formats.sheets.workbook import (
    MAX_PAGES,
    NOT_DRAWN,
    PAGE_SETUP,
    PAGES_NOTE,
    TOO_LARGE,
)
from viewer.sandbox.converter import Conversion, Converter, find_converter
from viewer.sandbox.process import JobResult
from viewer.tests import samples
from viewer.tests.convertible import workbook
from viewer.tests.samples import OPEN_DOCUMENT, OPEN_XML, original, preview_of

EXCEL = "application/vnd.ms-excel"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (OPEN_XML + "spreadsheetml.sheet", samples.xlsx()),
        (OPEN_XML + "spreadsheetml.template", samples.xlsx()),
        (EXCEL + ".sheet.macroenabled.12", samples.xlsx()),
        (EXCEL, samples.xlsx()),
    ],
)
def test_every_workbook_is_shown_as_grids(kind, data):
    shown = preview_of(original(data, "a", kind))

    assert (shown.kind, shown.label, shown.facts) == ("sheets", "Spreadsheet", ("1 sheet",))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"a;b\n1;2\n", "table"),
        (b"\n<html><table><td>x</table>", "web"),
        (b"<?xml version='1.0'?>\n<html><table><td>x</table></html>", "web"),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\n\ny", "mail"),
    ],
)
def test_what_only_says_that_it_is_a_workbook_is_shown_as_what_it_is(data, kind):
    assert preview_of(original(data, "a.xls", EXCEL)).kind == kind


OTHERS = {
    "ods": (OPEN_DOCUMENT + "spreadsheet", samples.ods()),
    "xls": (EXCEL, samples.xls()),
    "xlsb": (EXCEL + ".sheet.binary.macroenabled.12", samples.package(xl__workbook_dot_bin="")),
}


@pytest.mark.parametrize("extension", OTHERS)
@pytest.mark.parametrize("made", [samples.xlsx(), None])
def test_another_workbook_is_shown_as_the_xlsx_that_libreoffice_makes_of_it(extension, made):
    def run(job, pieces, options):
        if not isinstance(job, Conversion):
            return job.run(pieces, options)
        assert (job.extension, job.target) == (extension, "xlsx")
        return JobResult([({}, made)], None) if made else JobResult()

    kind, data = OTHERS[extension]
    document = replace(original(data, "a", kind), run=run, converter=Converter("/soffice.bin", ""))

    assert preview_of(document).kind == ("sheets" if made else "unknown")
    assert (
        "LibreOffice, which shows this document"
        in preview_of(original(data, "a", kind)).body.decode()
    )


def asked_as_pages(data, kind, made):
    """A workbook that is asked for as pages, and a list of its conversions."""
    asked = []

    def run(job, pieces, options):
        if not isinstance(job, Conversion):
            return job.run(pieces, options)
        asked.append(job)
        return made[job.target.partition(":")[0]]

    document = replace(original(data, "a", kind), run=run, converter=Converter("/soffice.bin", ""))
    return replace(document, as_pages=True), asked


def result(data):
    return JobResult([({}, data)], None)


@pytest.mark.parametrize("extension", ["xlsx", *OTHERS])
def test_a_workbook_is_shown_as_pages_where_they_are_asked_for(extension):
    kind, data = {**OTHERS, "xlsx": (OPEN_XML + "spreadsheetml.sheet", samples.xlsx())}[extension]
    made = {"xlsx": result(samples.xlsx()), "pdf": result(samples.pdf("One", "Two"))}
    document, asked = asked_as_pages(data, kind, made)
    shown = preview_of(document)

    assert (shown.kind, shown.label, shown.facts) == ("pdf", "Spreadsheet", ("2 pages",))
    assert shown.note == PAGES_NOTE
    assert document.has_pages
    assert document.pages().texts(1).texts == ["One", "Two"]
    assert {job.extension for job in asked} == {extension, "xlsx"}
    assert asked[-1].prepared_by == PAGE_SETUP
    assert not replace(document, as_pages=False).has_pages


def test_the_pages_of_a_workbook_are_cut_with_a_note():
    pages = samples.pdf(*map(str, range(1, MAX_PAGES + 1)))
    document, _ = asked_as_pages(
        samples.xlsx(), OPEN_XML + "spreadsheetml.sheet", {"pdf": result(pages)}
    )

    assert preview_of(document).note.endswith("Only the first 200 pages are drawn.")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (JobResult(), NOT_DRAWN),
        (JobResult(failure="size"), TOO_LARGE),
        (result(b"%PDF-none"), NOT_DRAWN),
    ],
)
def test_a_card_says_why_a_workbook_has_no_pages(made, message):
    document, _ = asked_as_pages(samples.xlsx(), OPEN_XML + "spreadsheetml.sheet", {"pdf": made})
    shown = preview_of(document)

    assert shown.kind == "unknown"
    assert message in shown.body.decode()


@pytest.mark.parametrize(
    ("data", "kind"), [(samples.pdf("One"), "application/pdf"), (b"a;b\n1;2\n", EXCEL)]
)
def test_only_a_workbook_has_two_views(data, kind):
    document, asked = asked_as_pages(data, kind, {})

    assert not document.has_two_views
    assert preview_of(document).kind == preview_of(replace(document, as_pages=False)).kind
    assert asked == []


def test_without_a_converter_a_workbook_is_a_table_also_as_pages():
    document = replace(original(samples.xlsx(), "a.xlsx"), as_pages=True)

    assert not document.has_two_views
    assert preview_of(document).kind == "sheets"


@pytest.mark.office
def test_libreoffice_draws_a_workbook_with_its_chart_on_the_page(soffice):
    data = original(workbook(), "a.xlsx", OPEN_XML + "spreadsheetml.sheet")
    document = replace(data, converter=find_converter(soffice), as_pages=True)
    shown = preview_of(document)

    assert (shown.kind, shown.facts) == ("pdf", ("1 page",))
    assert re.search(rb"<text [^>]*>North</text>", shown.body)
    (page,) = document.pages().drawn(1, 1, SCREEN, 1)
    picture = Image.open(BytesIO(b64decode(page.picture.partition(",")[2]))).convert("RGB")
    colours = {colour for _, colour in picture.getcolors(1 << 20)}
    assert (0, 0, 255) in colours  # the bars


@pytest.mark.office
def test_a_wide_sheet_of_very_many_rows_is_drawn_in_bounds_and_as_wide_as_a_page(soffice):
    rows = (
        f'<row><c r="A{row}"><v>0</v></c><c r="AD{row}"><v>29</v></c></row>'
        for row in range(1, 36_001)
    )
    data = original(workbook("".join(rows)), "a.xlsx")
    document = replace(data, converter=find_converter(soffice), as_pages=True)
    shown = preview_of(document)

    assert (shown.kind, shown.facts) == ("pdf", ("200 pages",))
    texts = document.pages().texts(1).texts
    assert all("29" in text for text in texts)


@pytest.mark.office
def test_libreoffice_makes_a_workbook_that_is_shown(soffice):
    kind, data = OTHERS["xls"]
    shown = preview_of(replace(original(data, "a", kind), converter=find_converter(soffice)))

    assert (shown.kind, shown.facts) == ("sheets", ("1 sheet",))
    assert shown.note == "1 hidden sheet is not shown."


@pytest.mark.office
def test_dates_that_a_workbook_leaves_to_the_reader_are_shown_by_year_first(soffice):
    record = rb"(\xe0\x00\x14\x00..)\xa5\x00"  # XF, with a format of its own
    data = re.sub(
        record, lambda found: found[1] + b"\x16\0", samples.xls(), flags=re.S
    )  # number 22
    document = replace(original(data, "a", EXCEL), converter=find_converter(soffice))

    assert re.search(r">20\d\d/\d\d/\d\d \d\d:\d\d<", preview_of(document).body.decode())


def test_a_workbook_with_a_password_has_a_card_that_says_so():
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    card = preview_of(original(locked, "a.xlsx")).body.decode()

    assert "This document is locked with a password." in card
    assert "locked" not in preview_of(original(locked, "a.bin")).body.decode()


def test_hidden_sheets_missing_results_and_sheets_left_out_are_named():
    formula = "<row><c><f>A2</f></c></row>"
    many = [f"S{n}" for n in range(MAX_SHEETS + 2)]
    kind = OPEN_XML + "spreadsheetml.sheet"

    assert "formulas" in preview_of(original(samples.xlsx(formula), "a", kind)).note
    assert (
        "2 further sheets are not shown."
        in preview_of(original(samples.xlsx(names=many), "a", kind)).note
    )


def test_a_damaged_workbook_is_a_card():
    for data in (b"PK\x03\x04", b"MZ\0\1\2\n\0"):
        assert preview_of(original(data, "a", EXCEL)).kind == "unknown"


def test_charts_and_pictures_are_said_not_to_be_shown():
    charts = {f"xl__charts__{name}_dot_xml": "" for name in ("chart1", "chart2", "chartEx1")}
    beside = {"xl__charts__style1_dot_xml": "", "xl__media__image1_dot_png": ""}
    note = preview_of(original(samples.xlsx(**charts, **beside), "a.xlsx")).note

    assert note == "3 charts and 1 picture are not shown."


def read(data):
    ((facts, html),) = render(data, {})
    return facts, html.decode()


def test_another_archive_is_refused():
    with pytest.raises((KeyError, ValueError)):
        read(samples.docx())


def test_names_and_texts_are_escaped():
    row = '<row><c t="inlineStr"><is><t>&lt;script&gt;</t></is></c></row>'
    html = read(samples.xlsx(row, names=("&lt;b&gt;", "x")))[1]

    assert "<script" not in html
    assert "<b>" not in html


@settings(max_examples=60)
@given(st.data())
def test_damaged_workbooks_end_in_html_or_an_exception(data):
    made = bytearray(samples.xlsx())
    for _ in range(data.draw(st.integers(1, 8))):
        made[data.draw(st.integers(0, len(made) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Exception):  # any: the child process reports it and ends
        assert len(read(bytes(made))[1]) < 1 << 20


TAGS = ["row", "c", "v", "f", "is", "t", "mergeCell", "sheetData"]
XML = st.recursive(
    st.text(alphabet="0123456789A:=-.Z", max_size=8),
    lambda inner: st.builds(
        lambda tag, r, s, t, parts: f'<{tag} r="{r}" s="{s}" t="{t}">{"".join(parts)}</{tag}>',
        st.sampled_from(TAGS),
        st.sampled_from(["A1", "1", "ZZZ9999999", "", "7", "B"]),
        st.sampled_from(["0", "1", "9", "-1", "x"]),
        st.sampled_from(["s", "n", "b", "e", "str", "inlineStr", "d"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@given(st.lists(XML, min_size=1, max_size=4).map("".join))
def test_any_rows_give_a_grid(rows):
    assert read(samples.xlsx(f"<row>{rows}</row>"))[0]["facts"] == ["1 sheet"]

"""viewer/formats/sheets/page_setup.py"""

import re
import zipfile
from xml.etree import ElementTree

import pytest

from viewer.formats.sheets import page_setup
from viewer.sandbox.messages import RefusedError
from viewer.tests import samples
from viewer.tests.convertible import SALES, workbook

SHEET = "xl/worksheets/sheet1.xml"
DRAWING = '<drawing r:id="drawing"/>'


def prepared(data):
    """The parts of a workbook, as the job changes it."""
    ((_, changed),) = page_setup.render(data, {})
    return samples.parts_of(changed)


def sheet(**parts):
    """The sheet that the job makes of a sheet with these parts around its rows."""
    made = prepared(workbook(**parts))[SHEET].decode()
    ElementTree.fromstring(made)
    return made


def setup(made):
    return dict(re.findall(r'(\w+)="([^"]*)"', re.findall(r"<pageSetup[^>]*>", made)[-1]))


def test_a_sheet_fits_the_width_of_a_page_and_keeps_all_else():
    data = workbook(tail="")
    made = prepared(data)
    (sheet,) = (part for name, part in made.items() if name == SHEET)

    assert b'<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetData>' in sheet
    assert setup(sheet.decode()) == {
        "paperSize": "9",
        "orientation": "portrait",
        "fitToWidth": "1",
        "fitToHeight": "0",
    }
    assert SALES.encode() in sheet
    others = samples.parts_of(data)
    assert list(made) == list(others)
    assert {name: part for name, part in made.items() if name != SHEET} == {
        name: part for name, part in others.items() if name != SHEET
    }


@pytest.mark.parametrize(
    ("head", "made"),
    [
        ("<sheetPr/>", '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>'),
        (
            '<sheetPr filterMode="1"><tabColor rgb="FF"/></sheetPr>',
            '<sheetPr filterMode="1"><tabColor rgb="FF"/><pageSetUpPr fitToPage="1"/></sheetPr>',
        ),
        (
            '<sheetPr><pageSetUpPr fitToPage="0"/></sheetPr>',
            '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
        ),
    ],
)
def test_the_properties_of_a_sheet_stay(head, made):
    assert made + "<sheetData>" in sheet(head=head)


def test_paper_and_direction_of_the_author_stay_and_the_scale_goes():
    own = '<pageSetup paperSize="8" scale="400" orientation="landscape"/>'
    made = sheet(tail=f"<pageMargins/>{own}{DRAWING}")

    assert setup(made) == {
        "paperSize": "8",
        "orientation": "landscape",
        "fitToWidth": "1",
        "fitToHeight": "0",
    }
    assert made.count("pageSetup ") == 1


def test_a_sheet_that_fits_its_pages_in_its_own_way_stays():
    head = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>'
    tail = '<pageSetup fitToWidth="2"/>'
    data = workbook(head=head, tail=tail)

    assert prepared(data) == samples.parts_of(data)


@pytest.mark.parametrize(
    ("head", "direction"),
    [
        ('<dimension ref="A1:Z20"/>', "landscape"),
        ('<dimension ref="A1:Z200"/>', "portrait"),
        ('<dimension ref="A1:C2"/>', "portrait"),
        ('<dimension ref="A1:C9"/><cols><col min="1" max="3" width="60"/></cols>', "landscape"),
        ('<dimension ref="A1:Z20"/><cols><col min="2" max="26" hidden="1"/></cols>', "portrait"),
        ('<dimension ref="XX"/><cols><col min="a" max="" width="x"/></cols>', "portrait"),
    ],
)
def test_a_sheet_that_is_wider_than_high_lies_across(head, direction):
    assert setup(sheet(head=head, tail=""))["orientation"] == direction


def test_what_is_drawn_beside_the_cells_counts():
    narrow = '<sheetFormatPr defaultRowHeight="10"/><dimension ref="A1:B3"/>'
    wide = '<cols><col min="4" max="4" width="100"/></cols>'

    assert setup(sheet(head=narrow))["orientation"] == "portrait"
    assert setup(sheet(head=narrow + wide))["orientation"] == "landscape"


def test_elements_may_have_a_prefix():
    data = samples.parts_of(workbook(tail=""))
    data[SHEET] = (
        b'<x:worksheet xmlns:x="y"><x:sheetPr/><x:sheetData/><x:pageSetup scale="9"/></x:worksheet>'
    )
    made = prepared(samples.package(**data))[SHEET].decode()

    ElementTree.fromstring(made)
    assert made.startswith(
        '<x:worksheet xmlns:x="y"><x:sheetPr><x:pageSetUpPr fitToPage="1"/></x:sheetPr>'
    )
    assert made.endswith('fitToHeight="0"/></x:worksheet>')


def test_a_workbook_that_is_too_large_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(page_setup, "MAX_TOTAL", 1000)

    with pytest.raises(RefusedError, match="size"):
        prepared(workbook())


def test_a_workbook_of_too_many_parts_is_refused(monkeypatch):
    monkeypatch.setattr(page_setup, "MAX_PARTS", 3)

    with pytest.raises(RefusedError, match="size"):
        prepared(workbook())


def test_a_file_that_is_no_workbook_is_refused():
    with pytest.raises(zipfile.BadZipFile):
        prepared(b"PK\3\4")

"""viewer/formats/sheets/stored_results.py"""

import io
import re
from dataclasses import replace
from struct import pack, unpack_from

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from olefile import OleFileIO

from viewer.formats.sheets.sheets import CALCULATED_NOTE
from viewer.formats.sheets.stored_results import render
from viewer.formats.sheets.workbook import DAMAGED
from viewer.sandbox.converter import Conversion, Converter, find_converter
from viewer.sandbox.messages import RefusedError
from viewer.sandbox.process import JobResult
from viewer.tests.outlook_sample import compound_file
from viewer.tests.samples import original, preview_of
from viewer.tests.xls_sample import (
    OF_ANOTHER_CELL,
    beginning,
    formula,
    no_number,
    number,
    record,
    stream,
    text,
    workbook,
)

EXCEL = "application/vnd.ms-excel"


def changed(data):
    ((_, made),) = render(data, {})
    return made


def cells(data):
    """The records of cells in the changed workbook: their numbers and what follows the position."""
    made = changed(data)
    if made.startswith(b"\xd0\xcf"):
        with OleFileIO(io.BytesIO(made)) as container:
            made = container.openstream("Workbook").read()
    found = []
    at = 0
    while at + 4 <= len(made):
        kind, length = unpack_from("<HH", made, at)
        if kind in (0x0006, 0x0203, 0x0204, 0x0205, 0x04BC, 0x0207):
            found.append((kind, made[at + 10 : at + 4 + length]))
        at += 4 + length
    return found


def test_a_formula_becomes_the_number_the_text_the_boolean_or_the_error_that_it_had():
    data = workbook(
        formula(0, number(42.5)),
        formula(1, no_number(0)),
        text("Größe"),
        formula(2, no_number(1, 1)),
        formula(3, no_number(2, 0x07)),
    )

    assert cells(data) == [
        (0x0203, number(42.5)),
        (0x0204, pack("<HB", 5, 1) + "Größe".encode("utf-16-le")),
        (0x0205, b"\x01\x00"),
        (0x0205, b"\x07\x01"),
    ]


def test_a_workbook_keeps_its_length_and_the_places_of_its_records():
    data = workbook(formula(0, number(1)), formula(1, no_number(0)), text("x"))
    made = changed(data)

    assert len(made) == len(data)
    assert made.count(record(0x000A)) == data.count(record(0x000A))


def test_formulas_that_cells_share_are_left_out_with_them():
    shared = record(0x04BC, bytes(20))
    data = workbook(
        formula(0, no_number(0), OF_ANOTHER_CELL),
        shared,
        text("first"),
        formula(1, number(2), OF_ANOTHER_CELL),
        formula(2, no_number(3), OF_ANOTHER_CELL),
    )

    assert [kind for kind, _ in cells(data)] == [0x0204, 0x0203]


def test_what_cells_share_is_left_out_with_a_number_as_well():
    data = workbook(formula(0, number(1), OF_ANOTHER_CELL), record(0x04BC, bytes(20)))

    assert [kind for kind, _ in cells(data)] == [0x0203]


@pytest.mark.parametrize(
    "cell",
    [
        formula(0, number(0), flags=2),  # as programs write it that do not calculate
        formula(0, no_number(3)),
        formula(0, no_number(0)),  # whose text is missing
        formula(0, no_number(9)),
    ],
)
def test_a_formula_without_a_result_stays(cell):
    assert cells(workbook(cell)) == [(0x0006, cell[10:])]


def test_a_zero_that_was_calculated_is_a_result():
    assert cells(workbook(formula(0, number(0)))) == [(0x0203, number(0))]


def test_an_encrypted_workbook_stays_as_it_is():
    data = workbook(formula(0, number(1)), before=record(0x002F, bytes(6)))

    assert changed(data) == data


def test_formulas_of_the_first_versions_have_their_results_as_well():
    position = pack("<HH", 0, 0) + b"\0\0\0"
    second = record(0x0006, position + number(7) + b"\0\x03\x1e\x01\x00")
    third = record(0x0206, position[:6] + number(7) + pack("<HH", 0, 3) + b"\x1e\x01\x00")
    of_2 = changed(record(0x0009, pack("<HH", 2, 16)) + second + record(0x000A))
    of_3 = changed(record(0x0209, pack("<HHH", 0, 16, 0)) + third + record(0x000A))

    assert record(0x0003, position + number(7)) in of_2
    assert record(0x0203, position[:6] + number(7)) in of_3


def old_text(words, encoding, page):
    """The text of a cell in a workbook of 1995, as it is after the change, and the code page."""
    data = words.encode(encoding)
    label = record(0x0204, pack("<HHHH", 0, 0, 15, len(data)) + data)
    before = record(0x0042, pack("<H", page))
    whole = stream(label, version=0x0500, name=b"\x05Sales", before=before)
    made = changed(whole)
    return made[made.index(b"Sales") :], unpack_from("<H", made, made.index(b"\x42\0\2\0") + 4)[0]


@pytest.mark.parametrize(
    ("page", "encoding", "words", "of_windows"),
    [
        (10029, "mac_latin2", "Ładowność", 1250),
        (10029, "mac_latin2", "Ķekava, Rūjiena", 1257),
        (10007, "mac_cyrillic", "Грузоподъёмность", 1251),
        (10006, "mac_greek", "Φορτίο", 1253),
        (10081, "mac_turkish", "Yük ağırlığı", 1254),
        (10001, "cp932", "積載量", 932),
    ],
)
def test_texts_of_the_macintosh_are_written_in_a_code_page_of_windows(
    page, encoding, words, of_windows
):
    made, number_of_page = old_text(words, encoding, page)

    assert number_of_page == of_windows
    assert words.encode(f"cp{of_windows}") in made


def test_texts_in_unicode_or_in_a_code_page_of_windows_stay():
    made, page = old_text("Größe", "cp1252", 1252)

    assert page == 1252
    assert "Größe".encode("cp1252") in made
    unicode = workbook(
        record(0x0204, pack("<HHHHB", 0, 0, 15, 1, 0) + b"\xfc"),
        before=record(0x0042, pack("<H", 10029)),
    )
    assert changed(unicode) == unicode


def shown(data, run=None):
    def convert(job, pieces, options):
        if not isinstance(job, Conversion):
            return job.run(pieces, options)
        prepared = job.prepared_by.run(pieces, options)
        return JobResult(failure=prepared.failure) if prepared.failure else run(prepared)

    document = original(data, "a.xls", EXCEL)
    return preview_of(replace(document, run=convert, converter=Converter("/soffice.bin", "")))


@pytest.mark.parametrize(
    "data",
    [
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"no workbook\n" * 50,
        workbook(formula(0, number(1)))[:1024],
        compound_file({"Contents": b"a drawing" * 9}),
        compound_file({"Workbook": b"text" * 20}),
        b"\x09\x08",
        b"\x09\x04\xff\xff",
    ],
)
def test_a_card_says_that_a_workbook_is_damaged(data):
    card = shown(data)

    assert card.kind == "unknown"
    assert DAMAGED in card.body.decode()


@pytest.mark.office
def test_a_workbook_shows_its_stored_results_and_no_note_on_calculated_ones(soffice):
    data = workbook(
        formula(0, number(41)),
        formula(1, no_number(0)),
        text("as stored"),
        formula(2, no_number(1, 1)),
        formula(3, no_number(2, 0x2A)),
    )
    document = replace(original(data, "a.xls", EXCEL), converter=find_converter(soffice))
    page = preview_of(document)

    assert re.findall(r"<td[^>]*>([^<]+)", page.body.decode()) == [
        "41",
        "as stored",
        "TRUE",
        "#N/A",
    ]
    assert page.note == ""


@pytest.mark.office
def test_a_formula_without_a_result_is_calculated_and_a_note_says_so(soffice):
    data = workbook(formula(0, number(0), flags=2), formula(1, number(5)))
    document = replace(original(data, "a.xls", EXCEL), converter=find_converter(soffice))
    page = preview_of(document)

    assert re.findall(r"<td[^>]*>([^<]+)", page.body.decode()) == ["1", "5"]
    assert page.note == CALCULATED_NOTE


@pytest.mark.office
def test_letters_of_the_macintosh_are_shown(soffice):
    label = record(0x0204, pack("<HHHH", 0, 0, 15, 9) + "Ładowność".encode("mac_latin2"))
    before = record(0x0042, pack("<H", 10029))
    whole = stream(label, version=0x0500, name=b"\x05Sales", before=before)
    data = compound_file({"Book": whole.ljust(4096, b"\0")})
    document = replace(original(data, "a.xls", EXCEL), converter=find_converter(soffice))

    assert ">Ładowność" in preview_of(document).body.decode()


LARGE = stream(*[formula(n % 65_000, number(n)) for n in range(12_000)])


@pytest.mark.parametrize(
    "data",
    [
        LARGE,
        beginning(5) + record(0x0006, bytes(22)) + record(0x04BC) * 60_000,
        beginning(5) + (formula(0, no_number(0)) + record(0x0207)) * 6_000,
        beginning(5) + record(0x0000) * 60_000,
        record(0x0809, pack("<H", 0x0500)) + record(0x0042, pack("<H", 10029)) + bytes(120_000),
        record(0x0809, pack("<H", 0x0500))
        + record(0x0042, pack("<H", 10029))
        + record(0x0204, b"\xff" * 8) * 6_000,
    ],
    ids=["formulas", "shared", "texts", "empty", "zeros", "lengths"],
)
def test_hostile_records_are_read_in_their_size(data):
    assert len(changed(data)) == len(data)


@settings(max_examples=40)
@given(st.data())
def test_damaged_records_end_in_a_workbook_of_the_same_length_or_are_refused(data):
    whole = bytearray(
        stream(formula(0, number(1)), formula(1, no_number(0)), text("x"), formula(2, no_number(1)))
    )
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert len(changed(bytes(whole))) == len(whole)
    except RefusedError:
        assert whole[:4] != stream()[:4]

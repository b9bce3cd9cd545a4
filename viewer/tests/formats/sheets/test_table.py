"""viewer/formats/sheets/table.py"""

import pytest

from viewer.formats.sheets.table import FIRST_ROWS, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, NUMBER
from viewer.markup.assets import FOLDER
from viewer.rendering.registry import TABLE
from viewer.tests.samples import original, preview_of


def shown(data, name="a.csv", kind="text/csv"):
    return TABLE.preview(original(data, name, kind), kind)


def test_a_table_has_a_header_row_numbers_and_right_aligned_numbers():
    table = shown(b"name,units\n<b>,1.5\n")

    assert "<th>name<th class=num>units<tbody>" in table.body.decode()
    assert "<tr><th>1<td>&lt;b><td>1.5</table>" in table.body.decode()
    assert table.facts == ("1 row",)


def test_a_cell_that_is_aligned_as_a_number_is_sorted_as_one():
    script = (FOLDER / "sheets/sorting.js").read_text()

    assert f"const NUMBER = /^{NUMBER.pattern}$/i;" in script


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"1,Goroka\n2,Madang\n", 2),
        (b"id,name\n2,Madang\n", 1),
        (b"x,y\nGoroka,1\n", 1),
        (b"MEC-1,34-5 > BOARD,,4.39,,no\nMEC-1,18-5 > CLIP,,0.06,,no\n", 2),
    ],
)
@pytest.mark.parametrize(("name", "kind"), [("a.dat", "text/plain"), ("a.csv", "text/csv")])
def test_a_first_row_of_data_is_no_header(data, rows, name, kind):
    table = shown(data, name, kind)

    assert table.body.count(b"<tr><th>1<td>") == 1
    assert (table.facts[0][0], "nameless" in table.source) == (str(rows), rows == 2)


@pytest.mark.parametrize("head", ["region,2024,2025", "2023,2024,2025"])
def test_years_above_columns_are_a_header(head):
    table = shown(f"{head}\n1,10.5,12.25\n2,9.75,11.5\n".encode())

    assert table.facts == ("2 rows",)
    assert b"<tr><th>1<td>1<td>10.5" in table.body


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-32"])
def test_a_table_of_two_or_four_bytes_a_character_is_read(encoding):
    table = preview_of(original("Имя,Цена\nА,1\nБ,2\n".encode(encoding), "a.csv"))

    assert table.kind == "table"
    assert "<th>Имя<th class=num>Цена<tbody>" in table.body.decode()


@pytest.mark.parametrize("sign", [",", ";", "|", "\t"])
def test_the_delimiter_is_detected(sign):
    assert shown(f"a{sign}b\n1{sign}2\n".encode()).body.decode().count("<td") == 2


def test_a_tsv_is_split_at_tabs_only():
    table = shown(b"a,b\tc\n", "a.tsv", "text/tab-separated-values")

    assert table.label == "TSV"
    assert "<th>a,b<th" in table.body.decode()


def test_line_ends_in_quoted_cells_are_kept():
    assert "<td>x\ny<td" in shown(b'a,b\n"x\ny",2\n').body.decode()


def test_rows_above_the_limit_are_left_out_with_a_note():
    table = shown(b"a,b\n" + b"1,2\n" * (MAX_ROWS + 9))

    assert table.body.decode().count("<tr>") == MAX_ROWS + 1
    assert "the first 5,000 rows" in table.note


def test_rows_behind_the_first_ones_are_a_part_of_the_table_of_their_own():
    few = shown(b"a,b\n" + b"1,2\n" * FIRST_ROWS).body.decode()
    more = shown(b"a,b\n" + b"1,2\n" * (FIRST_ROWS + 1)).body.decode()

    assert few.count("<tbody") == 1
    assert more.count("<tbody") == 2
    assert more.endswith(f"<tbody class=rest><tr><th>{FIRST_ROWS + 1}<td>1<td>2</table></div>")


def test_columns_above_the_limit_are_left_out_with_a_note():
    table = shown(b"a," * 500_000 + b"\n" + b"1," * 500_000)

    assert table.body.decode().count("<t") < 3 * MAX_COLUMNS
    assert f"{MAX_COLUMNS} of 500,001 columns" in table.note


def test_the_total_number_of_cells_is_limited():
    table = shown((b",".join([b"x"] * 90) + b"\n") * 2_000)

    assert table.body.decode().count("<td") < MAX_CELLS + 200


@pytest.mark.parametrize("data", [b"\n", b'"', b"a", b"\0,\0\n", b'"a"b,c\n', b",,,\n"])
def test_malformed_csv_is_shown_as_a_table_or_as_text(data):
    assert shown(data).kind in ("table", "text")

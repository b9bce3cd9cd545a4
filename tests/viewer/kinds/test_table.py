"""viewer/kinds/table.py"""

import pytest

from tests.viewer.samples import original
from viewer.kinds.table import CELL_LIMIT, COLUMN_LIMIT, ROW_LIMIT, preview


def shown(data, name="a.csv", kind="text/csv"):
    return preview(original(data, name, kind), kind)


def test_a_header_numbered_rows_and_numbers_to_the_right():
    table = shown(b"name,units\n<b>,1.5\n")

    assert '<th scope="col">name</th><th scope="col" class="num">units</th>' in table.body
    assert '<th scope="row">1</th><td>&lt;b&gt;</td><td class="num">1.5</td>' in table.body
    assert table.facts == ("1 row",)


@pytest.mark.parametrize("sign", [",", ";", "|", "\t"])
def test_the_delimiter_is_found(sign):
    assert shown(f"a{sign}b\n1{sign}2\n".encode()).body.count("<td") == 2


def test_tabs_part_a_tsv_whatever_else_is_in_it():
    table = shown(b"a,b\tc\n", "a.tsv", "text/tab-separated-values")

    assert table.label == "TSV"
    assert '<th scope="col">a,b</th>' in table.body


def test_line_ends_within_quotes_stay():
    assert "<td>x\ny</td>" in shown(b'a,b\n"x\ny",2\n').body


def test_thousands_of_rows_are_cut_and_it_says_so():
    table = shown(b"a,b\n" + b"1,2\n" * (ROW_LIMIT + 9))

    assert table.body.count("<tr>") == ROW_LIMIT + 1
    assert "the first 5,000 rows" in table.note


def test_a_million_columns_are_cut_and_it_says_so():
    table = shown(b"a," * 500_000 + b"\n" + b"1," * 500_000)

    assert table.body.count("<t") < 3 * COLUMN_LIMIT
    assert f"{COLUMN_LIMIT} of 500,001 columns" in table.note


def test_cells_are_bounded_in_all():
    table = shown((b",".join([b"x"] * 90) + b"\n") * 2_000)

    assert table.body.count("<td") < CELL_LIMIT + 200


@pytest.mark.parametrize("data", [b"\n", b'"', b"a", b"\0,\0\n", b'"a"b,c\n', b",,,\n"])
def test_no_content_is_too_odd(data):
    assert shown(data).kind in ("table", "text")

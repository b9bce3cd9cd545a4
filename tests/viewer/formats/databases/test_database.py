"""viewer/formats/databases/"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viewer.samples import FILMS, database, original, parquet, preview_of
from viewer.formats.databases import parquet_schema, sqlite_tables
from viewer.rendering.registry import SQLITE


def shown(data, name="a.sqlite"):
    preview = preview_of(original(data, name))
    return preview, preview.body.decode()


def test_the_tables_of_a_database_are_shown_with_columns_and_first_rows():
    preview, html = shown(database(*FILMS, 'CREATE TABLE [a "b"] (x)'))

    assert (preview.kind, preview.facts, preview.note) == ("database", ("2 tables",), "")
    assert 'films <span class="dim">2 rows</span>' in html
    assert 'rating <span class="dim">REAL</span>' in html
    assert "<td>Metropolis</td>" in html
    assert '<td class="num">8.3</td><td class="dim">2 bytes</td>' in html
    assert '<td class="dim">NULL</td>' in html
    assert "a &quot;b&quot;" in html


def test_names_and_values_are_escaped():
    _, html = shown(
        database("CREATE TABLE [<b>] ([<i>] [<u>])", "INSERT INTO [<b>] VALUES ('<s>')")
    )

    assert html.count("&lt;") == 5
    assert "<b>" not in html


def test_the_first_rows_of_a_long_table_are_shown_and_all_counted():
    rows = "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 500)"
    _, html = shown(database("CREATE TABLE t (i)", f"{rows} SELECT i FROM n"))

    assert "500 rows" in html
    assert html.count("<tr>") == 1 + sqlite_tables.MAX_ROWS


def test_a_database_with_a_write_ahead_log_opens_without_it():
    data = bytearray(database(*FILMS))
    data[18:20] = b"\2\2"

    assert "Metropolis" in shown(bytes(data))[1]


def test_views_do_not_run_and_virtual_tables_are_named_only():
    endless = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x) SELECT * FROM x"
    made = database(f"CREATE VIEW v AS {endless}", "CREATE VIRTUAL TABLE d USING fts5(body)")
    preview, html = shown(made)

    assert preview.facts == ("1 table",)
    assert 'd <span class="dim">virtual table</span>' in html


def test_neither_views_nor_queries_take_long(monkeypatch):
    views = [f"CREATE VIEW v{n} AS SELECT * FROM v{n - 1} a, v{n - 1} b" for n in range(1, 40)]
    made = database("CREATE TABLE t (i)", "CREATE VIEW v0 AS SELECT * FROM t", *views)
    assert shown(made)[0].facts == ("1 table",)

    monkeypatch.setattr(sqlite_tables, "SECONDS", -1)
    monkeypatch.setattr(sqlite_tables, "STEPS", 1)
    (facts, html), *_ = sqlite_tables.render(database(*FILMS), {})
    assert "takes too long" in str(facts)
    assert b"films" in html


def test_a_damaged_database_shows_what_can_be_read():
    data = bytearray(database(*FILMS, "CREATE TABLE other (x)", "INSERT INTO other VALUES (7)"))
    data[4096:8192] = bytes(4096)
    preview, html = shown(bytes(data))

    assert "damaged" in preview.note
    assert '<td class="num">7</td>' in html


@pytest.mark.parametrize("data", [b"SQLite format 3\0", b"SQLite format 3\0" + bytes(5000)])
def test_what_is_no_database_has_a_card(data):
    assert shown(data)[0].kind == "unknown"


def test_a_large_database_has_a_card():
    small = replace(SQLITE, most_bytes=100)

    assert b"too large" in small.preview(original(database(*FILMS)), "x/y").body


def test_the_columns_of_a_parquet_file_are_shown_with_their_types():
    columns = ("id", 2), ("place", None, 1, 2), ("lat", 5), ("lon", 5, 2), ("name", 6, 1, None, 0)
    preview, html = shown(parquet(*columns, rows=9), "a.parquet")

    assert (preview.label, preview.facts) == ("Parquet", ("4 columns", "9 rows"))
    assert '<td class="long">place.lat</td><td>double</td>' in html
    assert '<td class="long">place.lon</td><td>double</td>' in html
    assert '<td class="long">name</td><td>text</td>' in html


@pytest.mark.parametrize(
    "data",
    [
        b"PAR1" + bytes(8) + b"PAR1",
        parquet(("a", 1), length=1 << 31),
        parquet(("a", 99)),
        b"PAR1\x19\xfc\xff\xff\xff\xff\x0f" + b"\7\0\0\0PAR1",
        b"PAR1" + b"\x1c" * 999 + b"\xe7\3\0\0PAR1",
        parquet(("a", 1))[:-1] + b"E",
    ],
)
def test_what_is_no_parquet_file_has_a_card(data):
    assert shown(data, "a.parquet")[0].kind == "unknown"


@settings(max_examples=80)
@given(st.binary(max_size=200))
def test_metadata_of_any_bytes_ends_in_columns_or_an_exception(footer):
    data = footer + len(footer).to_bytes(4, "little") + b"PAR1"
    try:
        ((facts, _),) = parquet_schema.render(data, {})
    except (ValueError, LookupError, TypeError, AttributeError):
        return
    assert facts["label"] == "Parquet"

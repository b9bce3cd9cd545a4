"""viewer/formats/databases/sqlite_tables.py"""

from dataclasses import replace

import pytest

from tests.viewer.samples import FILMS, database, original, preview_of
from viewer.formats.databases import sqlite_tables
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

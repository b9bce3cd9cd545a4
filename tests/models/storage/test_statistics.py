"""Queries over large tables are planned by what is in them."""

import pytest

from models import database
from models.background import sweep
from models.documents import bin_page
from models.storage import sqlite, sqlite_engine
from tests.uploads import upload

MANY = 300
DOCUMENTS = f"""
    INSERT INTO document (id, created_at, owner_id, content_type, media_type, size, root,
        sealed_key, payload_head, binned_at)
    WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many LIMIT {MANY})
    SELECT 'doc_' || n, 0, ?, 'text/plain', 'text/plain', 1, 'root', x'', x'', NULL FROM many"""


@pytest.fixture
def documents(alice, monkeypatch):
    """Many documents of one account, one of them in the bin."""
    monkeypatch.setattr(sqlite, "_MANY", MANY)
    database.execute_sql(DOCUMENTS, (alice.id,))
    database.execute_sql("UPDATE document SET binned_at = 1 WHERE id = 'doc_7'")
    upload(alice)


def tables_counted():
    has_any = database.execute_sql("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'")
    if not has_any.fetchone():
        return set()
    return {table for (table,) in database.execute_sql("SELECT tbl FROM sqlite_stat1").fetchall()}


def statements_of(work):
    executed = []
    connection = database.connection()
    connection.set_trace_callback(executed.append)
    work()
    connection.set_trace_callback(None)
    return executed


@pytest.mark.sqlite_only("PostgreSQL counts its tables by itself.")
def test_large_tables_are_counted_by_the_first_sweep_and_small_ones_are_not(documents):
    assert tables_counted() == set()
    sweep()
    assert tables_counted() == {"document"}


def test_the_bin_is_found_by_its_index_and_not_among_all_documents(alice, documents):
    sweep()
    (page,) = (one for one in statements_of(lambda: bin_page(alice.id, 50, 1)) if "OFFSET" in one)
    plan = database.execute_sql(f"EXPLAIN QUERY PLAN {page}").fetchall()
    index = "document_bin (owner_id=? AND binned_at>?)"
    assert f"SEARCH t1 USING COVERING INDEX {index}" in [line for *_, line in plan]


def test_tables_are_counted_once_a_day(documents, monkeypatch):
    counted = []
    monkeypatch.setattr(sqlite_engine, "analyze_large_tables", lambda: counted.append(1))
    sweep()
    sweep()
    assert len(counted) == 1
    monkeypatch.setattr(sqlite_engine, "STATISTICS_SECONDS", 0)
    sweep()
    assert len(counted) == 2


def test_a_database_that_is_read_only_is_not_counted(documents, monkeypatch):
    monkeypatch.setattr(sqlite_engine.SqliteEngine, "is_writable", lambda _: False)
    sweep()
    assert tables_counted() == set()

"""The models' columns are those that the migrations create."""

import pytest
from peewee import BigIntegerField, BlobField, IntegerField, IntegrityError, TextField

from models import Document
from models.records import Table
from models.setup import TABLES_WITH_KEYS
from models.storage import database, transaction

KINDS = {TextField: "TEXT", BlobField: "BLOB", IntegerField: "INTEGER", BigIntegerField: "INTEGER"}


def subclasses(table=Table):
    for one in table.__subclasses__():
        yield from subclasses(one)
        if not one.__subclasses__():
            yield one


TABLES = sorted(set(subclasses()), key=lambda table: table.__name__)


def test_columns_have_the_names_types_and_nullability_of_the_migrations(instance):
    for table in TABLES:
        info = database.execute_sql(f"PRAGMA table_info({table._meta.table_name})").fetchall()
        migrated = {
            name: (kind.replace("BIGINT", "INTEGER"), not required)  # the same to SQLite
            for _, name, kind, required, _, key in info
            if not key
        }
        fields = {one.column_name: one for one in table._meta.sorted_fields}
        declared = {name: (KINDS[type(fields[name])], fields[name].null) for name in migrated}
        assert {name for _, name, *_ in info} == fields.keys(), table
        assert declared == migrated, table


def test_no_default_of_the_schema_stands_in_for_a_value_that_a_new_row_lacks(instance):
    """`Table._insert_columns` names no column that is None; the sealed text is bound to none."""
    for table in TABLES:
        info = database.execute_sql(f"PRAGMA table_info({table._meta.table_name})").fetchall()
        fields = {one.column_name: one for one in table._meta.sorted_fields}
        with_default = {name for _, name, _, _, default, _ in info if default is not None}
        assert [name for name in with_default if fields[name].default is None] == [], table


def test_a_default_of_the_schema_is_that_of_its_class(instance):
    """Who reads one of them knows both; one that is a function, as of a new id, says no value."""
    for table in TABLES:
        info = database.execute_sql(f"PRAGMA table_info({table._meta.table_name})").fetchall()
        fields = {one.column_name: one for one in table._meta.sorted_fields}
        for _, name, _, _, default, _ in info:
            if default is not None:
                assert repr(fields[name].default) == default, (table, name)


def test_every_table_with_a_wrapped_key_is_rewrapped_by_a_rotation(instance):
    with_key = {table for table in TABLES if "sealed_key" in table._meta.fields}
    assert with_key == set(TABLES_WITH_KEYS)


def test_every_table_of_the_migrations_is_named_like_its_class(instance):
    known = {table._meta.table_name for table in TABLES} | {
        "piece",
        "collection_document",
        "collection_total",
        "document_total",
        "schema_migration",
        "unfinished_payload",
    }
    assert set(database.get_tables()) == known


def test_a_new_row_without_a_value_that_its_column_needs_is_refused_by_the_database(alice):
    document = Document.fresh(owner_id=alice.id, content_type="text/plain")
    document.size = 1
    document.payload_head = b""
    document.place = None
    document.key = bytes(32)
    with pytest.raises(IntegrityError, match="place"), transaction(alice.id):
        document.store_without_event()

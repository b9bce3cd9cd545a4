"""The models' columns are those that the migrations create."""

import pytest
from peewee import BigIntegerField, BlobField, IntegerField, TextField

from models.records.table import Table
from models.setup import TABLES_WITH_KEYS
from models.storage import database

KINDS = {TextField: "TEXT", BlobField: "BLOB", IntegerField: "INTEGER", BigIntegerField: "INTEGER"}


def subclasses(table=Table):
    for one in table.__subclasses__():
        yield from subclasses(one)
        if not one.__subclasses__():
            yield one


TABLES = sorted(set(subclasses()), key=lambda table: table.__name__)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_columns_have_the_names_types_and_nullability_of_the_migrations(table, instance):
    info = database.execute_sql(f"PRAGMA table_info({table._meta.table_name})").fetchall()
    migrated = {
        name: (kind.replace("BIGINT", "INTEGER"), not required)  # the same to SQLite
        for _, name, kind, required, _, key in info
        if not key
    }
    declared = {
        field.column_name: (KINDS[type(field)], field.null)
        for field in table._meta.sorted_fields
        if field.column_name in migrated
    }

    assert {name for _, name, *_ in info} == {one.column_name for one in table._meta.sorted_fields}
    assert declared == migrated


def test_every_table_with_a_wrapped_key_is_rewrapped_by_a_rotation(instance):
    with_key = {table for table in TABLES if "sealed_key" in table._meta.fields}

    assert with_key == set(TABLES_WITH_KEYS)


def test_every_table_of_the_migrations_is_named_like_its_class(instance):
    known = {table._meta.table_name for table in TABLES} | {"piece", "schema_migration"}

    assert set(database.get_tables()) == known

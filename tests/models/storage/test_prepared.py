"""Prepared queries: built and compiled once, with named parameters only."""

import pytest
from peewee import SQL

from models import User
from models.storage import Prepared, database, param


def test_a_query_is_built_once_and_executed_with_other_values(alice, bob):
    built = []

    def build():
        built.append(True)
        return User.select(User.email).where(User.id == param("id"))

    query = Prepared(build)

    assert query.first(id=alice.id) == (alice.email,)
    assert query.all(id=bob.id) == [(bob.email,)]
    assert query.first(id="usr_none") is None
    assert built == [True]


def test_execute_returns_the_number_of_changed_rows(alice, bob):
    query = Prepared(lambda: User.update(sealed_name=param("at")).where(User.id > param("after")))

    assert query.execute(at=b"1", after="") == 2
    assert query.execute(at=b"1", after="~") == 0


def test_a_value_that_is_no_parameter_is_refused():
    query = Prepared(lambda: User.select().where(User.id == "usr_1"))

    with pytest.raises(ValueError, match="usr_1"):
        _ = query.text


def test_a_constant_is_given_as_sql(alice):
    query = Prepared(lambda: User.select(SQL("1")).where(User.id == param("id")))

    assert query.first(id=alice.id) == (1,)


def test_a_query_is_compiled_for_the_database_in_use():
    pytest.importorskip("psycopg")
    from models.storage.postgres import database as on_server  # noqa: PLC0415

    added = {User.email: param("email"), User.login_generation: param("generation")}
    query, before = Prepared(lambda: User.insert(added)), database.obj
    here = query.text
    try:
        database.initialize(on_server)
        there = query.text
    finally:
        database.initialize(before)

    assert there == here + ' RETURNING "user_account"."id"'
    assert query.text == here

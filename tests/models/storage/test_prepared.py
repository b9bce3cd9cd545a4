"""Queries that are prepared: built once, with named parameters only, for the database in use."""

import pytest

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
    assert built == [True]
    with pytest.raises(ValueError, match="usr_1"):  # a value that is no parameter
        _ = Prepared(lambda: User.select().where(User.id == "usr_1")).text


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

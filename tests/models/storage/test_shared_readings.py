"""Readings are merged on PostgreSQL as on SQLite, and nobody else makes them up."""

import pytest

from models import Event, User, database
from tests.models.storage.test_postgres import alice, runtime  # noqa: F401
from tests.models.test_readings import *  # noqa: F403
from tests.models.test_readings import read, readings
from tests.uploads import upload


@pytest.fixture
def bob(runtime):  # noqa: F811
    return User.register("bob@example.com", "correct horse battery", None, "open")


def test_a_count_that_was_made_up_in_the_database_is_not_recorded(alice):  # noqa: F811
    document = upload(alice)
    read(document, times=3)
    database.execute_sql("UPDATE reading SET actor = REPLACE(actor, 'tok_1', 'tok_2')")
    Event.record_merged_readings(all=True)

    assert readings(alice) == [("document.viewed", 1)]
    assert database.execute_sql("SELECT count(*) FROM reading").fetchone() == (0,)


def test_another_machine_whose_clock_is_somewhat_late_does_not_end_the_minute(alice, clock):  # noqa: F811
    document = upload(alice)
    read(document)
    clock(-500)
    Event.record_merged_readings()
    read(document)

    assert readings(alice) == [("document.viewed", 1)]

"""A right that ends at one process while another one serves a request that needs it."""

from contextlib import contextmanager
from functools import partial
from threading import Thread

import pytest

from tests.contract.requests import GOOD
from tests.contract.test_spaces import Team
from tests.problems import refused
from tests.waiting import until

DOCUMENTS = "/v1/documents"
WAITING = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'"""


@pytest.fixture
def team(service):
    return Team(service)


@contextmanager
def lock_held(service, owner_id):
    """Hold an owner's lock, as a transaction does that takes its time."""
    import psycopg  # noqa: PLC0415  an extra

    from models.storage.postgres_engine import _locks  # noqa: PLC0415  it needs the extra

    with psycopg.connect(service.server_url) as connection:
        connection.execute(f"SELECT {_locks(owner_id)}")
        yield


def begun(service, act, waiting):
    """Begin a request in a thread, and return it with its answers when so many wait for locks."""
    answers = []
    thread = Thread(target=lambda: answers.append(act()))
    thread.start()
    until(lambda: service.sql(WAITING) == [(waiting,)])
    return thread, answers


def test_a_session_that_ends_at_another_process_stores_nothing(service, team):
    writer = team.acting(team.will)
    with lock_held(service, team.id):
        thread, answers = begun(service, partial(writer.post, DOCUMENTS, json=GOOD), waiting=1)
        assert team.will.post("/v1/auth/logout").status == 204
    thread.join()
    refused(answers[0], 401, "session_expired")
    assert team.acting(team.mia).get(DOCUMENTS).json["documents"] == []


@pytest.mark.parametrize("act", ["removed", "demoted"])
def test_a_change_of_members_before_a_request_has_its_lock_counts(service, team, act):
    writer, path = team.acting(team.will), team.path_of(team.will)

    def change():
        if act == "removed":
            return team.mia.delete(path).status
        return team.mia.patch(path, json={"role": "read"}).status

    with lock_held(service, team.id):
        changing, statuses = begun(service, change, waiting=1)
        writing, answers = begun(service, partial(writer.post, DOCUMENTS, json=GOOD), waiting=2)
    for thread in (changing, writing):
        thread.join()
    assert statuses == [204 if act == "removed" else 200]
    expected = (401, "session_expired") if act == "removed" else (403, "scope_missing")
    refused(answers[0], *expected)
    assert team.acting(team.mia).get(DOCUMENTS).json["documents"] == []

"""A PostgreSQL server that is stopped, restarted, or a standby: unavailable for a while."""

import pytest

from tests import postgres
from tests.people import Person
from tests.problems import refused
from tests.waiting import until


@pytest.fixture(scope="module")
def own_server(postgres_server):
    """A server that the tests here stop."""
    server = postgres.PostgresServer()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def node(start_service, own_server):
    return start_service(DATABASE=own_server.new_database(), RATE_LIMITS="off")


def test_a_restart_of_the_server_between_calls_is_not_noticed(node, own_server):
    person = node.register()
    for _ in range(3):
        own_server.restart()
        assert person.get("/v1/auth/me").status == 200
        assert person.upload()["size"] == len(b"a document")


def test_while_the_server_is_away_calls_are_told_to_come_back(node, own_server):
    person = node.register()
    document = person.upload()
    own_server.stop()
    try:
        assert Person(node).get("/healthz").status == 200
        refused(Person(node).get("/readyz", errors=[503]), 503, "key_unavailable")
        for answer in (
            person.get("/v1/auth/me", errors=[503]),
            person.post("/v1/documents", json={}, errors=[503]),
            person.get(f"/v1/documents/{document['id']}/content", errors=[503]),
        ):
            refused(answer, 503, "busy")
            assert int(answer.headers["Retry-After"]) > 0
    finally:
        own_server.start()

    until(lambda: Person(node).get("/readyz", errors=[503]).status == 200)
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"a document"


def test_a_server_that_takes_no_writes_is_not_ready_and_still_read(node, own_server):
    person = node.register()
    postgres.execute(own_server.url(), "ALTER SYSTEM SET default_transaction_read_only = on")
    own_server.restart()
    try:
        assert person.get("/v1/auth/me").status == 200
        answer = person.post("/v1/api-keys", json={}, errors=[503])
        refused(answer, 503, "busy")
    finally:
        own_server.stop()
        (own_server.folder / "data" / "postgresql.auto.conf").write_text("")
        own_server.start()
    until(lambda: person.post("/v1/api-keys", json={}, errors=[503]).status == 201)

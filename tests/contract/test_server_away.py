"""A PostgreSQL server that is stopped, restarted, or a standby: what reads goes on."""

import pytest

from tests import postgres
from tests.formats import b64
from tests.people import Person
from tests.problems import refused
from tests.waiting import until

BODY = {"payload": b64(b"small"), "contentType": "text/plain"}


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


@pytest.mark.parametrize(
    ("file", "text"),
    [("postgresql.auto.conf", "default_transaction_read_only = on"), ("standby.signal", "")],
    ids=["read-only", "standby"],
)
def test_a_server_that_takes_no_writes_is_not_ready_and_still_read(node, own_server, file, text):
    person = node.register()
    machine, document = person.create_api_key(), person.upload()
    path = f"/v1/documents/{document['id']}"
    view = f"{path}/view?token={document['token']['token']}"
    limited = Person(node).with_token(person.share(document, maxViews=3)["token"])
    assert Person(node).get(view).status == 200  # and its preview is made
    before = (own_server.folder / "data" / file).exists()
    own_server.stop()
    (own_server.folder / "data" / file).write_text(text)
    own_server.start()
    try:
        assert Person(node).get("/healthz").status == 200
        refused(Person(node).get("/readyz", errors=[503]), 503, "key_unavailable")
        assert person.get("/v1/auth/me").status == 200
        for reader in (person, machine):
            assert reader.get(f"{path}/content").body == b"a document"
        assert Person(node).get(view).status == 200
        for answer in (
            limited.post(f"{path}/view", errors=[503]),  # it would have to be counted
            person.post("/v1/api-keys", json={}, errors=[503]),
            person.post("/v1/documents", json=BODY, errors=[503]),
            person.delete(path, errors=[503]),
        ):
            refused(answer, 503, "busy")
            assert int(answer.headers["Retry-After"]) > 0
    finally:
        own_server.stop()
        (own_server.folder / "data" / file).unlink()
        if before:
            (own_server.folder / "data" / file).write_text("")
        own_server.start()
    until(lambda: Person(node).get("/readyz", errors=[503]).status == 200)
    assert person.post("/v1/api-keys", json={}).status == 201
    until(lambda: person.event_types().count("document.downloaded") == 2)


@pytest.fixture(scope="module")
def person(start_service, postgres_server):
    """Somebody whose service was started when its server had become a standby."""
    server = postgres.PostgresServer()
    service = start_service(DATABASE=server.new_database())
    person = service.register()
    service.stop()
    server.stop()
    (server.folder / "data" / "standby.signal").touch()
    server.start()
    service.start()
    yield person
    service.stop()
    server.remove()


def test_a_service_that_starts_on_a_standby_reads_and_is_not_ready(person):
    service = person.service
    assert Person(service).get("/healthz").status == 200
    refused(Person(service).get("/readyz", errors=[503]), 503, "key_unavailable")
    assert person.get("/v1/auth/me").status == 200


def test_a_login_on_a_standby_is_told_to_come_back(person):
    """It would be counted, in a table that no standby has."""
    answer = Person(person.service).log_in(person.record["email"], errors=[503])
    refused(answer, 503, "busy")


def test_commands_that_read_work_on_a_standby(person):
    service = person.service
    assert "2 chains, 2 events, unbroken" in service.run_command("audit", "verify")
    output = service.run_command("doctor", code=1)
    wrong = [line for line in output.splitlines() if line.startswith("WRONG")]
    assert [line.split()[1] for line in wrong] == ["server:"]
    assert "is a standby" in wrong[0]

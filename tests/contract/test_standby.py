"""A service that starts on a standby server, and commands there: all that only reads works."""

import pytest

from tests import postgres
from tests.people import Person
from tests.problems import refused


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
    body = {"email": person.record["email"], "password": person.password}

    refused(Person(person.service).post("/v1/auth/login", json=body, errors=[503]), 503, "busy")


def test_commands_that_read_work_on_a_standby(person):
    service = person.service

    assert "2 chains, 2 events, unbroken" in service.run_command("audit", "verify")
    output = service.run_command("doctor", code=1)
    wrong = [line for line in output.splitlines() if line.startswith("WRONG")]
    assert [line.split()[1] for line in wrong] == ["server:"]
    assert "is a standby" in wrong[0]

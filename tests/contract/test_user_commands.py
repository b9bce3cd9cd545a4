"""Users are disabled, enabled and created on the command line while the service runs."""

import pytest

from tests.people import Person
from tests.problems import refused


@pytest.fixture
def person(service):
    return service.register()


def test_disabling_a_user_stops_all_credentials_and_ends_sessions_for_good(service, person):
    machine, document = person.create_api_key(), person.upload(b"theirs")
    link, email = document["token"]["viewUrl"], person.record["email"]
    service.run_command("users", "disable", email.upper())

    refused(person.get("/v1/auth/me"), 401, "session_expired")
    refused(machine.get("/v1/documents"), 401, "key_revoked")
    refused(person.open(link), 410, "token_spent")
    body = {"email": email, "password": person.password}
    refused(Person(service).post("/v1/auth/login", json=body), 401, "wrong_credentials")

    service.run_command("users", "enable", email)

    refused(person.get("/v1/auth/me"), 401, "session_expired")
    assert machine.get(f"/v1/documents/{document['id']}/content").body == b"theirs"
    assert person.open(link).status == 200
    assert service.log_in(email).get("/v1/auth/me").status == 200


def test_a_user_created_on_the_command_line_can_log_in(service):
    service.run_command("users", "create", "made@example.org", input="a password of theirs\n")

    someone = service.log_in("made@example.org", "a password of theirs")
    assert someone.get("/v1/auth/me").json["name"] is None

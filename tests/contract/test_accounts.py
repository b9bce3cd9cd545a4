"""Accounts: registering, and users disabled, enabled and created on the command line."""

import pytest

from tests.people import PASSWORD, Person
from tests.problems import refused, refused_field
from tests.waiting import run_in_threads

USER = {"id", "email", "name", "createdAt"}


def test_registering_returns_the_user(anonymous):
    answer = anonymous.register("new@example.org", name="New Comer")
    assert answer.status == 201
    assert answer.json.keys() == USER
    assert (answer.json["email"], answer.json["name"]) == ("new@example.org", "New Comer")
    assert answer.json["id"].startswith("usr_")
    assert PASSWORD not in answer.text
    assert anonymous.register("nameless@example.org").json["name"] is None


def test_a_taken_email_is_409_in_any_case(anonymous):
    anonymous.register("twice@example.org")
    for email in ("twice@example.org", "TWICE@example.org", "Twice@Example.ORG"):
        refused(anonymous.register(email), 409, "email_taken", email)


def test_concurrent_registrations_of_one_email_create_one_account(anonymous):
    answers = []

    def one():
        answers.append(anonymous.register("race@example.org").status)

    run_in_threads(*[one] * 4)
    assert sorted(answers) == [201, 409, 409, 409]


NO_ADDRESSES = [
    "",
    " ",
    "a",
    "a@",
    "@b.example",
    "a b@c.example",
    "a@b@c.example",
    "a@b.example\0",
    "a@b.example\n",
    "a@b.example\r\nBcc: c@d.example",
    "a" * 300 + "@b.example",
    None,
    5,
]


def test_an_invalid_email_is_refused(anonymous):
    for email in NO_ADDRESSES:
        refused_field(anonymous.register(email), "#/email", email)


def test_a_password_that_is_too_short_or_too_long_is_refused(anonymous, alice):
    for password in ("", "1234567", "ééééééé", "a" * 1025, None, 12345678, ["a"]):
        answer = anonymous.register("short@example.org", password)
        refused_field(answer, "#/password", password)
        body = {"currentPassword": PASSWORD, "newPassword": password}
        refused_field(alice.post("/v1/auth/password", json=body), "#/newPassword", password)


def test_a_password_of_8_to_1024_characters_logs_in(anonymous):
    for password in ("12345678", "a" * 1024, "ééééééé📄", "  spaces  ", "é" * 1024):
        email = f"{hash(password)}@example.org"
        assert anonymous.register(email, password).status == 201
        assert anonymous.log_in(email, password).status == 200


def test_the_minimum_length_is_a_setting_and_registration_can_be_closed(start_service):
    service = start_service(REGISTRATION="closed", PASSWORD_MIN_LENGTH=12)
    refused(Person(service).register("a@example.org"), 403, "registration_closed")


def test_registration_can_be_open_only_while_no_account_exists(start_service):
    service = start_service(REGISTRATION="first", PASSWORD_MIN_LENGTH=12)
    anonymous = Person(service)
    refused_field(anonymous.register("a@example.org", "11 letters."), "#/password")
    assert anonymous.register("a@example.org", "12 letters..").status == 201
    answer = anonymous.register("b@example.org", "12 letters..")
    refused(answer, 403, "registration_closed")
    assert anonymous.log_in("a@example.org", "12 letters..").status == 200


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
    refused(Person(service).log_in(email), 401, "wrong_credentials")

    service.run_command("users", "enable", email)

    refused(person.get("/v1/auth/me"), 401, "session_expired")
    assert machine.get(f"/v1/documents/{document['id']}/content").body == b"theirs"
    assert person.open(link).status == 200
    assert service.log_in(email).get("/v1/auth/me").status == 200

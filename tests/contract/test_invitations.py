"""Invitations to an account or to a new password, and passwords set by the operator."""

import re
import secrets

import pytest

from tests.clock import ClockedService
from tests.console.visitor import Visitor
from tests.people import PASSWORD, Person
from tests.problems import refused, refused_field
from tests.waiting import run_in_threads

NEW_PASSWORD = "another correct horse"


@pytest.fixture(scope="module")
def closed(start_service):
    """A service that takes no new accounts."""
    return start_service(REGISTRATION="closed", RATE_LIMITS="off")


@pytest.fixture
def email():
    return f"{secrets.token_hex(6)}@example.org"


def invited(service, email):
    """The secret of a new invitation."""
    printed = service.run_command("users", "invite", email)
    return re.search(r"/app/signup\?invite=(invite_[0-9A-Za-z]{38})$", printed, re.M)[1]


def register(service, email, invite=None, password=NEW_PASSWORD, **more):
    return Person(service).register(email, password, invite=invite, **more)


def test_an_invitation_registers_once_while_registration_is_closed(closed, email):
    invite = invited(closed, email)
    refused(register(closed, email), 403, "registration_closed")
    answer = register(closed, email, invite, name="Ivy")
    assert answer.status == 201
    assert answer.json.keys() == {"id", "email", "name", "createdAt"}
    assert (answer.json["email"], answer.json["name"]) == (email, "Ivy")
    assert Person(closed).log_in(email, NEW_PASSWORD).status == 200
    refused_field(register(closed, email, invite), "#/invite")


def test_an_invitation_is_for_its_address_alone_in_any_case(closed, email):
    invite = invited(closed, email)
    refused_field(register(closed, f"x{email}", invite), "#/invite")
    assert register(closed, email.upper(), invite).status == 201


def test_an_invitation_of_an_account_sets_its_password_and_ends_its_sessions(closed, email):
    register(closed, email, invited(closed, email), PASSWORD, name="Ivy")
    person = closed.log_in(email, PASSWORD)
    machine, document = person.create_api_key(), person.upload(b"theirs")

    answer = register(closed, email, invited(closed, email), NEW_PASSWORD)

    assert answer.status == 200
    assert answer.json == person.record
    refused(person.get("/v1/auth/me"), 401, "session_expired")
    refused(Person(closed).log_in(email, PASSWORD), 401, "wrong_credentials")
    assert Person(closed).log_in(email, NEW_PASSWORD).status == 200
    assert machine.get("/v1/documents").json["documents"][0]["id"] == document["id"]
    assert person.open(document["token"]["viewUrl"]).status == 200


def test_a_name_given_with_an_invitation_of_an_account_becomes_its_name(closed, email):
    register(closed, email, invited(closed, email), name="former")
    answer = register(closed, email, invited(closed, email), name="present")
    assert (answer.status, answer.json["name"]) == (200, "present")


def test_a_wrong_invitation_is_refused_the_same_whatever_it_is(service, closed, email, alice):
    used, former = invited(closed, email), invited(closed, f"x{email}")
    register(closed, email, used)
    invited(closed, f"x{email}")
    attempts = [(email, used), (f"x{email}", former), (email, "invite_nonsense"), (email, "x" * 99)]
    attempts += [("nobody@example.org", used), ("nobody@example.org", former)]

    details = {refused_field(register(closed, *one), "#/invite") for one in attempts}
    answers = [
        register(service, address, "invite_nonsense", password)
        for address in (alice.record["email"], "nobody@example.org")
        for password in (NEW_PASSWORD, "short")
    ]

    assert len(details | {refused_field(answer, "#/invite") for answer in answers}) == 1
    refused_field(register(closed, email, ""), "#/invite")


@pytest.mark.slow
def test_an_invitation_is_valid_for_seven_days(tmp_path):
    service = ClockedService(tmp_path, REGISTRATION="closed")
    try:
        early, late = (invited(service, f"{name}@example.org") for name in ("early", "late"))
        service.set_clock(days=6, hours=23)
        assert register(service, "early@example.org", early).status == 201
        service.set_clock(days=7, minutes=1)
        refused_field(register(service, "late@example.org", late), "#/invite")
    finally:
        service.close()


def test_a_password_that_is_refused_leaves_the_invitation_valid(closed, email):
    invite = invited(closed, email)
    refused_field(register(closed, email, invite, "short"), "#/password")
    assert register(closed, email, invite).status == 201


@pytest.mark.parametrize("has_account", [False, True])
def test_of_many_at_once_one_uses_an_invitation(has_account, closed, email):
    if has_account:
        register(closed, email, invited(closed, email))
    invite, answers = invited(closed, email), {}

    def accept(number):
        password = f"the password of {number}"
        answers[password] = register(closed, email, invite, password).status

    run_in_threads(*[lambda number=number: accept(number) for number in range(6)])

    (accepted,) = [password for password, status in answers.items() if status in (200, 201)]
    assert set(answers.values()) <= {200, 201, 409, 422}
    assert Person(closed).log_in(email, accepted).status == 200


def test_a_registration_that_is_sent_again_with_its_key_gets_the_first_answer(closed, email):
    body = {"email": email, "password": PASSWORD, "invite": invited(closed, email)}
    headers = {"Idempotency-Key": "invited"}
    first, second = (
        Person(closed).post("/v1/auth/register", json=body, headers=headers) for _ in range(2)
    )
    assert (first.status, second.status, first.json) == (201, 201, second.json)
    assert second.headers["Idempotency-Replayed"] == "true"


def test_the_secret_of_an_invitation_is_neither_stored_nor_logged(closed, email):
    invite = invited(closed, email)
    register(closed, email, invite, "short")
    Visitor(closed).get(f"/app/signup?invite={invite}")
    assert invite.encode() not in b"".join(closed.files().values())
    assert invite not in closed.stderr()


def test_an_invitation_that_was_altered_in_the_database_file_is_refused(closed, email):
    register(closed, email, invited(closed, email))
    invite = invited(closed, f"mine-{email}")
    change = "UPDATE invitation SET email_folded = :email WHERE email_folded = :mine"
    assert closed.sql(change, email=email, mine=f"mine-{email}") == 1
    refused_field(register(closed, email, invite), "#/invite")
    assert re.search(r"inv_\w+ was altered", closed.run_command("doctor", code=1))
    closed.sql("DELETE FROM invitation WHERE email_folded = :email", email=email)


def test_the_link_has_the_address_of_the_service(start_service, service):
    named = start_service(BASE_URL="https://docs.example.org")
    assert "https://docs.example.org/app/signup?invite=invite_" in named.run_command(
        "users", "invite", "a@example.org"
    )
    assert f"{service.url}/app/signup?invite=invite_" in service.run_command(
        "users", "invite", "a@example.org"
    )


def test_a_disabled_account_is_not_invited(service):
    person = service.register()
    service.run_command("users", "disable", person.record["email"])
    output = service.run_command("users", "invite", person.record["email"], code=1)
    assert "disabled. Enable it first." in output


def test_the_operator_sets_a_password_from_stdin_which_ends_all_sessions(service):
    person = service.register()
    email = person.record["email"]
    output = service.run_command("users", "password", email, input=f"{NEW_PASSWORD}\n")
    assert NEW_PASSWORD not in output
    refused(person.get("/v1/auth/me"), 401, "session_expired")
    refused(Person(service).log_in(email, PASSWORD), 401, "wrong_credentials")
    profile = service.log_in(email, NEW_PASSWORD).get("/v1/auth/me").json
    stored = {"documentCount": 0, "size": 0, "binnedCount": 0}
    assert profile == person.record | {"showName": True, "stored": stored}


@pytest.mark.parametrize(("who", "password"), [("nobody@example.org", PASSWORD), ("", "short")])
def test_a_password_is_not_set_for_nobody_or_if_it_is_weak(who, password, service, alice):
    words = "users", "password", who or alice.record["email"]
    output = service.run_command(*words, input=f"{password}\n", code=1)
    assert output.count("\n") == 1, output

"""Accounts and sessions."""

import sys
import threading
import time

import pytest

from tests.people import PASSWORD, Person, instant, moment, pointed, refused

USER = {"id", "email", "name", "createdAt"}


def register(anyone, **fields):
    return anyone.post("/v1/auth/register", json=fields)


def log_in(anyone, email, password=PASSWORD):
    return anyone.post("/v1/auth/login", json={"email": email, "password": password})


# Register


def test_register_answers_the_user(anyone):
    answer = register(anyone, email="new@example.org", password=PASSWORD, name="New Comer")
    assert answer.status == 201
    assert answer.json.keys() == USER
    assert (answer.json["email"], answer.json["name"]) == ("new@example.org", "New Comer")
    assert answer.json["id"].startswith("usr_")
    assert PASSWORD not in answer.text


def test_a_name_is_optional(anyone):
    answer = register(anyone, email="nameless@example.org", password=PASSWORD)
    assert (answer.status, answer.json["name"]) == (201, None)


@pytest.mark.parametrize("email", ["twice@example.org", "TWICE@example.org", "Twice@Example.ORG"])
def test_a_taken_email_is_409_in_any_case(email, anyone):
    register(anyone, email="twice@example.org", password=PASSWORD)
    refused(register(anyone, email=email, password=PASSWORD), 409, "email_taken")


def test_an_email_is_taken_once_by_many_at_once(anyone):
    answers = []

    def one():
        answers.append(register(anyone, email="race@example.org", password=PASSWORD).status)

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201, 409, 409, 409]


@pytest.mark.parametrize(
    "email",
    [
        *("", " ", "a", "a@", "@b.example", "a b@c.example", "a@b@c.example", "a@b.example\0"),
        *("a@b.example\n", "a@b.example\r\nBcc: c@d.example", "a" * 300 + "@b.example", None, 5),
    ],
)
def test_a_bad_email_is_pointed_at(email, anyone):
    pointed(register(anyone, email=email, password=PASSWORD), "#/email")


@pytest.mark.parametrize("password", ["", "1234567", "ééééééé", "a" * 1025, None, 12345678, ["a"]])
def test_a_password_that_is_too_short_or_long_is_pointed_at(password, anyone):
    pointed(register(anyone, email="short@example.org", password=password), "#/password")


@pytest.mark.parametrize(
    "password", ["12345678", "a" * 1024, "ééééééé📄", "  spaces  ", "é" * 1024]
)
def test_a_password_of_8_to_1024_characters_logs_in(password, anyone, service):
    email = f"{hash(password)}@example.org"
    assert register(anyone, email=email, password=password).status == 201
    assert log_in(anyone, email, password).status == 200


@pytest.mark.parametrize("field", ["email", "password"])
@pytest.mark.parametrize("path", ["/v1/auth/register", "/v1/auth/login"])
def test_a_missing_field_is_pointed_at(path, field, anyone):
    body = {"email": "missing@example.org", "password": PASSWORD}
    body.pop(field)
    pointed(anyone.post(path, json=body), f"#/{field}")


def test_the_minimum_length_is_a_setting_and_registration_can_be_closed(start_service):
    service = start_service(REGISTRATION="closed", PASSWORD_MIN_LENGTH=12)
    refused(
        register(Person(service), email="a@example.org", password=PASSWORD),
        403,
        "registration_closed",
    )


def test_registration_can_be_open_only_while_no_account_exists(start_service):
    service = start_service(REGISTRATION="first", PASSWORD_MIN_LENGTH=12)
    anyone = Person(service)
    pointed(register(anyone, email="a@example.org", password="11 letters."), "#/password")
    assert register(anyone, email="a@example.org", password="12 letters..").status == 201
    answer = register(anyone, email="b@example.org", password="12 letters..")
    refused(answer, 403, "registration_closed")
    assert log_in(anyone, "a@example.org", "12 letters..").status == 200


# Log in


def test_login_answers_a_session(anyone, alice):
    answer = log_in(anyone, "alice@example.org")
    assert answer.status == 200
    session = answer.json
    assert session.keys() == {"accessToken", "tokenType", "expiresIn", "expiresAt", "user"}
    assert (session["tokenType"], session["expiresIn"]) == ("Bearer", 43_200)
    life = (instant(session["expiresAt"]) - instant(moment())).total_seconds()
    assert life == pytest.approx(43_200, abs=30)
    assert session["user"] == alice.record
    assert session["user"].keys() == USER


def test_login_takes_the_email_in_any_case(anyone, alice):
    assert log_in(anyone, "Alice@Example.ORG").status == 200


def test_either_mistake_is_wrong_credentials_in_one_text(anyone, alice):
    problems = [
        refused(log_in(anyone, email, "wrong password"), 401, "wrong_credentials")
        for email in ("alice@example.org", "nobody@example.org")
    ]
    assert problems[0] | {"requestId": ""} == problems[1] | {"requestId": ""}


@pytest.mark.parametrize("password", [PASSWORD.upper(), PASSWORD + " ", " " + PASSWORD, "x", ""])
def test_a_password_is_compared_exactly(password, anyone, alice):
    answer = log_in(anyone, "alice@example.org", password)
    assert answer.status in ((401, 422) if password in {"", "x"} else (401,))


def test_either_mistake_takes_the_same_time(anyone, alice):
    emails = ("nobody@example.org", "alice@example.org")
    times = {email: [] for email in emails}
    for email in emails * 8:  # in turns, so that what else runs slows both
        began = time.perf_counter()
        log_in(anyone, email, "wrong password")
        times[email].append(time.perf_counter() - began)
    nobody, somebody = (min(times[email]) for email in emails)
    assert 0.5 < nobody / somebody < 2


@pytest.fixture(scope="module")
def strict(start_service):
    """A service with short sessions that slows wrong passwords."""
    return start_service(SESSION_SECONDS=1)


def test_the_life_of_a_session_is_a_setting(strict):
    strict.register("short@example.org")
    began = time.monotonic()
    session = log_in(Person(strict), "short@example.org").json
    assert session["expiresIn"] == 1
    brief = Person(strict).bearing(session["accessToken"])
    assert brief.get("/v1/auth/me").status == 200
    while (answer := brief.get("/v1/auth/me")).status == 200:
        assert time.monotonic() - began < 3
        time.sleep(0.05)
    refused(answer, 401, "session_expired")
    assert time.monotonic() - began > 0.8


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has more than one loopback address")
def test_wrong_passwords_are_throttled_but_never_lock_anybody_out(strict):
    machine = strict.register("owner@example.org").key()
    attacker = Person(strict, address="127.0.0.2")
    for _ in range(60):
        answer = log_in(attacker, "owner@example.org", "wrong password")
        if answer.status == 429:
            break
    problem = refused(answer, 429, "too_many_requests")
    assert int(answer.headers["Retry-After"]) > 0
    assert problem["detail"]
    assert log_in(Person(strict, address="127.0.0.3"), "owner@example.org").status == 200
    assert machine.get("/v1/documents").status == 200
    assert log_in(attacker, "other@example.org", "wrong password").status in (401, 429)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has more than one loopback address")
def test_wrong_passwords_are_throttled_by_address_over_many_accounts(strict):
    attacker = Person(strict, address="127.0.0.4")
    answers = (log_in(attacker, f"{n}@example.org", "wrong password") for n in range(150))
    assert any(answer.status == 429 for answer in answers)


# Me, logout, password


def test_me_is_the_user(alice):
    answer = alice.get("/v1/auth/me")
    assert (answer.status, answer.json) == (200, alice.record)


def test_logout_ends_this_session_at_once_and_no_other(service, alice):
    session = service.log_in("alice@example.org")
    answer = session.post("/v1/auth/logout")
    assert (answer.status, answer.body) == (204, b"")
    for call in (session.get("/v1/auth/me"), session.post("/v1/auth/logout")):
        refused(call, 401, "session_expired")
    assert alice.get("/v1/auth/me").status == 200


def test_a_new_password_ends_every_other_session(service, newcomer, anyone):
    email, machine = newcomer.record["email"], newcomer.key()
    other = service.log_in(email)
    body = {"currentPassword": PASSWORD, "newPassword": "another one now"}
    answer = newcomer.post("/v1/auth/password", json=body)
    assert (answer.status, answer.body) == (204, b"")
    assert newcomer.get("/v1/auth/me").status == 200
    refused(other.get("/v1/auth/me"), 401, "session_expired")
    refused(log_in(anyone, email), 401, "wrong_credentials")
    assert log_in(anyone, email, "another one now").status == 200
    assert machine.get("/v1/documents").status == 200


def test_a_new_password_needs_the_current_one(service, newcomer, anyone):
    body = {"currentPassword": "wrong password", "newPassword": "another one now"}
    answer = newcomer.post("/v1/auth/password", json=body)
    assert answer.status in (401, 403, 422)
    assert answer.json["code"] in {"wrong_credentials", "invalid_request"}
    assert log_in(anyone, newcomer.record["email"]).status == 200


@pytest.mark.parametrize("password", ["short", "a" * 1025, None, 5])
def test_a_bad_new_password_is_pointed_at(password, alice):
    body = {"currentPassword": PASSWORD, "newPassword": password}
    pointed(alice.post("/v1/auth/password", json=body), "#/newPassword")


# Sessions


def test_sessions_lists_the_live_ones_and_marks_this_one(service, newcomer):
    other = service.log_in(newcomer.record["email"])
    for caller in (newcomer, other):
        answer = caller.get("/v1/auth/sessions")
        assert answer.status == 200
        assert answer.json["nextCursor"] is None
        current = [session["current"] for session in answer.json["sessions"]]
        assert current == [caller is other, caller is newcomer]
        assert not any(person.secret in answer.text for person in (newcomer, other))


def test_a_session_has_an_id_and_its_times(newcomer):
    (session,) = newcomer.get("/v1/auth/sessions").json["sessions"]
    assert {"id", "createdAt", "expiresAt", "current"} <= session.keys()
    assert session["id"].startswith("ses_")
    assert instant(session["createdAt"]) < instant(session["expiresAt"])


def test_an_ended_session_is_dead_at_once_and_no_longer_listed(service, newcomer):
    other = service.log_in(newcomer.record["email"])
    ended = newcomer.get("/v1/auth/sessions").json["sessions"][0]["id"]
    assert newcomer.delete(f"/v1/auth/sessions/{ended}").status == 204
    refused(other.get("/v1/auth/me"), 401, "session_expired")
    assert len(newcomer.get("/v1/auth/sessions").json["sessions"]) == 1
    assert newcomer.delete(f"/v1/auth/sessions/{ended}").status in (204, 404)


def test_one_can_end_ones_own_session(newcomer):
    (session,) = newcomer.get("/v1/auth/sessions").json["sessions"]
    assert newcomer.delete(f"/v1/auth/sessions/{session['id']}").status == 204
    refused(newcomer.get("/v1/auth/me"), 401, "session_expired")


def test_a_session_that_never_was_is_404(alice):
    refused(alice.delete("/v1/auth/sessions/ses_nothing"), 404, "not_found")

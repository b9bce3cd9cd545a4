"""Sessions: logging in and out, changing the password, and the list of sessions."""

import sys

import pytest

from tests.formats import parse_time, time_from_now
from tests.people import PASSWORD, Person
from tests.problems import refused

USER = {"id", "email", "name", "createdAt"}


def test_logging_in_returns_a_session(anonymous, alice):
    answer = anonymous.log_in("alice@example.org")
    assert answer.status == 200
    session = answer.json
    assert session.keys() == {"accessToken", "tokenType", "expiresIn", "expiresAt", "user"}
    assert (session["tokenType"], session["expiresIn"]) == ("Bearer", 43_200)
    life = (parse_time(session["expiresAt"]) - parse_time(time_from_now())).total_seconds()
    assert life == pytest.approx(43_200, abs=30)
    assert session["user"] == alice.record
    assert session["user"].keys() == USER


def test_logging_in_accepts_the_email_in_any_case(anonymous, alice):
    assert anonymous.log_in("Alice@Example.ORG").status == 200


def test_a_wrong_password_and_an_unknown_email_get_the_same_answer(anonymous, alice):
    problems = [
        refused(anonymous.log_in(email, "wrong password"), 401, "wrong_credentials")
        for email in ("alice@example.org", "nobody@example.org")
    ]
    assert problems[0] | {"requestId": ""} == problems[1] | {"requestId": ""}


def test_a_password_is_compared_exactly_but_for_blanks_around_it(anonymous, alice):
    for password in (PASSWORD.upper(), PASSWORD.replace(" ", "  "), PASSWORD + " .", "x", ""):
        answer = anonymous.log_in("alice@example.org", password)
        assert answer.status in ((401, 422) if password in {"", "x"} else (401,)), password
    for password in (PASSWORD + " ", " " + PASSWORD):
        assert anonymous.log_in("alice@example.org", password).status == 200, password


@pytest.fixture(scope="module")
def limiting(start_service):
    """A service that limits wrong passwords, as it does by default."""
    return start_service()


loopback = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has more than one loopback address"
)


@loopback
def test_wrong_passwords_are_throttled_by_address_and_lock_nobody_out(limiting):
    machine = limiting.register("owner@example.org").create_api_key()
    attacker = Person(limiting, address="127.0.0.2")
    answers = (attacker.log_in("owner@example.org", "wrong password") for _ in range(60))
    answer = next(answer for answer in answers if answer.status == 429)
    problem = refused(answer, 429, "too_many_requests")
    assert int(answer.headers["Retry-After"]) > 0
    assert problem["detail"]
    assert Person(limiting, address="127.0.0.3").log_in("owner@example.org").status == 200
    assert machine.get("/v1/documents").status == 200
    assert attacker.log_in("other@example.org", "wrong password").status in (401, 429)


def test_logout_ends_this_session_at_once_and_no_other(service, alice):
    session = service.log_in("alice@example.org")
    answer = session.post("/v1/auth/logout")
    assert (answer.status, answer.body) == (204, b"")
    for call in (session.get("/v1/auth/me"), session.post("/v1/auth/logout")):
        refused(call, 401, "session_expired")
    assert alice.get("/v1/auth/me").status == 200


def test_a_new_password_ends_every_other_session(service, new_user, anonymous):
    email, machine = new_user.record["email"], new_user.create_api_key()
    other = service.log_in(email)
    body = {"currentPassword": PASSWORD, "newPassword": "another one now"}
    answer = new_user.post("/v1/auth/password", json=body)
    assert (answer.status, answer.body) == (204, b"")
    assert new_user.get("/v1/auth/me").status == 200
    refused(other.get("/v1/auth/me"), 401, "session_expired")
    refused(anonymous.log_in(email), 401, "wrong_credentials")
    assert anonymous.log_in(email, "another one now").status == 200
    assert machine.get("/v1/documents").status == 200


def test_a_new_password_needs_the_current_one(service, new_user, anonymous):
    body = {"currentPassword": "wrong password", "newPassword": "another one now"}
    answer = new_user.post("/v1/auth/password", json=body)
    assert answer.status in (401, 403, 422)
    assert answer.json["code"] in {"wrong_credentials", "invalid_request"}
    assert anonymous.log_in(new_user.record["email"]).status == 200


def test_the_list_has_the_live_sessions_and_marks_the_current_one(service, new_user):
    other = service.log_in(new_user.record["email"])
    for caller in (new_user, other):
        answer = caller.get("/v1/auth/sessions")
        assert answer.status == 200
        assert answer.json["nextCursor"] is None
        current = [session["current"] for session in answer.json["sessions"]]
        assert current == [caller is other, caller is new_user]
        assert not any(person.secret in answer.text for person in (new_user, other))


def test_a_session_has_an_id_and_its_times(new_user):
    (session,) = new_user.get("/v1/auth/sessions").json["sessions"]
    assert {"id", "createdAt", "expiresAt", "current"} <= session.keys()
    assert session["id"].startswith("ses_")
    assert parse_time(session["createdAt"]) < parse_time(session["expiresAt"])


def test_an_ended_session_is_refused_and_no_longer_listed(service, new_user):
    other = service.log_in(new_user.record["email"])
    ended = new_user.get("/v1/auth/sessions").json["sessions"][0]["id"]
    assert new_user.delete(f"/v1/auth/sessions/{ended}").status == 204
    refused(other.get("/v1/auth/me"), 401, "session_expired")
    assert len(new_user.get("/v1/auth/sessions").json["sessions"]) == 1
    assert new_user.delete(f"/v1/auth/sessions/{ended}").status in (204, 404)


def test_a_user_can_end_the_current_session(new_user):
    (session,) = new_user.get("/v1/auth/sessions").json["sessions"]
    assert new_user.delete(f"/v1/auth/sessions/{session['id']}").status == 204
    refused(new_user.get("/v1/auth/me"), 401, "session_expired")

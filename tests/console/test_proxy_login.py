"""Logging in by the header of the trusted proxy, and a service where passwords are off."""

import re
import secrets

import pytest

from tests.console.visitor import SAME_SITE, Visitor, words
from tests.forms import FORM, field, file
from tests.forms import body as form_body
from tests.people import PASSWORD, Person
from tests.service import QuickService

pytestmark = pytest.mark.slow  # they share services of their own
ALLOWED = "@allowed.example"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    settings = {
        "AUTH_HEADER": "Remote-Email",
        "TRUSTED_PROXY": "127.0.0.1",
        "SIGN_IN_ALLOW": ALLOWED,
        "RATE_LIMITS": "off",
    }
    service = QuickService(tmp_path_factory.mktemp("service"), **settings)
    yield service
    service.close()


@pytest.fixture(scope="module")
def without_passwords(tmp_path_factory):
    settings = {
        "AUTH_HEADER": "Remote-Email",
        "TRUSTED_PROXY": "127.0.0.1",
        "SIGN_IN_ALLOW": ALLOWED,
        "PASSWORDS": "off",
    }
    service = QuickService(tmp_path_factory.mktemp("service"), **settings)
    yield service
    service.close()


@pytest.fixture
def email():
    return f"{secrets.token_hex(6)}{ALLOWED}"


def by_proxy(visitor, email, path="/app/documents", **more):
    return visitor.get(path, **{"Remote-Email": email}, **more)


def test_a_get_without_a_cookie_begins_a_session_and_goes_on(visitor, email):
    answer = by_proxy(visitor, email, "/app/account")
    assert answer.status == 200
    assert email in answer.text
    assert visitor.cookies.keys() == {"session"}
    token = visitor.cookies["session"]
    assert by_proxy(visitor, email).status == 200
    assert visitor.cookies["session"] == token
    sessions = visitor.api.get("/v1/auth/sessions").json["sessions"]
    assert len(sessions) == 1


def test_upper_case_in_the_header_is_the_same_person(visitor, email):
    by_proxy(visitor, email)
    first = visitor.api.get("/v1/auth/me").json["id"]
    again = Visitor(visitor.service)
    by_proxy(again, email.upper())
    assert again.api.get("/v1/auth/me").json["id"] == first


@pytest.mark.parametrize("other", ["", "eve@allowed.example"])
def test_a_session_of_a_space_ends_with_the_one_that_the_proxy_has_ended(visitor, email, other):
    by_proxy(visitor, email)
    own = visitor.api
    space = own.post("/v1/spaces", json={"name": "Accounting"}).json["id"]
    acting = own.with_token(own.post(f"/v1/spaces/{space}/sessions").json["accessToken"])
    assert acting.get("/v1/documents").status == 200
    visitor.get("/app/documents", **({"Remote-Email": other} if other else {}))
    assert own.get("/v1/auth/me").status == 401
    assert acting.get("/v1/documents").status == 401


@pytest.mark.parametrize("other", ["", "eve@allowed.example"])
def test_a_session_ends_with_another_value_or_none_and_its_cookie_is_cleared(visitor, email, other):
    by_proxy(visitor, email)
    headers = {"Remote-Email": other} if other else {}
    answer = visitor.get("/app/documents", **headers)
    assert answer.status == 303
    assert answer.headers["Location"].startswith("/app/login?next=")
    assert "session" not in visitor.cookies
    answer = visitor.get(answer.headers["Location"], **headers)
    assert (answer.status, "session" in visitor.cookies) == ((303, True) if other else (200, False))


def test_a_public_page_clears_such_a_cookie_too(visitor, email):
    by_proxy(visitor, email)
    assert visitor.get("/app/login").status == 200
    assert visitor.cookies == {}


def test_a_form_begins_no_session(visitor, email):
    answer = visitor.post("/app/account", {}, SAME_SITE | {"Remote-Email": email})
    assert answer.status == 303
    assert visitor.cookies == {}


@pytest.mark.parametrize("part", ["image", "manifest", "iframe", "empty"])
def test_a_part_of_a_page_begins_no_session(visitor, email, part):
    by_proxy(visitor, email, **{"Sec-Fetch-Dest": part})
    assert "session" not in visitor.cookies


WRONG = {
    "a placeholder": "{http.request.header.Remote-Email}",
    "two addresses": "a@allowed.example, b@allowed.example",
    "the same twice": "a@allowed.example,a@allowed.example",
    "no address": "ana",
    "an address with a name": "Ana <a@allowed.example>",
    "an umlaut": "\u00e4na@allowed.example",
    "nothing": "",
}


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_a_value_that_is_no_plain_address_counts_as_none(service, value):
    answer = Person(service).exchange(
        "GET", "/app/documents", [("Remote-Email", value.encode("latin-1"))]
    )
    assert answer.status == 303
    assert "session=v4" not in str(answer.headers)


def test_two_headers_count_as_none_and_one_with_underscores_never_arrives(service, email):
    for headers in (
        [("Remote-Email", email), ("Remote-Email", email)],
        [("Remote_Email", email)],
    ):
        answer = Person(service).exchange("GET", "/app/documents", headers)
        assert (answer.status, "session=v4" in str(answer.headers)) == (303, False)
    headers = [("Remote-Email", email), ("Remote_Email", "eve@allowed.example")]
    answer = Person(service).exchange("GET", "/app/account", headers)
    assert email in answer.text


def test_a_header_that_is_no_address_is_logged_once_and_without_its_value(start_service):
    service = start_service(AUTH_HEADER="Remote-Email", TRUSTED_PROXY="127.0.0.1")
    for _ in range(3):
        Visitor(service).get("/app/documents", **{"Remote-Email": "not an address"})
    assert service.stderr().count("is not one plain e-mail address") == 1
    assert "not an address" not in service.stderr()


def test_the_header_of_anybody_but_the_proxy_is_not_read(service, email):
    stranger = Person(service, address="127.0.0.2")
    headers = [("Remote-Email", email), ("X-Forwarded-For", "127.0.0.1")]
    answer = stranger.exchange("GET", "/app/documents", headers)
    assert (answer.status, "session=v4" in str(answer.headers)) == (303, False)


def test_the_header_is_not_read_outside_of_the_pages(service, email):
    headers = [("Remote-Email", email)]
    assert Person(service).exchange("GET", "/v1/documents", headers).status == 401
    assert "session=v4" not in str(Person(service).exchange("GET", "/", headers).headers)


def test_somebody_whom_nothing_lets_in_gets_no_account(visitor):
    for path in ("/app/documents", "/app/login"):
        answer = by_proxy(visitor, "eve@elsewhere.example", path)
        assert "takes no new accounts" in words(answer)
        assert visitor.cookies == {}
    assert by_proxy(visitor, "eve@elsewhere.example").status == 403


def test_an_account_of_the_address_is_logged_in_to_once_and_the_login_added_there(member):
    email = member.email
    visitor = Visitor(member.service)
    answer = by_proxy(visitor, email)
    assert answer.status == 403
    assert "Log in to it once with your password" in words(answer)
    page = by_proxy(visitor, email, "/app/login")
    assert "Log in to it once with your password" in words(page)
    headers = SAME_SITE | {"Remote-Email": email}
    visitor.post("/app/login", {"email": email, "password": PASSWORD}, headers)
    assert f"Add {email}" in words(by_proxy(visitor, email, "/app/account"))
    answer = visitor.post("/app/account/identities", {}, headers)
    assert answer.headers["Location"] == "/app/account?done=linked"
    again = Visitor(member.service)
    assert by_proxy(again, email).status == 200
    events = again.api.get("/v1/events").json["events"]
    assert [one["data"]["via"] for one in events if one["type"] == "identity.linked"] == ["session"]


def test_an_invitation_makes_an_account_for_its_own_address_alone(service, email):
    invited = email.replace("allowed", "elsewhere")
    secret = invitation(service, invited)
    stranger = Visitor(service)
    by_proxy(stranger, "eve@elsewhere.example", f"/app/signup?invite={secret}")
    assert stranger.cookies == {}
    visitor = Visitor(service)
    assert by_proxy(visitor, invited, f"/app/signup?invite={secret}").status == 303
    assert by_proxy(visitor, invited).status == 200
    other = Visitor(service)
    answer = by_proxy(other, "x@elsewhere.example", f"/app/signup?invite={secret}")
    assert answer.status == 200
    assert other.cookies == {}


def test_an_invitation_adds_the_login_to_an_account_that_exists(member):
    secret = invitation(member.service, member.email)
    visitor = Visitor(member.service)
    assert by_proxy(visitor, member.email, f"/app/signup?invite={secret}").status == 303
    assert by_proxy(visitor, member.email).status == 200
    assert visitor.api.get("/v1/auth/me").json == member.api.get("/v1/auth/me").json


def invitation(service, email):
    printed = service.run_command("users", "invite", email)
    return re.search(r"invite=(\S+)", printed)[1]


def test_a_disabled_account_is_let_in_no_more(visitor, email):
    by_proxy(visitor, email)
    visitor.service.run_command("users", "disable", email)
    assert by_proxy(visitor, email).status == 303
    answer = by_proxy(Visitor(visitor.service), email)
    assert answer.status == 403
    assert "Your account is disabled" in words(answer)


def test_the_operator_links_and_unlinks_an_identity(member):
    service = member.service
    service.run_command("users", "link", member.email, "proxy", "Other@elsewhere.example")
    visitor = Visitor(service)
    assert by_proxy(visitor, "other@elsewhere.example").status == 200
    service.run_command("users", "unlink", member.email, "proxy", "other@elsewhere.example")
    assert by_proxy(visitor, "other@elsewhere.example").status == 303
    assert by_proxy(Visitor(service), "other@elsewhere.example").status == 403


def test_a_logout_says_that_the_proxy_still_knows_the_person(visitor, email):
    by_proxy(visitor, email)
    answer = visitor.post("/app/logout", {}, SAME_SITE | {"Remote-Email": email})
    assert answer.status == 200
    assert "still knows you" in words(answer)
    assert visitor.cookies == {}


def test_an_account_without_a_password_is_deleted_in_a_young_session(visitor, email):
    by_proxy(visitor, email)
    assert "Your password" not in by_proxy(visitor, email, "/app/account/delete").text
    answer = visitor.post("/app/account/delete", {}, SAME_SITE | {"Remote-Email": email})
    assert answer.status == 303
    first = Visitor(visitor.service)
    assert by_proxy(first, email).status == 200  # a new account


def test_an_uploaded_file_larger_than_the_head_is_taken_of_somebody_by_proxy(visitor, email):
    by_proxy(visitor, email)
    headers = SAME_SITE | {"Content-Type": FORM, "Remote-Email": email}
    body = form_body(field("key", b"k"), file("a.txt", b"x" * 300_000))
    answer = visitor.request("POST", "/app/documents", headers, body)
    assert answer.status in {200, 303}, answer
    assert "a.txt" in by_proxy(visitor, email).text


def test_with_passwords_off_nobody_logs_in_signs_up_or_resets_by_one(without_passwords):
    anonymous = Person(without_passwords)
    for path, body in (
        ("login", {"email": "a@b.example", "password": PASSWORD}),
        ("register", {"email": "a@b.example", "password": PASSWORD}),
        ("reset", {"email": "a@b.example"}),
    ):
        answer = anonymous.post(f"/v1/auth/{path}", json=body)
        assert (answer.status, answer.json["code"]) == (403, "passwords_off")
    visitor = Visitor(without_passwords)
    assert visitor.log_in("a@b.example").status == 403
    assert visitor.post("/app/signup", {"email": "a@b.example", "password": PASSWORD}).status == 403
    assert 'name="password"' not in visitor.get("/app/login").text
    assert 'name="password"' not in visitor.get("/app/signup").text


def test_with_passwords_off_an_account_of_the_address_takes_an_invitation(without_passwords, email):
    elsewhere = email.replace("allowed", "elsewhere")
    printed = without_passwords.run_command("users", "invite", elsewhere)
    assert "PASSWORDS is off" in printed
    secret = re.search(r"invite=(\S+)", printed)[1]
    by_proxy(Visitor(without_passwords), elsewhere, f"/app/signup?invite={secret}")
    without_passwords.run_command("users", "unlink", elsewhere, "proxy", elsewhere)
    answer = by_proxy(Visitor(without_passwords), elsewhere)
    assert answer.status == 403
    assert "Ask the person who runs this service for an invitation" in words(answer)


def test_with_passwords_off_sessions_and_keys_go_on(start_service):
    service = start_service()
    person = service.register()
    machine = person.create_api_key(name="k")
    service.settings |= {
        "PASSWORDS": "off",
        "AUTH_HEADER": "Remote-Email",
        "TRUSTED_PROXY": "127.0.0.1",
    }
    service.restart()
    assert person.get("/v1/auth/me").status == 200
    assert machine.get("/v1/documents").status == 200

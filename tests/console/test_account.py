"""Signing up, logging in, and the account's page."""

import re

import pytest

from blueprints.console.words import AccountHolder
from tests.console.visitor import SAME_SITE, Visitor, element_of, field_of
from tests.people import PASSWORD
from tests.waiting import until


def test_somebody_who_signs_up_is_logged_in(member):
    assert member.email in member.get("/app/account").text


def test_a_refused_sign_up_says_at_the_field_what_to_do_and_keeps_what_was_typed(visitor, alice):
    answer = visitor.post("/app/signup", {"email": "nobody", "password": "x", "name": "Nob"})
    assert answer.status == 422
    assert "<title>Error: " in answer.text
    field = field_of(answer, "email")
    assert (field["value"], field["aria-invalid"]) == ("nobody", "true")
    sentence = element_of(answer, field["aria-describedby"].strip())
    assert sentence == "This is no e-mail address: one looks like me@example.org."
    assert field_of(answer, "name")["value"] == "Nob"
    assert "value" not in field_of(answer, "password")

    taken = visitor.post("/app/signup", {"email": alice.record["email"], "password": PASSWORD})
    assert taken.status == 409
    assert field_of(taken, "email")["aria-invalid"] == "true"

    short = visitor.post("/app/signup", {"email": "new@example.org", "password": "short"})
    assert short.status == 422
    by = field_of(short, "password")["aria-describedby"].split()
    assert "Use 8 to 1024 characters; this has 5." in [element_of(short, one) for one in by]


def test_what_was_typed_comes_back_as_text(visitor):
    typed = '"><script>alert(1)</script>'
    answer = visitor.post("/app/signup", {"email": typed, "password": "x"})
    assert "<script>alert" not in answer.text
    assert field_of(answer, "email")["value"] == typed


def test_a_wrong_password_is_told_the_same_as_an_unknown_address(visitor, alice):
    for email in (alice.record["email"], "unknown@example.org"):
        answer = visitor.log_in(email, "wrong password")
        assert answer.status == 401
        assert "The e-mail address or the password is wrong." in answer.text
        assert field_of(answer, "email")["value"] == email
        assert visitor.cookies == {}


def test_many_wrong_passwords_are_told_to_wait(start_service):
    visitor = Visitor(start_service())
    answers = [visitor.log_in("a@example.org", "wrong") for _ in range(11)]
    assert answers[-1].status == 429
    assert "Too many wrong passwords. Wait" in answers[-1].text


def test_closed_registration_shows_no_form(start_service):
    visitor = Visitor(start_service(REGISTRATION="first"))
    assert 'name="password"' in visitor.get("/app/signup").text
    visitor.sign_up("first@example.org")
    visitor = Visitor(visitor.service)
    assert 'name="password"' not in visitor.get("/app/signup").text
    assert "/app/signup" not in visitor.get("/").text
    answer = visitor.post("/app/signup", {"email": "b@example.org", "password": PASSWORD})
    assert answer.status == 403
    assert "This service takes no new accounts." in answer.text


def test_the_name_can_be_changed_and_removed(member):
    assert member.post("/app/account", {"name": "Grace"}).status == 303
    api = member.api
    assert api.get("/v1/auth/me").json["name"] == "Grace"
    assert member.post("/app/account", {"name": " "}).status == 303
    assert api.get("/v1/auth/me").json["name"] is None
    long = member.post("/app/account", {"name": "x" * 256})
    assert long.status == 422
    assert field_of(long, "name")["aria-invalid"] == "true"


def test_the_account_chooses_whether_recipients_see_the_name(member):
    def shows_name():
        return member.api.get("/v1/auth/me").json["showName"]

    assert 'name="showName" value="1" checked' in member.get("/app/account").text

    member.post("/app/account", {"name": "Grace", "showName": "0"})
    assert shows_name() is False
    assert 'name="showName" value="1">' in member.get("/app/account").text
    member.post("/app/account", {"name": "Grace"})
    assert shows_name() is False
    member.post("/app/account", {"name": "Grace", "showName": ["0", "1"]})
    assert shows_name() is True


def test_a_new_password_ends_every_other_session(member):
    other = Visitor(member.service)
    other.log_in(member.email)
    page = member.get("/app/account")
    wrong = {"currentPassword": "wrong", "newPassword": "a better password"}
    refused = member.submit(page, "/app/account/password", **wrong)
    assert "This is not your password." in refused.text
    assert "e-mail address or" not in refused.text
    assert refused.status == 401
    assert field_of(refused, "currentPassword")["aria-invalid"] == "true"

    right = wrong | {"currentPassword": PASSWORD}
    assert member.submit(page, "/app/account/password", **right).status == 303

    assert other.get("/app/account").status == 303
    assert member.get("/app/account").status == 200
    assert Visitor(member.service).log_in(member.email, "a better password").status == 303


def test_a_session_can_be_ended_from_another(member):
    other = Visitor(member.service)
    other.log_in(member.email)
    ends = re.findall(r"/app/account/sessions/\w+/end", member.get("/app/account").text)
    assert len(ends) == 1

    assert member.post(ends[0]).status == 303

    assert other.get("/app/account").status == 303
    assert member.get("/app/account").status == 200


def test_the_account_shows_what_is_used_of_the_quota(start_service):
    visitor = Visitor(start_service(QUOTA_BYTES="4000000", QUOTA_DOCUMENTS="3"))
    visitor.sign_up("a@example.org")
    visitor.api.upload(b"x" * 2048)
    text = re.sub(r"<[^>]+>", "", visitor.get("/app/account").text)
    assert "Documents: 1 of 3" in text
    assert "Storage: 2 KB of 4 MB" in text


def invite(service, email):
    return re.search(r"/app/signup\?invite=\S+", service.run_command("users", "invite", email))[0]


def test_an_invitation_makes_an_account_while_registration_is_closed(start_service):
    service = start_service(REGISTRATION="closed")
    visitor, link = Visitor(service), invite(service, "new@example.org")
    page = visitor.get(link)
    other = visitor.submit(page, "/app/signup", email="other@example.org", password=PASSWORD)
    assert other.status == 422
    assert "Ask the person who runs this service for a new one." in other.text

    answer = visitor.submit(other, "/app/signup", email="new@example.org", password=PASSWORD)

    assert answer.status == 303
    assert "new@example.org" in visitor.get("/app/account").text
    again = Visitor(service)
    answer = again.submit(page, "/app/signup", email="new@example.org", password="another one")
    assert answer.status == 422


def test_an_invitation_sets_a_new_password_also_in_a_browser_that_is_logged_in(member):
    other = Visitor(member.service)
    other.log_in(member.email)
    page = member.get(invite(member.service, member.email))

    fields = {"email": member.email, "password": "a new password"}
    answer = member.submit(page, "/app/signup", **fields)

    assert answer.status == 303
    assert member.get("/app/account").status == 200
    assert other.get("/app/account").status == 303
    assert Visitor(member.service).log_in(member.email, "a new password").status == 303


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def test_log_out_everywhere_else_ends_every_session_but_this_one(member):
    others = [Visitor(member.service) for _ in range(2)]
    for other in others:
        other.log_in(member.email)
    page = member.get("/app/account")
    assert "Log out everywhere else" in page.text

    assert member.submit(page, "/app/account/sessions/end").status == 303

    assert [other.get("/app/account").status for other in others] == [303, 303]
    alone = member.get("/app/account")
    assert alone.status == 200
    assert "Log out everywhere else" not in alone.text
    told = re.sub(r"<[^>]+>", "", member.get("/app/activity").text)
    assert "ended all other sessions" in told


def test_sessions_say_what_they_were_started_by(member):
    form = {"email": member.email, "password": PASSWORD}
    other = Visitor(member.service)
    other.post("/app/login", form, SAME_SITE | {"User-Agent": FIREFOX})
    assert "Firefox on Linux<br>" in member.get("/app/account").text
    assert "logged in with Firefox on Linux" in member.get("/app/activity").text
    listed = {one["current"]: one for one in member.api.get("/v1/auth/sessions").json["sessions"]}
    assert listed[False]["client"] == "Firefox on Linux"
    assert listed[True]["client"] == "Another program"
    assert listed[False]["lastUsedAt"] == listed[False]["createdAt"]


def test_logins_passwords_and_ends_of_sessions_are_told(member):
    other = Visitor(member.service)
    other.log_in(member.email)
    other.post("/app/logout")
    for _ in range(3):
        Visitor(member.service).log_in(member.email, "wrong password")
    assert Visitor(member.service).log_in("nobody@example.org", "wrong password").status == 401
    until(lambda: "login.failed" in member.api.event_types())
    new = {"currentPassword": PASSWORD, "newPassword": "a better password"}
    member.post("/app/account/password", new)
    found = [event for event in member.api.events() if event["type"] != "login.failed"]
    assert [event["type"] for event in found] == [
        "session.created",
        "session.ended",
        "password.changed",
    ]
    assert found[0]["data"]["via"] == "anyone"
    assert found[0]["data"]["sessionId"] == found[1]["data"]["sessionId"]
    (failed,) = [event for event in member.api.events() if event["type"] == "login.failed"]
    assert failed["data"] == {"count": 1, "via": "anyone"}  # the others when the minute is over


def test_an_account_is_deleted_with_its_password_and_says_what_goes(member, alice):
    member.api.upload(b"mine", name="mine.txt")
    other = Visitor(member.service)
    other.log_in(member.email)
    page = member.get("/app/account/delete")
    text = re.sub(r"<[^>]+>", "", page.text)
    assert "1 document, 4 bytes: their encryption keys are destroyed" in text
    assert "1 active link: it opens nothing any more" in text
    assert "/app/account/export" in page.text

    wrong = member.submit(page, "/app/account/delete", password="wrong password")
    assert wrong.status == 401
    assert field_of(wrong, "password")["aria-invalid"] == "true"
    assert member.get("/app/account").status == 200

    answer = member.submit(page, "/app/account/delete", password=PASSWORD)
    assert (answer.status, answer.headers["Location"]) == (303, "/app/login?done=gone")
    assert "The account is deleted" in member.get(answer.headers["Location"]).text
    assert (member.cookies, other.get("/app/account").status) == ({}, 303)
    assert Visitor(member.service).log_in(member.email).status == 401
    assert alice.get("/v1/auth/me").status == 200
    member.sign_up(member.email)
    assert member.api.get("/v1/documents").json["documents"] == []


def test_a_deletion_goes_on_after_the_service_was_killed(start_service):
    service = start_service()
    visitor = Visitor(service)
    visitor.sign_up("me@example.org")
    for _ in range(5):
        visitor.api.upload(b"mine")
    page = visitor.get("/app/account/delete")
    assert visitor.submit(page, "/app/account/delete", password=PASSWORD).status == 303
    service.kill()
    service.start()
    assert Visitor(service).log_in("me@example.org").status == 401
    until(lambda: service.sql("SELECT id FROM user_account") == [])
    assert service.sql("SELECT id FROM document") == []


@pytest.mark.parametrize(
    ("mode", "words"), [("first", "Anyone who signs up next"), ("closed", "are by invitation")]
)
def test_the_only_account_of_a_closed_service_may_go_and_is_told_what_then(
    start_service, mode, words
):
    service = start_service(REGISTRATION=mode)
    link = invite(service, "me@example.org")
    visitor = Visitor(service)
    visitor.submit(visitor.get(link), "/app/signup", email="me@example.org", password=PASSWORD)
    page = visitor.get("/app/account/delete")
    assert words in page.text
    assert visitor.submit(page, "/app/account/delete", password=PASSWORD).status == 303
    assert ('name="password"' in visitor.get("/app/signup").text) == (mode == "first")


def test_the_menu_of_the_account_shows_initials_and_leads_to_all_settings(member):
    menu = lambda: re.search(  # noqa: E731
        r'<details class="menu me">.*?</details>', member.get("/app/documents").text, re.S
    )[0]
    first_letter = next((one for one in member.email.partition("@")[0] if one.isalpha()), "?")
    assert f'data-of="{first_letter.upper()}"' in menu()
    member.post("/app/account", {"name": "Ana Lima da Silva"})
    assert 'data-of="AS"' in menu()
    for path in ("account", "keys", "webhooks"):
        assert f'href="/app/{path}"' in menu()
        assert 'aria-label="Settings"' in member.get(f"/app/{path}").text
    assert 'action="/app/logout"' in menu()


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Ana Silva", "AS"),
        ("ben.maier@a.example", "BM"),
        ("王小明", "王"),
        ("…", "•"),
        ("“Ben”", "B"),
    ],
)
def test_initials_are_those_of_the_first_and_the_last_name(name, short):
    assert AccountHolder(name, None).initials == short

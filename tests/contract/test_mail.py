"""Mail over HTTP: a new password, invitations, kills, and a service without mail."""

import re
import secrets
from collections import Counter
from functools import partial

import pytest

from tests.clock import ClockedService
from tests.console.visitor import Visitor
from tests.mailbox import BASE, FROM, until_sent
from tests.pair import Pair
from tests.people import PASSWORD, Person
from tests.problems import refused, refused_field
from tests.waiting import take_as_long

NEW = "another correct horse"


def reset(service, email):
    return Person(service).post("/v1/auth/reset", json={"email": email})


def invite_in(mail):
    return re.search(rf"^{BASE}/app/signup\?invite=(invite_\w+)$", mail.text, re.M)[1]


def test_who_forgot_the_password_sets_a_new_one_by_a_mail_once(mailing, box, email):
    person = mailing.register(email)
    assert reset(mailing, email.upper()).status == 202
    (mail,) = box.wait_for(1)
    assert (mail.to, mail.headers["Subject"]) == ([email], "Reset your password")

    answer = Person(mailing).register(email, NEW, invite=invite_in(mail))
    assert answer.status == 200
    refused(person.get("/v1/auth/me"), 401, "session_expired")
    assert Person(mailing).log_in(email, NEW).status == 200
    refused_field(Person(mailing).register(email, PASSWORD, invite=invite_in(mail)), "#/invite")


def test_a_reset_answers_alike_for_every_address_and_mails_only_enabled_accounts(
    mailing, box, email
):
    mailing.register(email)
    mailing.register(f"disabled-{email}")
    mailing.run_command("users", "disable", f"disabled-{email}")
    asked = [f"unknown-{email}", "a,b@example.org", "ü@example.org", f"disabled-{email}", email]
    answers = [reset(mailing, one) for one in asked]
    assert {(one.status, one.body) for one in answers} == {(202, b'{"expiresIn":3600}\n')}
    assert len({tuple(sorted(one.headers.keys())) for one in answers}) == 1
    assert [mail.to for mail in box.wait_for(1)] == [[email]]
    until_sent(mailing)
    assert email not in mailing.stderr()


def change_over_http(service, email):
    person = service.log_in(email)
    answer = person.post(
        "/v1/auth/password", json={"currentPassword": PASSWORD, "newPassword": NEW}
    )
    assert answer.status == 204


def change_in_the_pages(service, email):
    visitor = Visitor(service)
    visitor.log_in(email)
    fields = {"currentPassword": PASSWORD, "newPassword": NEW}
    page = visitor.get("/app/account")
    assert visitor.submit(page, "/app/account/password", **fields).status == 303


def change_by_the_operator(service, email):
    service.run_command("users", "password", email, input=NEW)


WAYS = [change_over_http, change_in_the_pages, change_by_the_operator]


@pytest.mark.parametrize("change", WAYS)
def test_links_that_were_made_before_a_change_of_password_set_none_afterwards(
    mailing, box, email, change
):
    mailing.register(email)
    mailing.run_command("users", "invite", email, "--mail")
    reset(mailing, email)
    links = [invite_in(mail) for mail in box.wait_for(2)]
    change(mailing, email)
    for invite in links:
        answer = Person(mailing).register(email, "the third password", invite=invite)
        refused_field(answer, "#/invite")
    assert Person(mailing).log_in(email, NEW).status == 200


def test_of_several_links_the_first_that_is_used_ends_the_others(mailing, box, email):
    mailing.register(email)
    mailing.run_command("users", "invite", email, "--mail")
    for _ in range(2):
        reset(mailing, email)
    first, *others = [invite_in(mail) for mail in box.wait_for(3)]
    assert Person(mailing).register(email, NEW, invite=first).status == 200
    for invite in others:
        answer = Person(mailing).register(email, "the third password", invite=invite)
        refused_field(answer, "#/invite")


def test_a_registration_which_anybody_may_send_ends_no_invitation_of_the_operator(
    mailing, box, email
):
    mailing.run_command("users", "invite", email, "--mail")
    invite = invite_in(box.wait_for(1)[0])
    mailing.register(email)
    assert Person(mailing).register(email, NEW, invite=invite).status == 200


@pytest.mark.parametrize("number", [0, 1])
def test_a_strangers_request_for_a_new_password_ends_no_link_that_was_sent_before(
    mailing, box, email, number
):
    mailing.register(email)
    mailing.run_command("users", "invite", email, "--mail")
    box.wait_for(1)
    for count in (2, 3):
        reset(mailing, email)
        box.wait_for(count)
    invite = invite_in(box.mails[number])
    assert Person(mailing).register(email, NEW, invite=invite).status == 200


def test_a_new_invitation_by_the_operator_replaces_the_former_and_links_of_others(
    mailing, box, email
):
    mailing.register(email)
    mailing.run_command("users", "invite", email, "--mail")
    box.wait_for(1)
    reset(mailing, email)
    former = [invite_in(mail) for mail in box.wait_for(2)]
    mailing.run_command("users", "invite", email, "--mail")
    newest = invite_in(box.wait_for(3)[2])
    for invite in former:
        refused_field(Person(mailing).register(email, NEW, invite=invite), "#/invite")
    assert Person(mailing).register(email, NEW, invite=newest).status == 200


def test_an_account_whose_address_no_mail_can_have_stops_no_other_reset(mailing, box, email):
    hostile = f"=?utf-8?q?{secrets.token_hex(6)}?=@a.b"
    mailing.register(hostile)
    mailing.register(email)
    for address in (hostile, email):
        assert reset(mailing, address).status == 202
    assert box.wait_for(1)[0].to == [email]


def test_a_reset_takes_as_long_for_a_known_address_as_for_another(mailing, email):
    def ask(prefix, n):  # three times an hour for each address
        assert reset(mailing, f"{prefix}{n % 12}-{email}").status == 202

    for n in range(12):
        mailing.register(f"{n}-{email}")
    take_as_long(partial(ask, ""), partial(ask, "un-"))


@pytest.mark.slow
def test_an_address_gets_three_resets_an_hour_although_limits_are_off(mailing, box, email):
    mailing.register(email)
    assert {reset(mailing, email).status for _ in range(5)} == {202}
    mailing.restart()
    assert reset(mailing, email).status == 202
    until_sent(mailing)
    assert len(box.mails) == 3


@pytest.mark.slow
def test_a_link_for_a_new_password_works_for_an_hour(tmp_path, box, email):
    service = ClockedService(tmp_path, SMTP_URL=box.url(), BASE_URL=BASE)
    try:
        service.register(email)
        reset(service, email)
        invite = invite_in(box.wait_for(1)[0])
        service.set_clock(minutes=61)
        refused_field(Person(service).register(email, NEW, invite=invite), "#/invite")
        service.set_clock(minutes=59)
        assert Person(service).register(email, NEW, invite=invite).status == 200
    finally:
        service.process.terminate()
        service.close()


def test_the_page_for_a_forgotten_password_sends_the_link_without_script(mailing, box, email):
    visitor = Visitor(mailing)
    mailing.register(email)
    assert 'href="/app/forgot"' in visitor.get("/app/login").text
    page = visitor.get("/app/forgot")
    wrong = visitor.submit(page, "/app/forgot", email="nobody")
    assert (wrong.status, "no e-mail address" in wrong.text) == (422, True)
    answer = visitor.submit(page, "/app/forgot", email=email)
    assert (answer.status, answer.headers["Location"]) == (303, "/app/forgot?done=sent")
    assert "Check your mail" in visitor.get("/app/forgot?done=sent").text
    address = invite_in(box.wait_for(1)[0])
    signup = visitor.get(f"/app/signup?invite={address}")
    assert visitor.submit(signup, "/app/signup", email=email, password=NEW).status == 303
    assert Person(mailing).log_in(email, NEW).status == 200


def test_an_invitation_is_sent_as_it_is_printed(mailing, box, email):
    printed = mailing.run_command("users", "invite", email, "--mail")
    (mail,) = box.wait_for(1)
    assert f"/app/signup?invite={invite_in(mail)}" in printed
    assert (mail.sender, mail.to) == (FROM, [email])
    assert Person(mailing).register(email, NEW, invite=invite_in(mail)).status == 201


@pytest.mark.slow
def test_a_service_that_is_killed_in_the_middle_sends_the_same_message_again(mailing, box, email):
    mailing.register(email)
    box.holds = True
    reset(mailing, email)
    box.wait_for(1)
    mailing.kill()
    box.holds = False
    mailing.start()
    first, second = box.wait_for(2)
    assert first.raw == second.raw
    reset(mailing, email)
    assert len({mail.headers["Message-ID"] for mail in box.wait_for(3)}) == 2


def test_without_the_setting_there_is_no_mail(service, alice, anonymous):
    for body in ({"email": "alice@example.org"}, {"email": 1}):
        refused(anonymous.post("/v1/auth/reset", json=body), 404, "not_found")
    visitor = Visitor(service)
    assert visitor.get("/app/forgot").status == 404
    assert visitor.post("/app/forgot", {"email": "alice@example.org"}).status == 404
    assert "/app/forgot" not in visitor.get("/app/login").text
    assert "DOCSERVICE_SMTP_URL" in service.run_command(
        "users", "invite", "x@example.org", "--mail", code=1
    )


def events_of(person, document):
    """The types of its events, without its upload and the making of links."""
    types = person.event_types(f"&documentId={document['id']}")
    return [one for one in types if not one.endswith(".created")]


def test_the_first_opening_of_each_link_is_an_event_behind_its_view(mailing):
    person = mailing.register()
    document = person.upload()
    link = person.share(document, maxViews=3)
    for _ in range(2):
        assert submit(mailing, link).status == 200
    assert events_of(person, document) == ["document.viewed", "token.opened"]
    for _ in range(2):
        path = document["token"]["viewUrl"].removeprefix(BASE)
        assert Person(mailing).get(path).status == 200
    assert events_of(person, document) == ["document.viewed", "token.opened"] * 2
    (first, second) = person.events("&type=token.opened")
    assert [first["data"]["tokenId"], second["data"]["tokenId"]] == [
        link["id"],
        document["token"]["id"],
    ]
    assert first["data"].keys() == {"documentId", "tokenId", "via"}


def submit(service, link, **fields):
    path = link["viewUrl"].removeprefix(BASE).partition("?")[0]
    form = {"token": link["token"], **fields}
    return Person(service).post(path, form=form, headers={"Accept": "application/json"})


@pytest.mark.slow
def test_what_a_link_refuses_is_an_event_merged_by_the_minute(mailing):
    person = mailing.register()
    document = person.upload(token=None)
    link, spent = person.share(document, password="right one"), person.share(document, maxViews=1)
    assert submit(mailing, spent).status == 200
    for _ in range(4):
        assert submit(mailing, link, password="wrong one").status == 401
        assert submit(mailing, spent).status == 410
    assert submit(mailing, link, password="right one").status == 200
    mailing.restart()
    person = mailing.log_in(person.record["email"])
    refusals = [one["data"] for one in person.events("&type=token.refused")]
    about = {"documentId": document["id"], "via": "document_token"}
    for record, reason in ((link, "password"), (spent, "ended")):
        mine = [one for one in refusals if one["tokenId"] == record["id"]]
        assert [one.pop("count") for one in mine] == [1, 3]
        assert mine == [about | {"tokenId": record["id"], "reason": reason}] * 2
    assert ": the password was wrong, 4 times" in page_text(mailing, person)


def page_text(service, person):
    visitor = Visitor(service)
    visitor.log_in(person.record["email"])
    return visitor.get("/app/activity").text


def test_two_processes_on_postgresql_send_each_mail_once_and_share_the_limits(
    postgres_server, tmp_path, box
):
    pair = Pair(tmp_path, SMTP_URL=box.url(), RATE_LIMITS="off")
    try:
        emails = [f"{number}.{secrets.token_hex(6)}@example.org" for number in range(10)]
        for address in emails:
            pair.register(address)
        for address in [*emails, *emails[:1] * 6]:
            assert reset(pair, address).status == 202
        until_sent(pair)
        mine = [mail for mail in box.mails if mail.to[0] in emails]
        sent = Counter(mail.to[0] for mail in mine)
        assert sent == dict.fromkeys(emails, 1) | {emails[0]: 3}
        assert len({mail.headers["Message-ID"] for mail in mine}) == len(mine)
    finally:
        pair.close()

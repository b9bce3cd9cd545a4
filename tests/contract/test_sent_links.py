"""Links that are sent by mail to the people whom they name."""

import pytest

from tests.mailbox import BASE
from tests.people import Person
from tests.problems import refused


@pytest.fixture
def owner(mailing):
    person = mailing.register()
    assert person.patch("/v1/auth/me", json={"name": "Dana Weber"}).status == 200
    return person


@pytest.fixture
def link(owner, email):
    document = owner.upload(name="secret plans.txt", token=None)
    return owner.share(document, recipients=[email, "@example.com"])


def send(owner, link, **body):
    return owner.post(f"/v1/tokens/{link['id']}/send", json=body)


def test_a_link_is_sent_to_the_addresses_among_its_recipients(owner, link, email, box):
    answer = send(owner, link, note="As agreed on Monday.")
    assert answer.status == 202
    assert answer.json == {"sentTo": [email], "notSentTo": []}
    (mail,) = box.wait_for(1)
    assert mail.to == [email]
    assert mail.headers["Subject"] == "Dana Weber sent you a link"
    assert "\n    As agreed on Monday.\n" in mail.text
    assert f"\n{link['shortUrl']}\n" in mail.text
    assert link["shortUrl"].startswith(BASE)
    assert "secret plans" not in mail.text


def test_the_mail_does_not_name_an_account_that_hides_its_name(owner, link, box):
    owner.patch("/v1/auth/me", json={"showName": False})
    assert send(owner, link).status == 202
    (mail,) = box.wait_for(1)
    assert mail.headers["Subject"] == "Somebody sent you a link"
    assert "Dana" not in mail.text


def test_one_address_gets_one_mail_with_links_a_minute(owner, link, email, box):
    send(owner, link)
    assert send(owner, link).json == {"sentTo": [], "notSentTo": [email]}
    box.wait_for(1)
    assert [one["data"]["recipients"] for one in owner.events() if one["type"] == "token.sent"] == [
        1
    ]


def test_a_link_that_is_off_or_names_nobody_is_not_sent(owner, link):
    owner.patch(f"/v1/tokens/{link['id']}", json={"enabled": False})
    refused(send(owner, link), 422, "invalid_request")
    plain = owner.upload()["token"]
    refused(send(owner, plain), 422, "invalid_request")


@pytest.mark.parametrize("note", ["two\nlines", "x" * 301, 1])
def test_the_note_is_one_line(owner, link, note):
    refused(send(owner, link, note=note), 422, "invalid_request")


def test_nobody_else_sends_a_link(mailing, link):
    refused(send(mailing.register(), link), 404, "not_found")
    token = Person(mailing).with_token(link["token"])
    refused(send(token, link), 403, "scope_missing")


def test_a_service_without_mail_sends_no_link(alice, document):
    refused(send(alice, document["token"]), 404, "not_found")

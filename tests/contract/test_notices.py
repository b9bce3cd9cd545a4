"""Webhooks that send mail: asked first, confirmed by a button, ended by the same page."""

import re

import pytest

from tests.console.visitor import Visitor, field_of
from tests.contract.webhooks import create_webhook, deliveries
from tests.mailbox import BASE
from tests.people import Person
from tests.problems import refused, refused_field
from tests.waiting import until

NOTICES = ["token.opened", "token.refused", "token.spent"]


def page_in(mail):
    return re.search(
        rf"{BASE}(/app/webhooks/whk_\w+/confirm\?code=[0-9a-f]{{64}})$", mail.text, re.M
    )[1]


def confirm(service, mail):
    """Press the button of the page that the mail leads to."""
    somebody, page = Visitor(service), page_in(mail)
    return somebody.submit(somebody.get(page), page.partition("?")[0])


def record(person, webhook):
    return person.get(f"/v1/webhooks/{webhook['id']}").json


def open_link(service, document):
    assert Person(service).get(document["token"]["viewUrl"].removeprefix(BASE)).status == 200


def test_an_address_that_agrees_gets_a_notice_of_what_happens_to_links(mailing, box, email):
    person = mailing.register()
    webhook = create_webhook(person, f"mailto:{email}")
    assert "secret" not in webhook
    assert (webhook["enabled"], webhook["disabledReason"]) == (False, "unconfirmed")
    assert sorted(webhook["events"]) == NOTICES
    (question,) = box.wait_for(1)
    assert person.record["email"] in question.text

    for _ in range(3):  # as a scanner of mail would
        assert "Confirm notifications" in Visitor(mailing).get(page_in(question)).text
    document = person.upload(name="Contract.pdf")
    open_link(mailing, document)
    assert "token.opened" in [event["type"] for event in person.events()]
    assert deliveries(person, webhook) == []
    assert "Notifications are on" in confirm(mailing, question).text
    assert record(person, webhook)["enabled"]

    document = person.upload(name="Contract.pdf")
    open_link(mailing, document)
    notice = box.wait_for(2)[1]
    until(lambda: deliveries(person, webhook)[0]["state"] == "delivered")
    (delivery,) = deliveries(person, webhook)
    assert (delivery["type"], delivery["status"], delivery["attempts"]) == ("token.opened", 250, 1)
    assert notice.to == [email]
    assert notice.headers["Subject"] == "Somebody opened “Contract.pdf”"
    assert f"Somebody opened “Contract.pdf”  {BASE}/app/documents/{document['id']}\n" in notice.text
    assert email not in mailing.stderr()


def test_whoever_gets_notices_ends_them_by_the_page_that_each_one_names(mailing, box, email):
    person = mailing.register()
    webhook = create_webhook(person, f"mailto:{email}")
    confirm(mailing, box.wait_for(1)[0])
    assert person.post(f"/v1/webhooks/{webhook['id']}/test").status == 202
    notice = box.wait_for(2)[1]
    assert "Notifications are off" in confirm(mailing, notice).text
    assert record(person, webhook)["disabledReason"] == "unconfirmed"
    edited = person.patch(f"/v1/webhooks/{webhook['id']}", json={"enabled": True})
    refused_field(edited, "#/enabled")
    assert "Notifications are on" in confirm(mailing, notice).text


def test_a_code_opens_its_own_webhook_alone(mailing, box, email):
    person = mailing.register()
    create_webhook(person, f"mailto:{email}")
    other = create_webhook(person, f"mailto:x{email}")
    page = page_in(box.wait_for(2)[0])
    code = page.partition("code=")[2]
    paths = [
        f"/app/webhooks/{other['id']}/confirm?code={code}",
        page[:-1],
        page[:-2] + "zz",
        page.partition("?")[0],
        page.replace("whk_", "whk_0"),
    ]
    visitor = Visitor(mailing)
    for path in paths:
        assert visitor.get(path).status == 404, path
        fields = {"code": path.partition("code=")[2], "answer": "yes"}
        assert visitor.post(path.partition("?")[0], fields).status == 404, path
    assert not record(person, other)["enabled"]


def test_whom_mail_goes_to_never_changes_and_there_is_no_secret(mailing, box, email):
    person = mailing.register()
    webhook = create_webhook(person, f"mailto:{email}", events=["webhook.test"])
    plain = create_webhook(person)
    path = f"/v1/webhooks/{webhook['id']}"
    refused(person.post(f"{path}/rotate-secret"), 409, "webhook_disabled")
    for url in (f"mailto:x{email}", "https://hook.example/"):
        refused_field(person.patch(path, json={"url": url}), "#/url")
    moved = person.patch(f"/v1/webhooks/{plain['id']}", json={"url": f"mailto:{email}"})
    refused_field(moved, "#/url")
    for url in ("mailto:nobody", "mailto:a@b?cc=c@d", "mailto:a@b,c@d", "mailto:ü@b.example"):
        refused_field(person.post("/v1/webhooks", json={"url": url}), "#/url")
    changed = person.patch(path, json={"url": f"mailto:{email}", "description": "the auditor"})
    assert changed.json["description"] == "the auditor"


def test_nobody_is_asked_more_than_three_times_an_hour(mailing, box, email):
    for _ in range(3):
        create_webhook(mailing.register(), f"mailto:{email}")
    answer = mailing.register().post("/v1/webhooks", json={"url": f"mailto:{email}"})
    refused(answer, 429, "too_many_requests")
    assert int(answer.headers["Retry-After"]) <= 3600


@pytest.mark.parametrize(
    "address", ["https://evil.example/?x=@y.example", "evil.example/a@y.example", "ü@y.example"]
)
def test_a_question_quotes_no_text_of_an_account_that_is_no_plain_address(
    mailing, box, email, address
):
    person = mailing.register(f"{email.partition('@')[0]}{address}")
    create_webhook(person, f"mailto:{email}")
    (question,) = box.wait_for(1)
    assert "Somebody asks to have notices sent to this address" in question.text
    assert address not in question.text


def test_one_checkbox_of_the_account_makes_and_deletes_the_webhook(mailing, box, email):
    owner, action = Visitor(mailing).sign_up(email), "/app/account/notices"

    def change(**fields):
        answer = owner.submit(owner.get("/app/account"), action, **fields)
        assert answer.status == 303
        return owner.get(answer.headers["Location"]).text

    def box_is_checked():
        return "checked" in field_of(owner.get("/app/account"), "notices")

    assert not box_is_checked()
    assert "We sent a mail" in change(notices="1")
    (question,) = box.wait_for(1)
    assert question.to == [email]
    change()
    confirm(mailing, box.wait_for(2)[1])
    assert (box_is_checked(), len(owner.api.get("/v1/webhooks").json["webhooks"])) == (True, 1)
    assert "We have sent a mail" not in owner.get("/app/account").text
    assert "A mail is on its way" not in change(notices="1")
    path = "/v1/webhooks/" + owner.api.get("/v1/webhooks").json["webhooks"][0]["id"]
    owner.api.patch(path, json={"enabled": False})
    assert not box_is_checked()
    assert "A mail is on its way" not in change(notices="1")
    assert owner.api.get(path).json["enabled"]
    page = owner.get("/app/webhooks/" + owner.api.get("/v1/webhooks").json["webhooks"][0]["id"])
    assert "Replace the secret" not in page.text
    assert "Notifications are off" in owner.post(action).text or not box_is_checked()
    assert owner.api.get("/v1/webhooks").json["webhooks"] == []


def test_the_list_of_webhooks_makes_one_that_sends_mail(mailing, box, email):
    owner = Visitor(mailing).sign_up(f"owner-{email}")
    page = owner.get("/app/webhooks")
    answer = owner.submit(page, "/app/webhooks", url=f"mailto:{email}", events=["document.viewed"])
    assert answer.status == 303
    page = owner.get(answer.headers["Location"])
    assert "not confirmed yet" in page.text
    assert "A mail is on its way" in page.text
    assert box.wait_for(1)[0].to == [email]


def test_without_mail_no_webhook_sends_any(alice, service):
    refused_field(alice.post("/v1/webhooks", json={"url": "mailto:alice@example.org"}), "#/url")
    owner = Visitor(service).sign_up("no-mail@example.org")
    assert "notices" not in owner.get("/app/account").text
    assert "mailto" not in owner.get("/app/webhooks").text
    refused_field(owner.api.post("/v1/webhooks", json={"url": "mailto:a@b.example"}), "#/url")

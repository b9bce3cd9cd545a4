"""Webhooks and their deliveries on their pages."""

import re

import pytest

from models import EVENT_TYPES
from tests.console.visitor import Visitor, element_of, field_of, words
from tests.receiver import Receiver
from tests.waiting import until

ADDRESS = "https://hook.example/in"


@pytest.fixture(scope="module")
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def owner(start_service):
    """Somebody whose service may send to this machine."""
    return Visitor(start_service(WEBHOOK_ALLOW="127.0.0.0/8")).sign_up("owner@example.org")


def new_webhook(member, **fields):
    fields = {"url": ADDRESS} | fields
    return member.submit(member.get("/app/webhooks"), "/app/webhooks", **fields)


def listed(member):
    return member.api.get("/v1/webhooks").json["webhooks"]


def path_of(member):
    return f"/app/webhooks/{listed(member)[0]['id']}"


def test_an_empty_list_says_what_webhooks_are_for(member):
    assert "No webhooks yet." in member.get("/app/webhooks").text


def test_a_new_webhook_shows_its_secret_once(member):
    page = new_webhook(member, description="accounting", events=["document.viewed"])
    secret = element_of(page, "secret")
    assert secret.startswith("whsec_")
    (record,) = listed(member)
    assert (record["url"], record["events"]) == (ADDRESS, ["document.viewed"])
    for path in ("/app/webhooks", path_of(member)):
        assert "accounting" in member.get(path).text
        assert secret not in member.get(path).text


def test_a_form_sent_again_makes_one_webhook(member):
    form = member.get("/app/webhooks")
    pages = [member.submit(form, "/app/webhooks", url=ADDRESS) for _ in range(2)]
    assert element_of(pages[0], "secret") == element_of(pages[1], "secret")
    assert len(listed(member)) == 1


def test_an_address_that_may_not_be_reached_is_refused_at_its_field(member):
    for url in ("http://127.0.0.1/x", "nonsense", ""):
        answer = new_webhook(member, url=url, description="typed")
        assert answer.status == 422
        assert field_of(answer, "url")["aria-invalid"] == "true", url
        assert field_of(answer, "description")["value"] == "typed"
    assert listed(member) == []


def test_a_webhook_needs_a_type_of_events(member):
    answer = member.post("/app/webhooks", {"url": ADDRESS})
    assert answer.status == 422
    assert element_of(answer, "webhooks-events-error") == "Name at least one type of events."


def test_a_webhook_is_changed_and_switched_off_and_on(member):
    new_webhook(member)
    path = path_of(member)
    fields = {"url": ADDRESS + "/2", "description": "", "events": ["token.spent"]}
    assert member.post(path, fields).status == 303
    (record,) = listed(member)
    assert record["url"] == ADDRESS + "/2"
    assert (record["events"], record["enabled"]) == (["token.spent"], False)
    assert 'id="change" open>' in member.get(path).text  # where it is switched on
    refused = member.post(path + "/test")
    assert refused.status == 409
    assert "This webhook is disabled." in refused.text
    assert member.submit(member.get(path), path, enabled="1").status == 303
    assert listed(member)[0]["enabled"]


def test_the_secret_is_replaced_and_shown_once(member):
    first = element_of(new_webhook(member), "secret")
    path = path_of(member)
    form = member.get(path)
    pages = [member.submit(form, path + "/rotate") for _ in range(2)]
    second = element_of(pages[0], "secret")
    assert second == element_of(pages[1], "secret") != first
    assert "The former secret signs as well" in member.get(path).text


def test_a_test_is_delivered_listed_and_sent_again(owner, receiver):
    new_webhook(owner, url=receiver.url())
    path = path_of(owner)

    assert owner.submit(owner.get(path), path + "/test").status == 303

    page = until(lambda: (page := owner.get(path)) and "Delivered" in page.text and page)
    assert "webhook test" in page.text
    assert re.search(r"HTTP 20\d after [\d,]+ ms", page.text)
    assert "&#34;type&#34;: &#34;webhook.test&#34;" in page.text.replace("&quot;", "&#34;")
    (again,) = re.findall(rf'"({path}/deliveries/dlv_\w+/redeliver)"', page.text)
    assert owner.post(again).status == 303
    receiver.wait_for(2)
    until(lambda: owner.get(path).text.count("<li><span>HTTP 20") == 2)


def test_a_failed_delivery_says_why_and_when_it_is_tried_again(owner, receiver):
    receiver.answers.append((500, "no"))
    new_webhook(owner, url=receiver.url("/failing"))
    path = path_of(owner)
    owner.submit(owner.get(path), path + "/test")

    page = until(lambda: (page := owner.get(path)) and "Failed" in page.text and page)

    said = re.sub(r"\s+", " ", words(page))
    assert re.search(r"Failed: HTTP 500 after [\d,]+ ms , again 20\d\d-[\d-]+ [\d:]+ UTC", said)
    assert 'data-refresh="' in page.text
    assert f'<a class="button unscripted" href="{path}">Refresh</a>' in page.text


def test_a_new_webhook_gets_all_events_unless_some_are_chosen(member):
    page = member.get("/app/webhooks")
    assert "All events" in words(page)
    member.submit(page, "/app/webhooks", url=ADDRESS)
    (record,) = listed(member)
    assert sorted(record["events"]) == sorted(EVENT_TYPES)
    assert "all events" in words(member.get("/app/webhooks"))


def test_a_deleted_webhook_is_gone(member):
    new_webhook(member)
    path = path_of(member)
    assert "to be sent" not in member.get(path).text
    member.submit(member.get(path), path + "/test")  # nothing answers there
    asks = member.get(path)
    assert "1 delivery waits to be sent." in asks.text
    assert len(listed(member)) == 1
    assert member.submit(asks, path + "/delete").status == 303
    assert listed(member) == []
    assert member.get(path).status == 404


def test_a_webhook_of_somebody_else_is_not_there(member, webhook, alice):
    path = f"/app/webhooks/{webhook['id']}"
    for act in ("", "/test", "/rotate", "/delete", "/deliveries/dlv_x/redeliver"):
        answer = member.post(path + act, {"url": ADDRESS, "events": "token.spent"})
        assert answer.status == 404, act
    assert member.get(path).status == 404
    assert alice.get(f"/v1/webhooks/{webhook['id']}").json == {
        name: webhook[name] for name in webhook if name != "secret"
    }


def test_each_type_of_event_has_words_without_the_terms_of_the_documentation(member):
    page = member.get("/app/activity").text
    options = re.findall(r'<option value="([^"]+)">([^<]+)</option>', page)
    assert {type for type, _ in options} >= set(EVENT_TYPES)
    for type, said in options:
        assert not re.search(r"token|api|binned|spent|[._]", said), type
    assert len({said for _, said in options}) == len(options)
    assert dict(options)["document.binned"] == "Document moved to the bin"

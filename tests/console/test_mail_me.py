"""“Mail me when it is opened”: on the card of a new link, on its page, and among its terms."""

import re

import pytest

from tests.console.visitor import Visitor, element_of, field_of, forms_of, words
from tests.mailbox import BASE

WORDS = "Mail me when it is opened"
ON_ITS_WAY = "A mail is on its way."


@pytest.fixture
def address(email):
    return f"owner-{email}"


@pytest.fixture
def owner(mailing, address):
    """Somebody with an account where mail is sent, logged in."""
    return Visitor(mailing).sign_up(address)


@pytest.fixture
def document(owner):
    return owner.api.upload(name="Offer.pdf", token=None)


def agree(service, box, address):
    question = box.wait_for(1, to=address)[0]
    page = re.search(rf"{BASE}(/app/webhooks/\S+)", question.text)[1]
    somebody = Visitor(service)
    somebody.submit(somebody.get(page), page.partition("?")[0])


def record(owner, link):
    return owner.api.get(f"/v1/tokens/{link['id']}").json


def terms_are_on(page, action):
    """Whether the terms of a link in a form have the choice."""
    (form,) = [one for one in forms_of(page) if one["action"] == action]
    return form["fields"]["notifyOwner"] == ["0", "1"]


def switch_on(page):
    """Whether the switch of a page is on."""
    tag = re.search(r'<button class="switch"[^>]* id="mail-me"[^>]*>', page.text)[0]
    return 'aria-checked="true"' in tag


def test_the_card_of_a_new_link_has_a_switch_that_works_without_script(
    mailing, box, owner, address, document
):
    here = f"/app/documents/{document['id']}"
    card = owner.make_link(owner.get(here), f"{here}/links")
    (link,) = owner.api.links(document)
    action = f"/app/links/{link['id']}/notify"
    assert WORDS in words(card)
    assert not switch_on(card)

    on = owner.follow(owner.submit(card, action, notifyOwner="yes"))
    assert "Your link is ready" in words(on)
    assert ON_ITS_WAY in element_of(on, "say")
    assert f"We sent a mail to {address}." in words(on)
    assert (switch_on(on), record(owner, link)["notifyOwner"]) == (True, True)

    agree(mailing, box, address)
    off = owner.follow(owner.submit(owner.get(f"/app/documents?made={link['id']}"), action))
    assert "We sent a mail" not in words(off)
    again = owner.follow(owner.submit(off, action, notifyOwner="yes"))
    assert "Saved." in element_of(again, "say")
    assert "Your link is ready" in words(again)
    assert switch_on(again)


def test_one_switch_holds_for_all_links_just_made_and_works_without_script(
    mailing, box, owner, address, document
):
    links = [owner.api.share(document, label=f"{n}") for n in range(3)]
    made = "&".join(f"made={link['id']}" for link in links)
    card = owner.get(f"/app/documents?{made}")
    assert words(card).count(WORDS) == 1 + 1  # and among the terms of the next files
    assert not switch_on(card)

    ids = {"id": [link["id"] for link in links]}
    on = owner.follow(owner.submit(card, "/app/links", notifyOwner="yes", **ids))
    assert "Your 3 links are ready" in words(on)
    assert ON_ITS_WAY in element_of(on, "say")
    assert switch_on(on)
    assert all(record(owner, link)["notifyOwner"] for link in links)
    agree(mailing, box, address)
    assert len(box.mails_to(address)) == 1  # it is asked once, not for each link

    off = owner.follow(owner.submit(on, "/app/links", notifyOwner="no", **ids))
    assert "Your 3 links are ready" in words(off)
    assert not switch_on(off)
    assert not any(record(owner, link)["notifyOwner"] for link in links)


def test_the_switch_of_several_links_is_on_only_if_each_of_them_mails(owner, document):
    first, second = (owner.api.share(document, notifyOwner=n == 0) for n in range(2))
    page = f"/app/documents?made={first['id']}&made={second['id']}"
    assert not switch_on(owner.get(page))
    owner.api.change(document, second, notifyOwner=True)
    assert switch_on(owner.get(page))


def test_the_switch_of_several_links_leaves_out_one_that_was_deleted_meanwhile(owner, document):
    kept, gone = owner.api.share(document), owner.api.share(document)
    owner.api.revoke(document, gone)
    fields = {"id": [gone["id"], kept["id"]], "notifyOwner": "yes"}
    assert "Your link is ready" in words(owner.follow(owner.post("/app/links", fields)))
    assert record(owner, kept)["notifyOwner"] is True


@pytest.mark.parametrize("count", [0, 101])
def test_the_switch_holds_for_1_to_100_links(owner, document, count):
    link = owner.api.share(document)
    ids = [link["id"] if n == 0 else f"tok_{n:026}" for n in range(count)]
    refused = owner.post("/app/links", {"id": ids, "notifyOwner": "yes"})
    assert refused.status == 422
    assert "Choose 1 to 100 links." in words(refused)
    assert record(owner, link)["notifyOwner"] is False


def test_the_page_of_a_link_has_the_switch(mailing, box, owner, address, document):
    link = owner.api.share(document)
    page = f"/app/links/{link['id']}"
    on = owner.follow(owner.submit(owner.get(page), f"{page}/notify", notifyOwner="yes"))
    assert (WORDS in words(on), switch_on(on)) == (True, True)
    off = owner.follow(owner.submit(on, f"{page}/notify", notifyOwner="no"))
    assert (switch_on(off), record(owner, link)["notifyOwner"]) == (False, False)


def test_the_terms_of_a_link_have_the_choice(mailing, box, owner, address, document):
    here = f"/app/documents/{document['id']}"
    owner.make_link(owner.get(here), f"{here}/links", notifyOwner=["0", "1"])
    (link,) = owner.api.links(document)
    assert link["notifyOwner"] is True
    agree(mailing, box, address)

    page = f"/app/links/{link['id']}"
    assert terms_are_on(owner.get(page), page)
    kept = owner.follow(owner.submit(owner.get(page), page, label="Ben"))
    assert (record(owner, link)["label"], record(owner, link)["notifyOwner"]) == ("Ben", True)
    owner.submit(kept, page, notifyOwner="0")
    assert record(owner, link)["notifyOwner"] is False


def test_the_card_for_new_files_has_the_choice_among_its_terms(owner):
    page = owner.get("/app/documents")
    (card,) = [one for one in forms_of(page) if one["action"].startswith("/app/documents?key=")]
    assert "notifyOwner" in card["fields"]
    assert not terms_are_on(page, card["action"])


def test_a_request_for_files_mails_when_files_arrive(owner):
    answer = owner.submit(
        owner.get("/app/requests"), "/app/requests", title="Receipts", notifyOwner=["0", "1"]
    )
    card = owner.follow(answer)
    assert "Mail me when files arrive" in words(card)
    (link,) = owner.api.get("/v1/tokens").json["tokens"]
    assert link["notifyOwner"] is True


def test_a_link_that_is_off_or_has_ended_has_no_switch_where_it_cannot_be_turned_on(
    owner, document
):
    link = owner.api.share(document)
    page = f"/app/links/{link['id']}"
    owner.api.revoke(document, link)
    assert "mail-me" not in owner.get(page).text


def test_without_mail_the_pages_do_not_offer_it(member):
    document = member.api.upload(token=None)
    here = f"/app/documents/{document['id']}"
    card = member.make_link(member.get(here), f"{here}/links")
    (link,) = member.api.links(document)
    pages = [
        card,
        *map(member.get, ("/app/documents", f"/app/links/{link['id']}", "/app/requests")),
    ]
    assert not [page for page in pages if "notifyOwner" in page.text or "Mail me" in page.text]
    refused = member.post(f"/app/links/{link['id']}/notify", {"notifyOwner": "yes"})
    assert refused.status == 404
    of_several = {"id": [link["id"]], "notifyOwner": "yes"}
    assert member.post("/app/links", of_several).status == 404


def test_the_checkbox_of_the_account_and_the_choice_of_a_link_leave_each_other_alone(
    mailing, box, owner, address, document
):
    def webhook():
        return owner.api.get("/v1/webhooks").json["webhooks"]

    def choose(**fields):
        return owner.submit(owner.get("/app/account"), "/app/account/notices", **fields)

    def account_box():
        return "checked" in field_of(owner.get("/app/account"), "notices")

    link = owner.api.share(document, notifyOwner=True)
    agree(mailing, box, address)
    assert not account_box()
    choose(notices="1")
    all_links = ["token.opened", "token.refused", "token.spent", "token.visited"]
    assert (account_box(), sorted(webhook()[0]["events"])) == (True, all_links)
    assert webhook()[0]["enabled"]
    owner.post("/app/account/notices")
    assert (account_box(), webhook()[0]["events"]) == (False, ["token.visited"])
    assert switch_on(owner.get(f"/app/links/{link['id']}"))


def test_the_switch_is_off_once_the_mails_cannot_come_and_turns_them_on_again(
    mailing, box, owner, address, document
):
    link = owner.api.share(document, notifyOwner=True)
    agree(mailing, box, address)
    page = f"/app/links/{link['id']}"
    (webhook,) = owner.api.get("/v1/webhooks").json["webhooks"]
    owner.api.delete(f"/v1/webhooks/{webhook['id']}")
    assert not switch_on(owner.get(page))
    assert not terms_are_on(owner.get(page), page)
    again = owner.follow(owner.submit(owner.get(page), f"{page}/notify", notifyOwner="yes"))
    assert (switch_on(again), ON_ITS_WAY in element_of(again, "say")) == (True, True)


def test_nobody_else_turns_the_choice_on(mailing, owner, document, email):
    link = owner.api.share(document)
    other = Visitor(mailing).sign_up(f"other-{email}")
    assert other.post(f"/app/links/{link['id']}/notify", {"notifyOwner": "yes"}).status == 404
    both = {"id": link["id"], "notifyOwner": "yes"}
    assert other.post("/app/links", both).status == 404
    assert record(owner, link)["notifyOwner"] is False


def test_the_activity_says_that_a_link_was_used_that_mails(mailing, owner, document):
    link = owner.api.share(document, notifyOwner=True)
    assert Visitor(mailing).post("/s", {"token": link["token"]}).status == 200
    said = words(owner.get("/app/activity?type=token.visited"))
    assert "used the link to Offer.pdf : you get a mail" in said

"""Links that mail their owner when they are opened: who did, what, once a day for each reader."""

import hashlib
import json
import re

import pytest

from tests.console.visitor import Visitor
from tests.forms import FORM, body, field, file
from tests.mailbox import BASE, until_sent
from tests.people import Person, at
from tests.problems import refused, refused_field
from tests.tus import Upload

TEXT = "I keep this to myself."
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()
CHAT_ROBOT = {"User-Agent": "Slackbot-LinkExpanding 1.0", "Accept": "text/html"}


@pytest.fixture
def owner(mailing, box, email):
    """Somebody who has agreed to notices at the address of the account."""
    person = mailing.register(f"owner-{email}")
    person.share(person.upload(token=None), notifyOwner=True)
    agree(mailing, box.wait_for(1, to=person.record["email"])[0])
    until_sent(mailing)
    box.mails.clear()
    return person


def agree(service, question):
    page = re.search(rf"{BASE}(/app/webhooks/\S+)", question.text)[1]
    somebody = Visitor(service)
    answer = somebody.submit(somebody.get(page), page.partition("?")[0])
    assert "Notifications are on" in answer.text


def open_link(service, link, headers=(), **proof):
    answer = Person(service).with_token(link["token"]).post("/s", json=proof, headers=headers)
    assert answer.status == 200
    return answer


def code_for(service, box, link, address):
    asked = Person(service).with_token(link["token"]).post("/s/codes", json={"email": address})
    assert asked.status == 202
    mail = box.wait_for(1, to=address)[-1]
    return "".join(re.search(r"^ +(\d{4}) (\d{4})$", mail.text, re.M).groups())


def visits(person):
    return [one["data"] for one in person.events() if one["type"] == "token.visited"]


def test_the_choice_is_part_of_a_link_and_can_be_changed(owner, email):
    document = owner.upload()
    link = owner.share(document, notifyOwner=True)

    assert (document["token"].get("notifyOwner"), link["notifyOwner"]) == (None, True)
    assert owner.get(f"/v1/tokens/{link['id']}").json["notifyOwner"] is True
    assert owner.change(document, link, notifyOwner=None).json["notifyOwner"] is False
    assert owner.patch(f"/v1/tokens/{link['id']}", json={"notifyOwner": True}).json["notifyOwner"]
    changes = [
        event["data"]["changed"] for event in owner.events() if event["type"] == "token.updated"
    ]
    assert changes == [["notifyOwner"], ["notifyOwner"]]
    refused_field(owner.post(at(document, "/tokens"), json={"notifyOwner": "yes"}), "#/notifyOwner")
    assert owner.share(document)["notifyOwner"] is False


def test_an_upload_and_a_collection_make_links_with_the_choice(owner):
    document = owner.upload(token={"notifyOwner": True})
    collection = owner.collect(document)
    kept = [owner.links(document)[0], owner.share(collection, notifyOwner=True)]
    assert [one["notifyOwner"] for one in kept] == [True, True]


def test_where_no_mail_is_sent_the_choice_is_refused(alice):
    document = alice.upload()
    for change in (
        alice.post(at(document, "/tokens"), json={"notifyOwner": True}),
        alice.patch(f"/v1/tokens/{alice.links(document)[0]['id']}", json={"notifyOwner": True}),
    ):
        refused_field(change, "#/notifyOwner")
    assert alice.share(document, notifyOwner=False)["notifyOwner"] is False


def test_the_address_of_the_account_is_asked_once_and_gets_nothing_before_it_agrees(
    mailing, box, email
):
    person = mailing.register(email)
    document = person.upload(name="Offer.pdf")
    links = [person.share(document, notifyOwner=True) for _ in range(3)]
    (question,) = box.wait_for(1, to=email)
    (webhook,) = person.get("/v1/webhooks").json["webhooks"]
    assert (webhook["url"], webhook["enabled"]) == (f"mailto:{email}", False)
    assert webhook["events"] == ["token.visited"]
    until_sent(mailing)

    open_link(mailing, links[0])
    until_sent(mailing)
    assert box.mails_to(email) == [question]

    agree(mailing, question)
    open_link(mailing, links[1])
    assert box.wait_for(2, to=email)[1].headers["Subject"] == "Somebody opened “Offer.pdf”"


def test_an_account_whose_address_gets_no_mail_cannot_choose_it(mailing, email):
    person = mailing.register(f"ü{email}")
    document = person.upload()
    refused_field(person.post(at(document, "/tokens"), json={"notifyOwner": True}), "#/notifyOwner")


def test_the_mail_names_reader_document_and_page_and_says_how_to_end_it(mailing, box, owner, email):
    document = owner.upload(name="Offer.pdf", token=None)
    link = owner.share(document, recipients=[email], notifyOwner=True)
    code = code_for(mailing, box, link, email)
    open_link(mailing, link, email=email, code=code, name="Eve Example")

    (notice,) = box.wait_for(1, to=owner.record["email"])
    sentence = f"Eve Example ({email}) opened “Offer.pdf”"
    assert notice.headers["Subject"] == sentence
    page = rf"{BASE}/app/documents/{document['id']}"
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
    assert re.search(rf"^{moment}  {re.escape(sentence)}  {page}$", notice.text, re.M)
    assert re.search(rf"^To end these notices: {BASE}/app/webhooks/", notice.text, re.M)
    (visit,) = visits(owner)
    assert visit["tokenId"] == link["id"]
    assert email not in str(owner.events())


def test_a_reader_of_whom_only_a_name_is_known_is_named_in_quotation_marks(mailing, box, owner):
    document = owner.upload(name="Offer.pdf", token=None)
    link = owner.share(document, agreement=TEXT, notifyOwner=True)
    open_link(mailing, link, name="Eve", accept=SHA256)
    (notice,) = box.wait_for(1, to=owner.record["email"])
    assert notice.headers["Subject"] == "“Eve” opened “Offer.pdf”"


def test_a_name_like_an_address_of_the_web_is_left_out(mailing, box, owner):
    document = owner.upload(name="Offer.pdf", token=None)
    link = owner.share(document, agreement=TEXT, notifyOwner=True)
    open_link(mailing, link, name="log in at https://evil.example now", accept=SHA256)
    (notice,) = box.wait_for(1, to=owner.record["email"])
    assert notice.headers["Subject"] == "Somebody opened “Offer.pdf”"
    assert "evil" not in notice.text


def test_a_reader_of_whom_nothing_is_known_is_somebody_with_the_link(mailing, box, owner):
    document = owner.upload(name="Offer.pdf", token=None)
    link = owner.share(document, label="the board", notifyOwner=True)
    open_link(mailing, link)
    (notice,) = box.wait_for(1, to=owner.record["email"])
    assert notice.headers["Subject"] == "Somebody with the link for “the board” opened “Offer.pdf”"


def test_a_collection_is_named_by_its_title(mailing, box, owner):
    collection = owner.collect(owner.upload(), title="Offers")
    link = owner.share(collection, notifyOwner=True)
    open_link(mailing, link)
    (notice,) = box.wait_for(1, to=owner.record["email"])
    assert notice.headers["Subject"] == "Somebody opened “Offers”"
    assert f"{BASE}/app/collections/{collection['id']}\n" in notice.text


def test_a_link_that_takes_files_mails_when_files_arrive_and_not_when_it_is_opened(
    mailing, box, owner
):
    collection = owner.collect(title="Receipts")
    terms = {"permissions": ["upload"], "maxViews": 5}
    link = owner.share(collection, notifyOwner=True, **terms)
    stranger = Person(mailing).with_token(link["token"])
    assert stranger.get("/s", headers={"Accept": "text/html"}).status == 200
    assert visits(owner) == []
    for name in ("a.txt", "b.txt"):
        parts = body(file(name, b"content"), field("from", b"Ben"))
        assert stranger.post("/s", data=parts, headers={"Content-Type": FORM}).status == 201

    (notice,) = box.wait_for(1, to=owner.record["email"])
    assert notice.headers["Subject"] == "“Ben” sent a file to “Receipts”"
    (visit,) = visits(owner)
    assert visit["documentId"].startswith("doc_")


def test_further_openings_by_the_same_reader_are_no_further_visits(mailing, owner):
    document = owner.upload(token=None)
    link = owner.share(document, agreement=TEXT, notifyOwner=True)
    plain = owner.share(document, notifyOwner=True)
    for name in ("Eve", "eve ", "Ben", "EVE", "Ben"):
        open_link(mailing, link, name=name, accept=SHA256)
    for _ in range(5):
        open_link(mailing, plain)
    assert [one["tokenId"] for one in visits(owner)].count(link["id"]) == 2
    assert [one["tokenId"] for one in visits(owner)].count(plain["id"]) == 1


def test_the_first_opening_is_one_line_also_for_who_gets_notices_of_all_links(mailing, box, owner):
    (webhook,) = owner.get("/v1/webhooks").json["webhooks"]
    both = ["token.opened", "token.visited"]
    assert owner.patch(f"/v1/webhooks/{webhook['id']}", json={"events": both}).status == 200
    link = owner.share(owner.upload(name="Offer.pdf", token=None), notifyOwner=True)
    open_link(mailing, link)
    (notice,) = box.wait_for(1, to=owner.record["email"])
    assert notice.headers["Subject"] == "Somebody opened “Offer.pdf”"
    assert notice.text.count("opened") == 1


def test_a_preview_of_the_link_causes_no_mail_and_whoever_opens_it_is_told_that_it_does(
    mailing, owner
):
    document = owner.upload(b"the content", name="Offer.txt", token=None)
    link = owner.share(document, notifyOwner=True)
    for url in (link["shortUrl"], link["viewUrl"], link["downloadUrl"]):
        page = Person(mailing).get(url.removeprefix(BASE), headers=CHAT_ROBOT)
        assert page.status == 200
        assert "The sender gets a mail when you" in page.text
        assert "the content" not in page.text
    assert Person(mailing).head(link["contentUrl"].removeprefix(BASE)).status == 200
    assert visits(owner) == []
    assert Person(mailing).get(link["contentUrl"].removeprefix(BASE)).body == b"the content"
    assert len(visits(owner)) == 1


def test_the_owner_gets_no_mail_of_opening_the_link_as_one_of_its_readers(mailing, box, owner):
    address = owner.record["email"]
    link = owner.share(owner.upload(token=None), recipients=[address], notifyOwner=True)
    code = code_for(mailing, box, link, address)
    open_link(mailing, link, email=address, code=code)
    assert visits(owner) == []


def test_the_owners_own_look_causes_no_mail(owner):
    document = owner.upload(token={"notifyOwner": True})
    assert owner.get(at(document, "/view")).status == 200
    assert owner.get(at(document, "/content")).status == 200
    assert visits(owner) == []


def test_a_link_without_the_choice_causes_no_visit(mailing, owner):
    link = owner.share(owner.upload(token=None))
    open_link(mailing, link)
    assert visits(owner) == []


def test_whoever_ends_the_notices_gets_no_more_of_them(mailing, box, owner):
    link = owner.share(owner.upload(token=None), notifyOwner=True)
    open_link(mailing, link)
    (notice,) = box.wait_for(1, to=owner.record["email"])
    page = re.search(rf"{BASE}(/app/webhooks/\S+)", notice.text)[1]
    somebody = Visitor(mailing)
    ended = somebody.submit(somebody.get(page), page.partition("?")[0])
    assert "Notifications are off" in ended.text
    (webhook,) = owner.get("/v1/webhooks").json["webhooks"]
    assert webhook["disabledReason"] == "unconfirmed"


def test_a_revoked_link_cannot_get_the_choice(owner):
    document = owner.upload(token=None)
    link = owner.share(document)
    owner.revoke(document, link)
    refused(
        owner.patch(f"/v1/tokens/{link['id']}", json={"notifyOwner": True}), 409, "token_revoked"
    )


def test_a_file_in_pieces_is_stored_without_a_link_whose_visits_nobody_can_get(mailing):
    person = mailing.register("sömebody@example.org")
    token = json.dumps({"notifyOwner": True})
    upload = Upload.begin(person, 2, b"a", token=token)
    assert upload.send(b"b", 1).status == 204
    assert upload.get().json["document"]["token"] is None
    assert person.get("/v1/tokens").json["tokens"] == []

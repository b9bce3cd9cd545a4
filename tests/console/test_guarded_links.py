"""Links that ask: made and changed in the pages, their openings with receipts, what readers get."""

import hashlib
import re
import subprocess
import sys
from urllib.parse import quote

import pytest

from tests.console.visitor import Visitor, element_of, field_of, forms_of, words
from tests.mailbox import BASE
from tests.people import Person, at
from tests.problems import refused
from tests.service import ROOT
from viewer.tests import samples

TEXT = "I keep this to myself.\n\n  Always."
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()
JSON = {"Accept": "application/json"}
ACCEPTED = {"name": "Ana Auditor", "accept": SHA256}


@pytest.fixture
def owner(mailing, email):
    """Somebody with an account where mail is sent, logged in."""
    return Visitor(mailing).sign_up(f"owner-{email}")


@pytest.fixture
def document(member):
    return member.api.upload(b"# Hi", "text/markdown", name="a.md", token=None)


def path_of(link):
    return f"/app/links/{link['id']}"


def accept(service, link, **fields):
    """The answer to a reader who opens the link."""
    reader = Person(service).with_token(link["token"])
    return reader.post("/s", json=ACCEPTED | fields)


def record(visitor, link):
    return visitor.api.get(f"/v1/tokens/{link['id']}").json


def test_a_link_is_made_for_certain_people_and_with_a_text_to_accept(owner, email):
    document = owner.api.upload(token=None)
    collection = owner.api.collect(document)
    for noun, target, form in (
        ("documents", document, ""),
        ("collections", collection, "/links"),
    ):
        here = f"/app/{noun}/{target['id']}"
        typed = {
            "recipients": f"{email},\r\n@Else.example",
            "agreement": TEXT.replace("\n", "\r\n"),
        }
        page = owner.make_link(owner.get(here + form), f"{here}/links", **typed)
        assert "Only 2 people can view and download" in words(page)
        assert "They agree to your text first. A code by e-mail lets them in." in words(page)
        (link,) = owner.api.links(target)
        assert link["recipients"] == [email, "@else.example"]
        assert link["agreementSha256"] == SHA256
        assert "· named people · agreement" in words(owner.get(here))
    assert "· named people · agreement" in words(owner.get("/app/links"))


def test_what_a_link_asks_is_changed_and_stays_to_the_byte_beside_other_terms(owner, email):
    document = owner.api.upload(token=None)
    odd = TEXT.replace("\n", "\r\n") + "\n"
    link = owner.api.share(document, agreement=odd, recipients=[email])
    page = owner.get(path_of(link))
    assert field_of(page, "recipients") is not None
    owner.submit(page, path_of(link), label="the notary")
    changed = record(owner, link)
    assert (changed["label"], changed["agreementSha256"]) == ("the notary", link["agreementSha256"])
    (event,) = [one for one in owner.api.events() if one["type"] == "token.updated"]
    assert event["data"]["changed"] == ["label"]
    owner.submit(page, path_of(link), agreement=TEXT, recipients="@else.example")
    changed = record(owner, link)
    assert (changed["recipients"], changed["agreementSha256"]) == (["@else.example"], SHA256)
    owner.submit(owner.get(path_of(link)), path_of(link), agreement=" ", recipients="")
    changed = record(owner, link)
    assert (changed["recipients"], changed["agreementSha256"]) == ([], None)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("recipients", "Ana <ana@example.org>"),
        ("recipients", "a@b\n" * 51),
        ("agreement", "x" * 16_385),
    ],
)
def test_what_is_wrong_is_told_at_its_field_and_stays_typed(owner, field, wrong):
    document = owner.api.upload(token=None)
    here = f"/app/documents/{document['id']}"
    page = owner.submit(owner.get(here), here + "/links", **{field: wrong})
    assert page.status == 422
    assert field_of(page, field, here + "/links")["aria-invalid"] == "true"
    assert wrong.split()[0].replace("<", "&lt;") in page.text
    assert re.search(rf'data-pill="\w+" open>(?:(?!</details>).)*name="{field}"', page.text, re.S)


def test_without_mail_a_link_asks_for_no_code(member, document):
    page = member.get(f"/app/documents/{document['id']}")
    assert 'name="agreement"' in page.text
    assert 'name="recipients"' not in page.text
    first = member.get("/app/documents")
    assert 'name="agreement"' in first.text
    assert 'name="recipients"' not in first.text
    inbox = member.api.share(member.api.collect(), permissions=["upload"])
    assert 'name="agreement"' not in member.get(path_of(inbox)).text


def test_a_watermark_is_one_of_the_things_that_a_link_permits(member, document):
    page = member.get(f"/app/documents/{document['id']}")
    assert "view watermark" not in page.text
    here = f"/app/documents/{member.api.upload(samples.pdf('One'), 'application/pdf')['id']}"
    page = member.get(here)
    assert "A watermarked link can’t allow downloads." in words(page)
    page = member.make_link(page, here + "/links", permissions="view watermark")
    assert "A watermark is on every page." in words(page)
    link = member.api.get("/v1/tokens").json["tokens"][0]
    assert link["watermark"]
    assert link["permissions"] == ["view"]
    member.submit(member.get(path_of(link)), path_of(link), label="a")
    assert record(member, link)["watermark"]
    member.post(path_of(link), {"permissions": "view", "agreement": "", "ends": "keep"})
    assert not record(member, link)["watermark"]


def test_a_watermark_is_refused_at_the_choice_for_what_has_no_pages(member, document):
    here = f"/app/documents/{document['id']}"
    refused = member.submit(member.get(here), here + "/links", permissions="view watermark")
    assert refused.status == 422
    assert "Only a PDF, or what is shown as one, has pages to mark." in words(refused)
    assert re.search(
        r'data-pill="may" open>.*view watermark"[^>]* checked[^>]*aria-invalid', refused.text, re.S
    )
    assert member.api.links(document) == []


def test_openings_say_who_when_and_what_they_accepted(member, service, document, tmp_path):
    link = member.api.share(document, agreement=TEXT)
    assert "Nobody has opened it yet." in words(member.get(path_of(link)))
    for name in ("Ana Auditor", "<b>\u202eanA"):
        assert accept(service, link, name=name).status == 200
    page = member.get(path_of(link))
    assert re.search(
        r"UTC “&lt;b&gt; U\+202E anA” opened Text · Receipt .* UTC “Ana Auditor” opened",
        words(page),
    )
    pages = re.findall(r'href="(openings/opn_[0-9a-z]+)"', page.text)
    shown = [member.get(f"/app/links/{one}") for one in pages]
    assert "Ana Auditor accepted the agreement below to open a.md ." in words(shown[1])
    assert TEXT in shown[1].text
    assert "&lt;b&gt;" in shown[0].text
    receipts = [re.search(r'href="([^"]+/receipt)" download', one.text)[1] for one in shown]
    saved = member.get(receipts[1])
    assert saved.headers["Content-Disposition"] == "attachment; filename=receipt.jsonl"
    (tmp_path / "receipt.jsonl").write_text(saved.text)
    command = [sys.executable, "deploy/verify_log.py", tmp_path / "receipt.jsonl"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "1 events up to" in told
    agreement = receipts[1].replace("/receipt", "/agreement")
    text = member.get(agreement)
    assert (text.text, text.kind) == (TEXT, "text/plain")
    assert "sandbox" in text.headers["Content-Security-Policy"]
    other = Visitor(service).sign_up(f"other-{member.email}")
    for path in (
        receipts[1],
        receipts[1].removesuffix("/receipt"),
        agreement,
        receipts[1].replace("opn_", "opn_0"),
    ):
        assert other.get(path).status == 404
    assert 'href="/app/links' in member.get(f"/app/documents/{document['id']}").text
    assert "“Ana Auditor” opened it" in words(member.get(f"/app/documents/{document['id']}"))
    told = words(member.get("/app/activity"))
    assert "accepted the agreement of the link to a.md" in told
    assert re.search("“Ana Auditor” (?!You).*opened a.md", told)


def test_openings_are_paged_and_stay_when_the_link_leads_elsewhere(member, service, document):
    link = member.api.share(document, agreement=TEXT)
    for number in range(12):
        accept(service, link, name=f"Reader {number}.")
    newer = member.api.upload(b"# Newer", token=None)
    member.api.patch(f"/v1/tokens/{link['id']}", json={"documentId": newer["id"]})
    accept(service, link, name="Reader 12.")
    pages = [words(page) for page in member.older(path_of(link))]
    assert [re.findall(r"UTC “Reader (\d+)\.", page) for page in pages] == [
        [str(number) for number in range(12, 6, -1)],
        [str(number) for number in range(6, 0, -1)],
        ["0"],
    ]
    oldest = list(member.older(path_of(link)))[-1]
    path = re.findall(r'href="([^"]+/agreement)"', oldest.text)[-1]
    assert member.get(f"/app/links/{path}").text == TEXT
    openings = member.api.get(at(newer, f"/tokens/{link['id']}/openings")).json["openings"]
    assert [one["documentId"] for one in openings] == [newer["id"]] + [document["id"]] * 12


def test_the_agreement_of_a_document_that_was_altered_outside_is_not_there(
    member, service, document
):
    link = member.api.share(document, agreement=TEXT)
    accept(service, link)
    (path,) = re.findall(r'href="(openings/opn_[0-9a-z]+)"', member.get(path_of(link)).text)
    service.sql("UPDATE document SET size = size + 1 WHERE id = :id", id=document["id"])
    assert member.get(f"/app/links/{path}").status == 404
    assert member.get(f"/app/links/{path}/agreement").status == 404


def test_an_opening_of_a_collection_says_what_was_seen(member, service, document):
    link = member.api.share(member.api.collect(document), agreement=TEXT)
    contents = accept(service, link).json
    Person(service).get(contents["documents"][0]["viewUrl"].removeprefix(service.url))
    assert "“Ana Auditor” opened the contents, opened a.md Text" in words(member.get(path_of(link)))


def test_a_client_is_told_what_a_guarded_link_asks_but_not_for_whom(mailing, owner, email):
    document = owner.api.upload(token=None)
    terms = {"recipients": [email], "agreement": TEXT, "password": "right one"}
    link = owner.api.share(document, **terms)
    reader = Person(mailing).with_token(link["token"])
    told = reader.get("/s", headers=JSON)
    assert told.json["asks"] == ["email", "code", "password", "name", "accept"]
    assert (told.json["agreement"], told.json["agreementSha256"]) == (TEXT, SHA256)
    assert told.json["receiptUrl"] is None
    assert email not in told.text
    plain = owner.api.share(document)
    told = Person(mailing).with_token(plain["token"]).get("/s", headers=JSON)
    assert "asks" not in told.json


def test_the_page_that_opened_leads_to_the_receipt(member, service, document):
    collection = member.api.collect(document)
    for target in (document, collection):
        link = member.api.share(target, agreement=TEXT)
        (_, address) = accept(service, link), accept(service, link).json["receiptUrl"]
        receipt = Person(service).get(address.removeprefix(service.url))
        assert (receipt.status, receipt.kind) == (200, "application/jsonl")
        assert SHA256 in receipt.text
        reader = Person(service).with_token(link["token"])
        page = reader.post("/s", json=ACCEPTED, headers={"Accept": "text/html"})
        path = re.search(rf'href="{service.url}([^"]+/receipt\?ticket=[^"]+)"', page.text)[1]
        assert Person(service).get(path).status == 200
        member.api.change(target, link, agreement="Another.")
        refused(Person(service).get(path), 401, "not_authenticated")


def test_a_mailed_link_for_a_new_password_leads_to_a_page_that_says_so(mailing, box, email):
    Visitor(mailing).sign_up(email)
    visitor = Visitor(mailing)
    sent = visitor.follow(visitor.post("/app/forgot", {"email": email}))
    assert "Check your mail" in words(sent)
    assert element_of(sent, "say") == ""  # the page says it
    path = re.search(rf"{BASE}(\S*)", box.wait_for(1)[0].text)[1]  # the first link of the mail
    page = visitor.get(path)
    assert "Choose a new password" in words(page)
    assert "Sign up" not in words(page)
    assert 'name="name"' not in page.text
    short = visitor.submit(page, "/app/signup", email=email, password="short")
    assert "Choose a new password" in words(short)
    answer = visitor.submit(short, "/app/signup", email=email, password="another long password")
    assert answer.headers["Location"].startswith("/app/documents?")
    assert "Your new password is set." in element_of(visitor.follow(answer), "say")
    assert "This link does not work any more" in words(Visitor(mailing).get(path))


def test_a_link_for_named_people_is_sent_from_its_page_and_where_it_is_made(owner, email, box):
    document = owner.api.upload(b"x", name="plans.txt", token=None)
    fields = {"permissions": "view", "ends": "7", "recipients": f"{email}\n@example.com"}
    made = owner.post(f"/app/documents/{document['id']}/links", fields)
    (link,) = owner.api.links(document)
    action = f"/app/links/{link['id']}/send"
    for page in (owner.follow(made), owner.get(f"/app/links/{link['id']}")):
        assert action in [form["action"] for form in forms_of(page)]
        assert f"To {email}" in words(page)
        assert f"mailto:{quote(email)}?subject=plans.txt" in page.text

    sent = owner.post(action, {"note": "As agreed."})

    assert sent.headers["Location"] == f"/app/links/{link['id']}?done=sent"
    assert "It is on its way" in words(owner.get(sent.headers["Location"]))
    (mail,) = box.wait_for(1, email)
    assert "As agreed." in mail.text
    again = owner.post(action)
    assert again.headers["Location"] == f"/app/links/{link['id']}?done=unsent"


def test_the_card_of_a_new_link_stays_when_it_is_sent_or_turned_off(owner, email):
    document = owner.api.upload(b"x", name="plans.txt", token=None)
    here = f"/app/documents/{document['id']}"
    card = owner.make_link(owner.get(here), f"{here}/links", recipients=email)
    (link,) = owner.api.links(document)
    path = f"/app/links/{link['id']}"

    sent = owner.follow(owner.submit(card, f"{path}/send", note="As agreed."))
    assert "It is on its way to them." in element_of(sent, "say")
    assert re.search(rf"Sent to {email} ?, 20", words(sent))
    assert "Send it to them again" in words(sent)
    assert "Your link is ready" in words(sent)

    off = owner.follow(owner.submit(sent, f"{path}/enabled", enabled="no"))
    assert "Your link is off" in words(off)
    assert "Copy the link" not in words(off)
    on = owner.follow(owner.submit(off, f"{path}/enabled", enabled="yes"))
    assert "Your link is ready" in words(on)


def test_a_link_for_everybody_or_a_whole_domain_offers_to_send_nothing(owner):
    document = owner.api.upload(b"x", name="plans.txt", token=None)
    for recipients in (None, ["@example.com"]):
        link = owner.api.share(document, recipients=recipients)
        assert "/send" not in owner.get(f"/app/links/{link['id']}").text

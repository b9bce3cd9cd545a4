"""Links for certain people, and links with a text to accept: all is asked in one request."""

import hashlib
import json
import re
import subprocess
import sys
import threading
from functools import partial

import pytest

from tests.clock import ClockedService
from tests.mailbox import BASE, until_sent
from tests.people import Person, at
from tests.problems import refused, refused_field
from tests.service import ROOT
from tests.waiting import take_as_long

TEXT = "I keep this to myself.\nAlways."
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()
ACCEPTED = {"name": "Ana Auditor", "accept": SHA256}
HTML = {"Accept": "text/html"}


def call(service, link, action="view", headers=(), **fields):
    """POST by the token of a link: JSON, to its document or to what it opens now."""
    noun = f"/v1/documents/{link['documentId']}" if link["documentId"] else "/s"
    path = noun if noun == "/s" and action == "view" else f"{noun}/{action}"
    return Person(service).with_token(link["token"]).post(path, json=fields, headers=headers)


def code_in(mail):
    return "".join(re.search(r"^ +(\d{4}) (\d{4})$", mail.text, re.M).groups())


def ask_code(service, box, link, email):
    before = len(box.mails)
    assert call(service, link, "codes", email=email).status == 202
    return code_in(box.wait_for(before + 1)[-1])


@pytest.fixture
def document(person):
    return person.upload(token=None)


def openings(person, document, link):
    return person.get(at(document, f"/tokens/{link['id']}/openings")).json["openings"]


def test_a_link_with_recipients_opens_with_the_code_that_one_of_them_got(
    mailing, box, email, person, document
):
    link = person.share(document, recipients=[email.upper(), "@other.example"])
    assert link["recipients"] == [email, "@other.example"]
    code = ask_code(mailing, box, link, email.upper())
    assert box.mails[-1].to == [email]
    for wrong in ({}, {"email": email}, {"email": email, "code": "1"}, {"code": code}):
        refused(call(mailing, link, **wrong), 401, "wrong_credentials")
    for _ in range(7):  # a second device, and a day's work
        spaced = f"\u200b {code[:4]} {code[4:]}\xa0"
        assert call(mailing, link, email=email, code=spaced).status == 200
    found = openings(person, document, link)
    assert len(found) == 7
    assert {one["recipient"] for one in found} == {email}
    assert found[0]["recipientId"].startswith("rcp_")
    assert (found[0]["name"], found[0]["agreementSha256"], found[0]["sequence"]) == (None,) * 3
    assert email not in mailing.stderr()


def test_a_code_is_bound_to_its_link_and_address_and_replaced_by_the_next(
    mailing, box, email, person, document
):
    link, other = (person.share(document, recipients=["@example.org"]) for _ in range(2))
    code = ask_code(mailing, box, link, email)
    refused(call(mailing, other, email=email, code=code), 401, "wrong_credentials")
    refused(call(mailing, link, email=f"b{email}", code=code), 401, "wrong_credentials")
    newer = ask_code(mailing, box, link, email)
    refused(call(mailing, link, email=email, code=code), 401, "wrong_credentials")
    assert call(mailing, link, email=email, code=newer).status == 200
    assert person.change(document, link, recipients=["@else.example"]).status == 200
    refused(call(mailing, link, email=email, code=newer), 401, "wrong_credentials")


def test_five_wrong_tries_kill_a_code_however_many_come_at_once(
    mailing, box, email, person, document
):
    link = person.share(document, recipients=[email])
    code = ask_code(mailing, box, link, email)
    wrong = f"{(int(code) + 1) % 10**8:08}"
    tries = [lambda: call(mailing, link, email=email, code=wrong) for _ in range(12)]
    threads = [threading.Thread(target=one) for one in tries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused(call(mailing, link, email=email, code=code), 401, "wrong_credentials")
    ((failures,),) = mailing.sql(
        "SELECT code_failures FROM recipient WHERE code_digest IS NOT NULL AND token_id = "
        f"'{link['id']}'"
    )
    assert failures == 13


@pytest.mark.slow
def test_codes_are_answered_alike_and_in_the_same_time_for_any_address(
    mailing, box, email, person, document
):
    link = person.share(document, recipients=["@listed.example"])

    def ask(domain, action, more, n):
        address = f"{n}{email.partition('@')[0]}@{domain}"
        answer = call(mailing, link, action, email=address, **more)
        body = {name: value for name, value in answer.json.items() if name != "requestId"}
        answers.add((action, answer.status, json.dumps(body | {"expiresAt": ""})))

    answers = set()
    for action in (("codes", {}), ("view", {"code": "12345678"})):
        take_as_long(
            *(partial(ask, domain, *action) for domain in ("listed.example", "unlisted.example"))
        )
        until_sent(mailing)
    assert len(answers) == 2
    assert {one.to[0].rpartition("@")[2] for one in box.mails} == {"listed.example"}


def counted_mails(service):
    return service.sql("SELECT count(*) FROM mail_limit")[0][0]


def test_who_is_not_listed_gets_no_mail_and_takes_no_code_from_anybody(
    mailing, box, email, person, document
):
    link, other = (person.share(document, recipients=[one]) for one in (email, f"another-{email}"))
    before = counted_mails(mailing)
    for number in range(6):
        assert call(mailing, other, "codes", email=email).status == 202
        assert call(mailing, link, "codes", email=f"{number}-{email}").status == 202
    until_sent(mailing)
    assert (counted_mails(mailing), box.mails) == (before, [])
    assert ask_code(mailing, box, link, email)


@pytest.mark.slow
def test_made_up_addresses_use_up_no_codes_of_a_link(mailing, box, email, person, document):
    link = person.share(document, recipients=[email])
    for number in range(205):
        assert call(mailing, link, "codes", email=f"{number}-{email}").status == 202
    assert ask_code(mailing, box, link, email)


def test_all_that_a_link_asks_is_asked_in_one_request(mailing, box, email, person, document):
    terms = {"recipients": [email], "agreement": TEXT, "password": "right one", "maxViews": 2}
    link = person.share(document, **terms)
    code = ask_code(mailing, box, link, email)
    whole = {"email": email, "code": code, "password": "right one", **ACCEPTED}
    for name in whole:
        answer = call(mailing, link, **{key: whole[key] for key in whole if key != name})
        assert answer.status == (422 if name in ("name", "accept") else 401), name
    assert person.views(document, link) == 0
    assert call(mailing, link, **whole).status == 200
    assert person.views(document, link) == 1


def test_an_agreement_is_accepted_as_it_is_now_and_each_text_is_kept(mailing, person, document):
    link = person.share(document, agreement=TEXT)
    assert link["agreementSha256"] == SHA256
    refused_field(call(mailing, link, name="Ana", accept="0" * 64), "#/accept")
    refused_field(call(mailing, link, accept=SHA256), "#/name")
    refused_field(call(mailing, link, accept=SHA256, name="A\nna"), "#/name")
    page = call(mailing, link, headers=HTML, **ACCEPTED)
    assert page.status == 200
    person.change(document, link, agreement="Another.")
    refused_field(call(mailing, link, **ACCEPTED), "#/accept")
    assert person.get(at(document, f"/agreements/{SHA256}")).text == TEXT
    refused(mailing.register().get(at(document, f"/agreements/{SHA256}")), 404, "not_found")
    person.change(document, link, agreement=None)
    assert Person(mailing).get(f"/s?token={link['token']}").status == 200


def test_events_name_a_reader_by_a_hash_that_the_owner_can_explain(
    mailing, box, email, person, document
):
    link = person.share(document, recipients=[email], agreement=TEXT)
    code = ask_code(mailing, box, link, email)
    for _ in range(2):
        assert call(mailing, link, email=email, code=code, **ACCEPTED).status == 200
    found = [one for one in person.events() if "openingId" in one["data"]]
    first, second = openings(person, document, link)[::-1]
    types = ["agreement.accepted", "document.viewed", "token.opened"]
    assert [one["type"] for one in found] == types + types[:2]
    data = found[0]["data"]
    assert found[0]["sequence"] == first["sequence"]
    assert (data["openingId"], data["recipientId"]) == (first["id"], first["recipientId"])
    assert (data["agreementSha256"], data["tokenId"]) == (SHA256, link["id"])
    pieces = b"reader/1", bytes.fromhex(first["salt"]), email.encode(), b"Ana Auditor"
    encoded = b"".join(len(one).to_bytes(8, "little") + one for one in pieces)
    assert data["reader"] == hashlib.sha256((4).to_bytes(8, "little") + encoded).hexdigest()
    assert found[-1]["data"]["openingId"] == second["id"]
    assert not re.search("Ana|example.org", json.dumps(found))


def test_a_receipt_is_verified_by_the_log_verifier_and_mailed_to_a_known_reader(
    mailing, box, email, person, document, tmp_path
):
    link = person.share(document, recipients=[email], agreement=TEXT)
    code = ask_code(mailing, box, link, email)
    page = call(mailing, link, headers=HTML, email=email, code=code, **ACCEPTED)
    (opening,) = openings(person, document, link)
    path = at(document, f"/openings/{opening['id']}/receipt")
    receipt = person.get(path)
    assert (receipt.status, receipt.kind) == (200, "application/jsonl")
    (tmp_path / "receipt.jsonl").write_text(receipt.text)
    command = [sys.executable, "deploy/verify_log.py", tmp_path / "receipt.jsonl"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"1 events up to {opening['sequence']}, unbroken" in told
    mail = box.wait_for(2)[-1]
    assert receipt.text.strip() in mail.raw.decode()
    assert opening["salt"] in mail.raw.decode()
    assert f"you accepted an agreement, to open “{document['name']}”" in mail.text
    attached = {one.get_filename(): one.get_content() for one in mail.headers.iter_attachments()}
    assert attached["agreement.txt"] == TEXT
    assert page.status == 200
    assert mailing.register().get(path).status == 404


def test_a_guarded_link_opens_by_post_alone(mailing, person, document):
    link = person.share(document, agreement=TEXT, permissions=["view", "download"])
    reader = Person(mailing).with_token(link["token"])
    for path in (at(document, "/content"), at(document, "/pages"), "/s/content"):
        refused(reader.get(path), 403, "scope_missing")
    for _ in range(3):  # as a scanner of mails does
        for path in (at(document, "/view"), at(document, "/download"), "/s"):
            assert TEXT.split("\n", maxsplit=1)[0] in reader.get(path, headers=HTML).text
            assert reader.head(path, headers=HTML).status == 200
    assert openings(person, document, link) == []
    saved = call(mailing, link, "download", **ACCEPTED)
    assert "attachment" in saved.headers["Content-Disposition"]
    assert len(openings(person, document, link)) == 1


def test_a_change_of_what_is_asked_ends_what_is_open(mailing, person):
    document = person.upload(b"x" * (1 << 20) + b"y", token=None, contentType="text/plain")
    link = person.share(document, agreement=TEXT)
    contents = call(mailing, {**link, "documentId": None}, **ACCEPTED).json
    path = contents["documents"][0]["viewUrl"].removeprefix(BASE)
    assert Person(mailing).get(path).status == 200
    person.change(document, link, agreement="Another.")
    refused(Person(mailing).get(path), 401, "not_authenticated")


def test_a_collection_asks_once_for_all_that_is_in_it(mailing, box, email, person):
    documents = [person.upload(token=None), person.upload(b"two", token=None)]
    collection = person.collect(*documents)
    link = person.share(collection, recipients=[email], agreement=TEXT)
    code = ask_code(mailing, box, link, email)
    contents = call(mailing, link, email=email, code=code, **ACCEPTED).json
    for one in contents["documents"]:
        assert Person(mailing).get(one["viewUrl"].removeprefix(BASE)).status == 200
    (opening,) = openings(person, collection, link)
    viewed = [one["data"] for one in person.events("&type=document.viewed")]
    assert [one["openingId"] for one in viewed] == [opening["id"]] * 2
    receipt = at(collection, f"/openings/{opening['id']}/receipt")
    ticket = contents["documents"][0]["viewUrl"].partition("?")[2]
    assert Person(mailing).get(f"{receipt}?{ticket}").text == person.get(receipt).text
    other = call(mailing, link, email=email, code=code, **ACCEPTED).json["documents"][0]["viewUrl"]
    assert Person(mailing).get(f"{receipt}?{other.partition('?')[2]}").status == 404


def test_a_guarded_collection_is_not_saved_by_its_token(mailing, person):
    collection = person.collect(person.upload(token=None))
    link = person.share(collection, agreement=TEXT)
    reader = Person(mailing).with_token(link["token"])
    refused(reader.get("/s/content"), 403, "scope_missing")
    contents = call(mailing, link, **ACCEPTED).json
    ticket = contents["documents"][0]["viewUrl"].partition("?")[2]
    assert Person(mailing).get(f"/s/content?{ticket}").status == 200


def test_the_gate_is_one_page(mailing, box, email, person, document):
    link = person.share(document, recipients=[email], agreement=TEXT, password="right one")
    first = Person(mailing).get(at(document, f"/view?token={link['token']}"), headers=HTML)
    assert first.text.count("<script") == 1  # that of the moments
    assert TEXT.split("\n", maxsplit=1)[0] not in first.text
    codes = re.search(r'action="([^"]*/codes[^"]*)"', first.text)[1]
    second = Person(mailing).post(codes, form={"email": email}, headers=HTML)
    assert second.status == 202
    for part in ('autocomplete="one-time-code"', 'inputmode="numeric"', SHA256, 'tabindex="0"'):
        assert part in second.text
    action = re.search(r'action="([^"]*/view[^"]*)"', second.text)[1]
    code = code_in(box.wait_for(1)[0])
    typed = {"email": email, "code": code, "password": "right one", **ACCEPTED}
    for name, value, status in (
        ("code", "1", 401),
        ("password", "no", 401),
        ("accept", "0", 422),
        ("name", "", 422),
    ):
        again = Person(mailing).post(action, form=typed | {name: value}, headers=HTML)
        assert (again.status, again.text.count('role="alert"')) == (status, 1)
        assert code not in again.text
        assert "right one" not in again.text
        assert email in again.text
    known = Person(mailing).post(action, form={"email": email}, headers=HTML)
    assert (known.status, 'role="alert"' in known.text) == (200, False)
    assert 'name="code"' in known.text
    assert Person(mailing).post(action, form=typed, headers=HTML).status == 200


@pytest.mark.slow
def test_a_code_ends_after_15_minutes_and_12_hours_after_its_first_use(tmp_path, box):
    service = ClockedService(tmp_path, SMTP_URL=box.url(), BASE_URL=BASE)
    try:
        person, box.mails[:] = service.register(), []
        document = person.upload(token=None)
        link = person.share(document, recipients=["a@example.org"])
        code = ask_code(service, box, link, "a@example.org")
        opening = {"email": "a@example.org", "code": code}
        service.set_clock(minutes=16)
        refused(call(service, link, **opening), 401, "wrong_credentials")
        for minutes, status in ((14, 200), (14 + 719, 200), (14 + 721, 401)):
            service.set_clock(minutes=minutes)
            assert call(service, link, **opening).status == status
    finally:
        service.process.terminate()
        service.close()


def test_without_mail_recipients_are_refused_and_an_agreement_works(service, alice):
    document = alice.upload(token=None)
    answer = alice.post(at(document, "/tokens"), json={"recipients": ["a@example.org"]})
    refused_field(answer, "#/recipients")
    link = alice.share(document, agreement=TEXT)
    refused(call(service, link, "codes", email="a@example.org"), 404, "not_found")
    assert call(service, link, **ACCEPTED).status == 200
    assert "token.opened" not in alice.event_types()


def test_what_is_no_address_is_no_recipient(mailing, person, document):
    for wrong in (["a"], ["@"], ["a@b c"], ["ü@example.org"], ["a@example.org\r\nBcc: b@c.d"], []):
        answer = person.post(at(document, "/tokens"), json={"recipients": wrong})
        assert answer.status == 422, wrong
    inbox = person.collect()
    terms = {"permissions": ["upload"], "agreement": TEXT}
    refused_field(person.post(at(inbox, "/tokens"), json=terms), "#/agreement")


def test_a_deleted_document_takes_along_all_that_its_guards_have_left(mailing, person, document):
    link = person.share(document, agreement=TEXT)
    assert call(mailing, link, **ACCEPTED).status == 200
    person.delete(at(document))
    for table in ("opening", "recipient", "kept_text"):
        counted = f"SELECT count(*) FROM {table} WHERE document_id = '{document['id']}'"
        assert mailing.sql(counted) == [(0,)]


def test_another_document_behind_the_link_asks_the_same_anew(mailing, box, email, person, document):
    link = person.share(document, recipients=[email], agreement=TEXT)
    code = ask_code(mailing, box, link, email)
    other = person.upload(b"other", token=None)
    answer = person.patch(f"/v1/tokens/{link['id']}", json={"documentId": other["id"]})
    assert (answer.json["recipients"], answer.json["agreementSha256"]) == ([email], SHA256)
    moved = {**link, "documentId": other["id"]}
    refused(call(mailing, moved, email=email, code=code, **ACCEPTED), 401, "wrong_credentials")
    code = ask_code(mailing, box, moved, email)
    assert call(mailing, moved, email=email, code=code, **ACCEPTED).status == 200
    assert person.get(at(other, f"/agreements/{SHA256}")).text == TEXT

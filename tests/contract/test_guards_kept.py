"""What guarded links keep: over two processes, a rotation, a move, kills, and without mail."""

import re

import pytest

from tests.contract.test_guarded_links import ACCEPTED, TEXT, ask_code, call, openings
from tests.contract.test_notices import confirm
from tests.contract.webhooks import create_webhook, deliveries
from tests.mailbox import BASE, until_sent
from tests.pair import Pair
from tests.people import Person, at
from tests.problems import refused, refused_field
from tests.waiting import run_in_threads, until
from viewer.tests import samples

GUARDS = {"recipients": ["@example.org"], "agreement": TEXT}


@pytest.fixture
def document(person):
    return person.upload(token=None)


def test_two_processes_share_codes_wrong_tries_and_the_last_view(postgres_server, tmp_path, box):
    pair, email = Pair(tmp_path, SMTP_URL=box.url(), RATE_LIMITS="off"), "ana@example.org"
    try:
        person, box.mails[:] = pair.register(), []
        document = person.upload(token=None)
        link = person.share(document, **GUARDS)
        code = ask_code(pair, box, link, email)
        for _ in range(4):  # by both
            assert call(pair, link, email=email, code=code, **ACCEPTED).status == 200
        for _ in range(6):
            refused(call(pair, link, email=email, code="1", **ACCEPTED), 401, "wrong_credentials")
        whole = {"email": email, "code": code, **ACCEPTED}
        refused(call(pair, link, **whole), 401, "wrong_credentials")
        once = person.share(document, **GUARDS, maxViews=1)
        whole["code"] = ask_code(pair, box, once, email)
        statuses = []
        run_in_threads(*[lambda: statuses.append(call(pair, once, **whole).status)] * 50)
        assert sorted(statuses) == [200] + [410] * 49
        assert len(openings(person, document, once)) == 1
    finally:
        pair.close()


@pytest.mark.sqlite_only("it begins with an SQLite file")
def test_a_code_works_on_after_a_rotation_a_restored_backup_and_a_move_to_a_server(
    start_service, box, postgres_server, tmp_path
):
    service = start_service(SMTP_URL=box.url(), BASE_URL=BASE)
    person, box.mails[:] = service.register(), []
    document = person.upload(token=None)
    link = person.share(document, **GUARDS)
    whole = {"email": "ana@example.org", **ACCEPTED}
    whole["code"] = ask_code(service, box, link, whole["email"])
    assert call(service, link, **whole).status == 200
    former = openings(person, document, link)
    receipt = person.get(at(document, f"/openings/{former[0]['id']}/receipt")).text

    service.run_command("keys", "rotate")
    (_, former_root) = re.findall(r"^\w{8,}", service.run_command("keys", "list"), re.M)
    service.run_command("keys", "retire", former_root)
    assert " decrypt." in service.run_command("keys", "check", "--deep")
    service.run_command("backup", tmp_path / "copy.sqlite")
    assert call(service, link, **whole).status == 200
    service.stop()
    service.run_command("restore", tmp_path / "copy.sqlite", "--force")
    address = postgres_server.new_database()
    assert "All of it decrypts" in service.run_command("copy", "--to", address)
    service.settings["DATABASE"] = service.server_url = address
    assert "WRONG" not in service.run_command("doctor", "--deep")
    service.start()

    person = service.log_in(person.record["email"])
    assert openings(person, document, link) == former
    assert call(service, link, **whole).status == 200
    assert person.get(at(document, f"/openings/{former[0]['id']}/receipt")).text == receipt
    assert person.get(at(document, f"/agreements/{link['agreementSha256']}")).text == TEXT


@pytest.mark.slow
def test_a_killed_service_sends_a_code_and_a_notice_again_as_the_same_mails(
    mailing, box, email, person, document
):
    link = person.share(document, **GUARDS)
    webhook = create_webhook(person, f"mailto:{email}")
    confirm(mailing, box.wait_for(1, email)[0])
    for act, sent in (
        (lambda: call(mailing, link, "codes", email=email), "code"),
        (
            lambda: person.open(person.share(document)["viewUrl"].replace(BASE, mailing.url)),
            "opened",
        ),
    ):
        box.mails.clear()
        box.holds = True
        act()
        box.wait_for(1, email)
        mailing.kill()
        box.holds = False
        mailing.sql("DELETE FROM mail_limit")  # as a minute later: one notice a minute
        mailing.start()
        first, second = box.wait_for(2, email)
        until_sent(mailing)
        assert first.raw == second.raw
        assert sent in first.headers["Subject"]
    until(lambda: {one["state"] for one in deliveries(person, webhook)} == {"delivered"})
    assert len(box.mails_to(email)) == 2


def test_neither_addresses_nor_names_nor_codes_are_stored_or_logged(mailing, box, email, person):
    document = person.upload(samples.pdf("x"), "application/pdf", token=None)
    link = person.share(document, **GUARDS, permissions=["view"], watermark=True)
    code = ask_code(mailing, box, link, email)
    call(mailing, link, email="bob@unlisted.example", code="87654321", **ACCEPTED)
    assert call(mailing, link, email=email, code=code, **ACCEPTED).status == 200
    until_sent(mailing)
    stored = b"".join(mailing.files().values()) + mailing.stderr().encode()
    known = email, "bob@unlisted", ACCEPTED["name"], "87654321", TEXT.split("\n")[0], code
    assert [one for one in known if one.encode() in stored] == []


def test_a_guarded_link_stays_shut_on_a_service_that_no_longer_sends_mail(start_service, box):
    service = start_service(SMTP_URL=box.url(), BASE_URL=BASE)
    person, box.mails[:] = service.register(), []
    document = person.upload(token=None)
    link = person.share(document, **GUARDS)
    service.stop()
    del service.settings["SMTP_URL"]
    service.start()
    person = service.log_in(person.record["email"])
    asked = call(service, link, "codes", email="ana@example.org")
    assert asked.status == 202
    wrong = {"email": "ana@example.org", "code": "12345678", **ACCEPTED}
    refused(call(service, link, **wrong), 401, "wrong_credentials")
    refused(Person(service).get(f"/s/content?token={link['token']}"), 403, "scope_missing")
    assert person.change(document, link, label="kept").json["recipients"] == ["@example.org"]
    refused_field(person.change(document, link, recipients=["@example.net"]), "#/recipients")
    assert person.change(document, link, recipients=None).status == 200
    assert call(service, link, **ACCEPTED).status == 200


def test_a_link_that_is_unguarded_and_guarded_again_ends_what_either_opened(mailing, person):
    document = person.upload(b"x" * (1 << 20) + b"y", token=None)
    link = person.share(document, agreement=TEXT)
    contents = {**link, "documentId": None}
    as_json = {"Accept": "application/json"}
    tickets = [call(mailing, contents, **ACCEPTED).json["documents"][0]["viewUrl"]]
    person.change(document, link, agreement=None, maxViews=9)
    tickets.append(call(mailing, contents, headers=as_json).json["documents"][0]["viewUrl"])
    person.change(document, link, agreement=TEXT, maxViews=None)
    for one in tickets:
        refused(Person(mailing).get(one.removeprefix(BASE)), 401, "not_authenticated")
    assert call(mailing, link, **ACCEPTED).status == 200

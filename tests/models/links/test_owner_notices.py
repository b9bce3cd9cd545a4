"""How often the owner of a link is notified, whoever opens it how often."""

from dataclasses import replace

import pytest

from models import Event, Webhook, database, transaction
from models.background import sweep
from models.core import Invalid
from models.documents import Collection
from models.events import MailLimit, current_actor, line_of
from models.links import (
    DocumentToken,
    LinkOptions,
    Proof,
    TokenGrant,
    delete_document,
    sentence_of,
)
from models.links.gate import digest_of
from settings import read_settings
from tests.mailbox import BASE
from tests.uploads import upload

DAY_MS = 86_400_000
MINUTE_MS = 60_000
TEXT = "A text."


@pytest.fixture
def mails(instance, runtime):
    """A service that sends mail, which waits in the database."""
    config = {"SMTP_URL": "smtp://localhost:25?from=docs@example.org&tls=off", "BASE_URL": BASE}
    server = read_settings({}, config, instance).smtp_url
    runtime.settings = replace(runtime.settings, smtp_url=server, base_url=BASE)
    return runtime


@pytest.fixture
def document(mails, alice):
    return upload(alice, name="Offer.pdf")


def link_to(target, **terms):
    return DocumentToken.issue(target, LinkOptions(notifies_owner=True, **terms))


def open_by(issued, target, name=""):
    """Open a link as somebody of this name does."""
    current_actor.set({"via": "document_token", "tokenId": issued.row.id})
    grant = TokenGrant.of_secret(issued.secret)
    if name:
        proof = Proof(name=name, accept=digest_of(TEXT))
        grant = grant.accept_proof(target, proof, "")
    grant.count_view(target, "document.viewed")


def visits(owner):
    return [one for one in Event.select() if one.type == "token.visited"]


def test_a_stranger_who_opens_a_link_again_and_again_is_one_visit_a_day(alice, document, clock):
    issued = link_to(document)
    for _ in range(20):
        open_by(issued, document)
    assert len(visits(alice)) == 1
    clock(DAY_MS + 1000)
    for _ in range(5):
        open_by(issued, document)
    assert len(visits(alice)) == 2
    assert DocumentToken.find(issued.row.id).views == 25


@pytest.mark.slow
def test_a_thousand_openings_by_a_stranger_are_one_mail(alice, document):
    issued = link_to(document)
    Webhook.mailing_to(alice.id, "alice@example.com").answer(wanted=True)
    for _ in range(1_000):
        open_by(issued, document)
    (webhook,) = Webhook.select()
    assert webhook.waiting() == 1


def test_each_name_is_one_visit_in_24_hours_of_a_link(alice, document):
    issued = link_to(document, agreement=TEXT)
    other = link_to(document, agreement=TEXT)
    for name in ("Eve", "Ben", "EVE", "Eve", " Ben"):
        open_by(issued, document, name)
        open_by(other, document, name)
    assert len(visits(alice)) == 4


def test_however_many_names_are_200_visits_of_a_link_a_day(alice, clock):
    def permitted(link_id, first, last):
        with transaction(alice.id):
            names = [f"name {number}" for number in range(first, last)]
            return sum(MailLimit.permits_notice(link_id, name) for name in names)

    assert permitted("tok_1", 0, 210) == 200
    assert permitted("tok_1", 300, 310) == 0
    assert permitted("tok_2", 0, 10) == 10
    clock(DAY_MS + 1000)
    assert permitted("tok_1", 0, 10) == 10


def test_notices_are_at_most_half_of_the_mails_of_an_account(alice, mails, clock):
    def sent(kind, minutes):
        count = 0
        for minute in range(*minutes):
            clock(minute * MINUTE_MS)
            with transaction(alice.id):
                count += MailLimit.wait_ms(alice.id, kind, f"{kind}@example.org") == 0
        return count

    assert sent("notice", (0, 30)) == 25  # of 50, in the first week of an account
    assert sent("invitation", (30, 60)) == 25


def test_what_was_counted_for_a_day_is_forgotten(alice, document, clock):
    link = link_to(document)
    open_by(link, document)
    clock(DAY_MS + 1000)
    sweep()
    assert MailLimit.select().count() == 0


def test_whoever_alters_the_choice_in_the_database_is_found(alice, document):
    issued = link_to(document)
    other = DocumentToken.issue(document, LinkOptions())
    text = "(SELECT sealed FROM document_token WHERE id = :other)"
    put_in_place = f"UPDATE document_token SET sealed = {text} WHERE id = :id"
    database.execute_sql(put_in_place, {"id": issued.row.id, "other": other.row.id})
    assert DocumentToken.find(issued.row.id) is None


def test_a_link_whose_service_sends_mail_no_more_opens_without_a_visit(alice, document, mails):
    issued = link_to(document)
    mails.settings = replace(mails.settings, smtp_url=None)
    open_by(issued, document)
    assert visits(alice) == []
    with pytest.raises(Invalid) as refused:
        DocumentToken.edit(alice.id, issued.row.id, notifies_owner=True)
    assert refused.value.pointer == "#/notifyOwner"
    assert not DocumentToken.edit(alice.id, issued.row.id, notifies_owner=False).notifies_owner


def test_a_choice_takes_up_the_webhook_that_the_account_has(alice, document):
    webhook = Webhook.register(alice.id, "mailto:alice@example.com")
    webhook.answer(wanted=True)
    link_to(document)
    (found,) = Webhook.select()
    assert (found.reports_visits, found.reports_all_links) == (True, True)
    found.edit(enabled=False)
    link_to(document)
    assert Webhook.find(found.id).disabled_at is None


def test_an_address_that_does_not_answer_is_asked_again_once_a_day(alice, document, clock):
    asked = []
    for hours in (0, 1, 2, 25, 26):
        clock(hours * 3_600_000)
        link_to(document)
        asked.append(database.execute_sql("SELECT count(*) FROM mail").fetchone()[0])
    assert asked == [1, 1, 1, 2, 2]


def line_about(owner, type):
    event = [one for one in Event.select() if one.type == type][-1]
    return line_of(event, sentence_of(event)).split("  ")[1:]


def test_each_event_of_a_link_is_a_sentence_with_its_names(alice, document):
    collection = Collection.make(alice.id, "Offers", document_ids=[document.id])
    issued = link_to(document, label="the board", max_views=1)
    open_by(issued, document)
    link_to(collection)
    Event.record(
        alice.id,
        "token.refused",
        {"document_id": document.id, "token_id": issued.row.id, "reason": "code", "count": 3},
    )
    holder, page = "Somebody with the link for “the board”", f"{BASE}/app"
    assert line_about(alice, "token.visited") == [
        f"{holder} opened “Offer.pdf”",
        f"{page}/documents/{document.id}",
    ]
    assert line_about(alice, "token.spent") == [
        "The link for “the board” to “Offer.pdf” has ended",
        f"{page}/links/{issued.row.id}",
    ]
    assert line_about(alice, "token.refused")[0] == (
        "The link for “the board” to “Offer.pdf” refused someone, "
        "as the code was wrong or too old, 3 times"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb\tc  d", "a b c d"),
        ("\u202egnp.exe", "gnp.exe"),
        ("报告 عرض.pdf", "报告 عرض.pdf"),
        ("x" * 255, "x" * 200),
    ],
)
def test_a_name_stands_in_one_line_and_reorders_nothing(alice, mails, name, shown):
    document = upload(alice, name=name)
    open_by(link_to(document), document)
    assert line_about(alice, "token.visited")[0] == f"Somebody opened “{shown}”"


def test_what_is_deleted_by_now_is_said_without_names(alice, document):
    issued = link_to(document)
    open_by(issued, document)
    delete_document(document)
    assert line_about(alice, "token.visited")[0] == "A link was opened"
    assert line_about(alice, "token.visited")[1].startswith(BASE)


def test_where_there_are_no_pages_nobody_could_agree_so_the_choice_is_refused(
    alice, document, mails
):
    mails.settings = replace(mails.settings, console="off")
    with pytest.raises(Invalid) as refused:
        LinkOptions.of(notifies_owner=True)
    assert refused.value.pointer == "#/notifyOwner"

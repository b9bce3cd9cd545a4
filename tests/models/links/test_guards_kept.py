"""The rows that guarded links leave: how many, how long, and what finds that they were altered."""

from dataclasses import replace

import pytest

from models import Event, Webhook, WebhookDelivery, current_runtime, database
from models.account_deletion import delete_account, finish_deletions
from models.background import sweep
from models.core import OPENINGS, QuotaExceeded, TooManyRequests
from models.documents import Collection
from models.links import (
    DocumentToken,
    LinkOptions,
    Opening,
    Proof,
    Recipient,
    TokenGrant,
    agreements,
    delete_collection,
    delete_document,
    opening,
    recipient,
)
from models.links.gate import digest_of
from models.runtime.rate_limiter import RateLimiter
from operations import verification
from tests.uploads import upload

TABLES = "recipient", "opening", "kept_text"
DAY_MS = 86_400_000


@pytest.fixture
def document(alice):
    return upload(alice)


def open_link(target, text="A text."):
    """A link to the target, which somebody has opened and asked for a code."""
    issued = DocumentToken.issue(target, LinkOptions(agreement=text))
    open_by(issued, target, text)
    Recipient.draw_code(target, issued.row.id, "ana@example.org")
    return issued.row


def open_by(issued, target, text="A text."):
    grant = TokenGrant.of_secret(issued.secret)
    proof = Proof(name="Ana", accept=digest_of(text))
    grant.accept_proof(target, proof, "").count_view(target, "document.viewed")


def count(table):
    return database.execute_sql(f"SELECT count(*) FROM {table}").fetchone()[0]


def counts():
    return [count(table) for table in TABLES]


@pytest.mark.parametrize(
    "change",
    [
        "recipient SET code_failures = 4",
        "recipient SET code_until = code_until + 1",
        "recipient SET digest = 'x'",
        "opening SET recipient_id = 'rcp_x'",
        "opening SET sequence = 1 + sequence",
        "opening SET created_at = 1 + created_at",
        "document_token SET sealed = NULL",
    ],
)
def test_who_may_open_and_who_has_opened_is_bound(document, change):
    open_link(document)
    assert verification.check_rows() == []
    to_whom = " WHERE code_until > 0" if change.startswith("recipient") else ""
    database.execute_sql(f"UPDATE {change}{to_whom}")
    assert len(verification.check_rows()) == 1


@pytest.mark.parametrize("table", TABLES)
def test_what_is_sealed_in_them_is_opened_by_the_deep_check(document, table):
    open_link(document)
    assert verification.check_contents() == []
    database.execute_sql(f"UPDATE {table} SET sealed = zeroblob(60)")
    assert len(verification.check_contents()) == count(table)


def test_of_those_who_were_sent_codes_by_a_link_the_oldest_go_where_there_are_too_many(
    document, monkeypatch
):
    token = open_link(document)
    monkeypatch.setattr(recipient, "MOST_RECIPIENTS", 3)
    for number in range(5):
        Recipient.draw_code(document, token.id, f"{number}@example.org")
    sweep()
    assert count("recipient") == 3


def test_a_link_that_was_opened_too_often_opens_no_more_and_loses_no_proof(document, monkeypatch):
    monkeypatch.setattr(opening, "MOST_OPENINGS", 3)
    issued = DocumentToken.issue(document, LinkOptions(agreement="A text."))
    for _ in range(3):
        open_by(issued, document)
    first = Opening.select().order_by(Opening.id).first()
    with pytest.raises(QuotaExceeded, match="Ask its sender for a new one"):
        open_by(issued, document)
    sweep()
    assert first.receipt()
    assert (count("opening"), DocumentToken.find(issued.row.id).views) == (3, 3)
    assert Event.feed(document.owner_id, 100, None, type="agreement.accepted")[0][-1].sequence
    open_link(document)  # another link of the same document


def test_a_link_is_opened_so_often_in_an_hour_and_others_go_on(document, monkeypatch):
    limit = replace(OPENINGS, count=2)
    monkeypatch.setattr(current_runtime(), "opening_limiter", RateLimiter(limit))
    issued = DocumentToken.issue(document, LinkOptions(agreement="A text."))
    for _ in range(2):
        open_by(issued, document)
    with pytest.raises(TooManyRequests, match="openings of this link"):
        open_by(issued, document)
    open_link(document)


def test_an_opening_stays_while_a_delivery_keeps_its_event(alice, document, runtime, clock):
    hook = Webhook.register(alice.id, "https://hook.example/", ("agreement.accepted",)).row
    open_link(document)
    clock((runtime.settings.event_days + 2) * DAY_MS)
    sweep()
    assert Event.feed(alice.id, 10, None, type="agreement.accepted")[0]
    assert count("opening") == 1
    WebhookDelivery.update(due_at=None).where(WebhookDelivery.webhook_id == hook.id).execute()
    sweep()
    assert Event.feed(alice.id, 10, None, type="agreement.accepted")[0] == []
    sweep()
    assert count("opening") == 0


def test_openings_are_kept_as_long_as_events(document, runtime, clock):
    open_link(document)
    for days, left in ((runtime.settings.event_days - 1, 1), (runtime.settings.event_days + 2, 0)):
        clock(days * DAY_MS)
        sweep()
        assert count("opening") == left


def test_a_target_keeps_so_many_texts(document, monkeypatch):
    monkeypatch.setattr(agreements, "MOST_TEXTS", 2)
    for text in ("One.", "Two.", "One."):
        open_link(document, text)
    with pytest.raises(QuotaExceeded):
        open_link(document, "Three.")
    assert count("kept_text") == 2


def test_what_is_deleted_leaves_none_of_them(alice, document):
    collection = Collection.make(alice.id, "A title", document_ids=[document.id])
    other = upload(alice)
    for target in (document, collection, other):
        open_link(target)
    assert counts() == [6, 3, 3]  # each link has a recipient who stands for all others
    delete_collection(collection)
    assert counts() == [4, 2, 2]
    delete_document(document)
    assert counts() == [2, 1, 1]
    delete_account(alice)
    finish_deletions()
    assert counts() == [0, 0, 0]

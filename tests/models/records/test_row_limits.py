"""Rows of one user that are no payloads: at most so many live ones, and as many ended ones."""

import re
from dataclasses import replace

import pytest

from models import (
    ApiKey,
    Document,
    DocumentToken,
    Event,
    Session,
    Webhook,
    WebhookDelivery,
    database,
    transaction,
)
from models.background import sweep
from models.core import NotFound, QuotaExceeded, now
from models.events import EVENT_TYPES
from models.links import LinkOptions, count_view, delete_document
from models.runtime.quota import Quota
from models.setup import MIGRATIONS
from tests.service import ROOT
from tests.uploads import upload

LIMITS = {
    "quota_links": 3,
    "quota_api_keys": 3,
    "quota_sessions": 3,
    "quota_webhooks": 2,
    "quota_events": 10,
    "quota_deliveries": 4,
}


@pytest.fixture(autouse=True)
def limits(runtime):
    runtime.settings = replace(runtime.settings, **LIMITS)


def share(document, **options):
    options = {"expires_at": None, "max_views": None} | options
    return DocumentToken.issue(document, LinkOptions(None, "view", "", **options)).row


def use_up(link):
    count_view(link.target, link.id, "document.viewed")


def new_key(owner, expires_at=None):
    return ApiKey.issue(owner, None, "documents:read", expires_at).row


def rows(table, owner):
    return table.select().where(table.owner_id == owner.id).count()


def test_expired_used_up_and_revoked_links_do_not_count(alice, clock):
    document = upload(alice)
    share(document, expires_at=now() + 1000)
    share(document).revoke()
    use_up(share(document, max_views=1))
    for _ in range(2):
        share(document)
    clock(2000)

    share(document)
    with pytest.raises(QuotaExceeded):
        share(document)


def test_an_ended_link_is_not_revived_beyond_the_limit(alice, clock):
    document = upload(alice)
    expired, spent = share(document, expires_at=now() + 1000), share(document, max_views=1)
    use_up(spent)
    clock(2000)
    links = [share(document) for _ in range(3)]

    with pytest.raises(QuotaExceeded):
        DocumentToken.edit(document.owner_id, expired.id, expires_at=None)
    with pytest.raises(QuotaExceeded):
        DocumentToken.edit(document.owner_id, spent.id, max_views=2)
    links[0].revoke()
    DocumentToken.edit(document.owner_id, spent.id, max_views=2)


def test_of_ended_links_the_newest_are_kept(alice, bob):
    document, live = upload(alice), []
    for _ in range(5):
        share(document).revoke()
        use_up(share(document, max_views=1))
    live = share(document)
    kept_of_bob = share(upload(bob))
    kept_of_bob.revoke()
    sweep()

    assert rows(DocumentToken, alice) == 3 + 1
    assert DocumentToken.one_of_target(document, live.id)
    assert DocumentToken.find(kept_of_bob.id)


def test_live_api_keys_are_limited_and_dead_ones_do_not_count(alice, clock):
    keys = [new_key(alice, now() + 1000), new_key(alice), new_key(alice)]
    with pytest.raises(QuotaExceeded, match="3 API keys"):
        new_key(alice)
    clock(2000)
    new_key(alice)
    keys[1].revoke()
    new_key(alice)


def test_of_many_sessions_beyond_a_lower_limit_the_oldest_hundred_end_with_each_new_one(
    alice, bob, runtime
):
    low, runtime.settings = runtime.settings, replace(runtime.settings, quota_sessions=1000)
    of_bob = Session.begin(bob, 60)
    ids = [Session.begin(alice, 60).id for _ in range(210)]
    runtime.settings = low
    for ended in (100, 200, 210):
        ids.append(Session.begin(alice, 60).id)
        left = {one.id for one in Session.all_newest_first()} - {of_bob.id}
        assert left == set(ids[ended:])


def test_no_transaction_forgets_very_many_events(alice, changed_rows):
    with transaction():
        for _ in range(1200):
            Event.record(alice.id, "webhook.test", {})
    changed_rows.clear()
    sweep()
    assert rows(Event, alice) == LIMITS["quota_events"]
    assert max(changed_rows) <= 510


def test_of_the_events_of_a_user_the_newest_are_kept(alice, bob):
    ids = [Event.record(alice.id, "webhook.test", {}).id for _ in range(25)]
    Event.record(bob.id, "webhook.test", {})
    sweep()
    assert [event.id for event in Event.feed(alice.id, 100, None)[0]] == ids[-10:]
    assert rows(Event, bob) == 1


def test_an_event_that_is_still_to_be_delivered_is_kept(alice):
    hook = Webhook.register(alice.id, "https://hook.example/", ("document.deleted",)).row
    delete_document(upload(alice))
    for _ in range(20):
        Event.record(alice.id, "webhook.test", {})
    sweep()

    ((delivery,), _) = hook.deliveries(10, None)
    assert Event.is_kept(alice.id, delivery.event_id)
    assert rows(Event, alice) == 20 + 1  # and those after it: a chain has no gaps
    for _ in range(20):
        Event.record(alice.id, "webhook.test", {})
    sweep()

    assert rows(Event, alice) == 3 * 10
    ((delivery,), _) = hook.deliveries(10, None)
    assert delivery.state == "failed"


def test_of_the_deliveries_of_a_webhook_the_newest_are_kept(alice):
    busy, quiet = (
        Webhook.register(alice.id, "https://hook.example/", (one,)).row
        for one in ("webhook.test", "document.created")
    )
    upload(alice)
    for _ in range(9):
        last = Event.record(alice.id, "webhook.test", {})
    sweep()

    assert len(busy.deliveries(100, None)[0]) == 4
    assert busy.deliveries(100, None)[0][0].event_id == last.id
    assert len(quiet.deliveries(100, None)[0]) == 1


def test_a_quota_of_bytes_alone_limits_documents_too():
    for size, most in ((1000, 1000), (10 << 20, 10 << 10)):
        quota = Quota(bytes=size)
        quota.require(0, most - 1, 0)
        with pytest.raises(QuotaExceeded, match=f"{most:,} documents"):
            quota.require(0, most, 0)
    Quota(bytes=1000, documents=2000).require(0, 1999, 0)


def test_all_rows_of_a_user_stay_within_the_bound_of_the_settings(alice, runtime):
    """What docs/operating.md promises, after everything was made and ended many times."""
    runtime.quota = Quota(documents=5)
    hooks = [Webhook.register(alice.id, "https://hook.example/").row for _ in range(2)]
    for _ in range(12):
        document = upload(alice, link=LinkOptions())
        for _ in range(3):
            share(document)
        with pytest.raises(QuotaExceeded):
            share(document)
        delete_document(document)
        new_key(alice).revoke()
        Session.begin(alice, 60)
    for _ in range(5):
        upload(alice, link=LinkOptions())
    sweep()

    assert rows(Document, alice) == 5
    assert rows(DocumentToken, alice) <= 5 + 2 * LIMITS["quota_links"]
    assert rows(ApiKey, alice) <= 2 * LIMITS["quota_api_keys"]
    assert rows(Session, alice) == LIMITS["quota_sessions"]
    assert rows(WebhookDelivery, alice) <= len(hooks) * LIMITS["quota_deliveries"]
    pending = LIMITS["quota_webhooks"] * LIMITS["quota_deliveries"]
    assert rows(Event, alice) <= LIMITS["quota_events"] + pending
    with pytest.raises(NotFound):
        Document.one_of(alice.id, document.id)


def test_the_page_for_operators_states_a_bound_for_each_table_of_the_database(instance):
    page = (ROOT / "docs" / "operating.md").read_text()
    section = page.partition("### What one user can store")[2].partition("\n**")[0]
    rows = re.findall(r"^\| ([^|]+) \| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|$", section, re.M)
    stated = {table for _, tables, _, _ in rows for table in re.findall(r"`(\w+)`", tables)}
    on_server = (ROOT / MIGRATIONS / "postgres" / "schema.txt").read_text()
    there = {*database.get_tables(), *re.findall(r"^table (\w+) = ", on_server, re.M)}

    assert stated == there


def size_bytes(row):
    """Of all columns of a row, numbers as the eight bytes they take at most."""
    values = row.__data__.values()
    texts = [one.encode() if isinstance(one, str) else one for one in values if one is not None]
    return sum(8 if isinstance(one, int) else len(one) for one in texts)


def test_the_rows_of_the_longest_names_labels_and_metadata_are_as_short_as_promised(alice):
    widest = "\U0001f600" * 255  # twelve characters each in sealed JSON
    origins = " ".join(f"https://{n:03}".ljust(261, "x") for n in range(32))
    options = LinkOptions(widest, "view download", origins, now() + 60_000, 9, "x" * 100)
    document = upload(
        alice, content_type="a/" + "b" * 253, name=widest, metadata={"a": "\x01" * 4095}
    )
    token = DocumentToken.issue(document, options).row
    key = ApiKey.issue(alice, widest, "documents:read " * 16, now() + 60_000).row
    hook = Webhook.register(
        alice.id, "https://hook.example/".ljust(2048, "x"), EVENT_TYPES, widest
    ).row
    event = Event.record(alice.id, "webhook.test", {"content_type": '"' * 255})
    delivery = WebhookDelivery.get()
    history = [[now(), None, 15_000, "x" * 200]] * 10
    result = {"answer": "\x01" * 1024, "error": "x" * 200, "attempts_kept": history}
    with transaction(alice.id):
        delivery.change(**result)

    assert size_bytes(Document.find(document.id)) < 32 << 10
    assert size_bytes(DocumentToken.find(token.id)) < 16 << 10
    assert size_bytes(key) < 4 << 10
    assert size_bytes(Session.begin(alice, 60).row) < 256
    assert size_bytes(hook) < 16 << 10
    assert size_bytes(event) < 1 << 10
    assert size_bytes(delivery) < 10 << 10

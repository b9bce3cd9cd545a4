"""Views of a link that asks and limits nothing are noted as readings are, and recorded soon."""

import threading
from dataclasses import replace

import pytest

from models import DocumentToken, Event, connected, current_runtime, database, transaction
from models.core import Invalid, TargetChanged, TokenSpent
from models.documents import Collection
from models.events import current_actor
from models.links import (
    LinkOptions,
    TokenGrant,
    count_view,
    delete_collection,
    delete_document,
    link_of_owner,
    links_by_target,
    links_of_owner,
    listed_link,
)
from models.links.gate import Gate
from models.storage import engine
from settings import read_settings
from tests.mailbox import BASE
from tests.uploads import upload

TERMS = [
    {"max_views": 9},
    {"password_digest": "a digest"},
    {"gate": Gate(recipients=("eve@example.org",))},
    {"gate": Gate(agreement="A text.")},
    {"gate": Gate(watermark=True)},
    {"notifies_owner": True},
]


@pytest.fixture
def document(alice):
    return upload(alice)


@pytest.fixture
def mails(instance, runtime):
    """A service that sends mail, so that the first opening of a link is an event."""
    config = {"SMTP_URL": "smtp://localhost:25?from=docs@example.org&tls=off", "BASE_URL": BASE}
    server = read_settings({}, config, instance).smtp_url
    runtime.settings = replace(runtime.settings, smtp_url=server, base_url=BASE)


@pytest.fixture
def syncs(monkeypatch):
    """The syncs to disk that were asked for."""
    asked = []
    monkeypatch.setattr(engine(), "sync", asked.append)
    return asked


def link_to(target, **terms):
    return DocumentToken.issue(target, LinkOptions(**terms))


def view(target, link, times=1, *, actor=None, read=None):
    former = current_actor.set(actor or {"via": "document_token", "tokenId": link.id})
    for _ in range(times):
        count_view(target, link.id, "document.viewed", read)
    current_actor.reset(former)


def stored(link):
    return DocumentToken.find(link.id)


def events(owner, *types):
    found = Event.feed(owner.id, 100, None)[0]
    return [(one.type, one.data.get("count")) for one in found if one.type in types]


def test_a_view_of_a_plain_link_waits_for_no_writer_and_no_disk(document, syncs):
    link = link_to(document).row
    syncs.clear()
    seen = []

    def read():
        with connected():
            view(document, link)
            seen.append(stored(link).views)

    with transaction():
        reader = threading.Thread(target=read)
        reader.start()
        reader.join(20)
        assert seen == [0]
    assert len(syncs) == 1  # of the writer
    Event.record_readings()
    assert (stored(link).views, len(syncs)) == (1, 1)


@pytest.mark.parametrize("terms", TERMS, ids=str)
def test_each_term_of_a_link_has_its_views_counted_before_the_answer(terms, document, syncs):
    link = link_to(document).row
    assert link.is_plain
    with transaction(document.owner_id):
        link.change(**terms)
    assert not stored(link).is_plain
    syncs.clear()
    view(document, link)
    assert (stored(link).views, len(syncs)) == (1, 1)


def test_views_and_the_last_use_follow_with_one_event_a_minute(alice, document, clock):
    link = link_to(document).row
    view(document, link, 3)
    clock(1000)
    view(document, link, 4)
    assert (stored(link).views, stored(link).last_used_at) == (0, None)
    Event.record_readings()
    moment = stored(link).last_used_at
    assert (stored(link).views, moment - stored(link).created_at >= 1000) == (7, True)
    Event.record_merged_readings(all=True)
    assert events(alice, "document.viewed") == [("document.viewed", 1), ("document.viewed", 6)]
    assert stored(link).views == 7


def test_the_first_opening_is_one_event_of_its_reader_behind_the_view(mails, alice, document):
    link = link_to(document).row
    view(document, link, 5)
    Event.record_readings()
    view(document, link, 5)
    Event.record_readings()
    assert events(alice, "document.viewed", "token.opened") == [
        ("document.viewed", 1),
        ("token.opened", None),
    ]
    (opened,) = [one for one in Event.feed(alice.id, 100, None)[0] if one.type == "token.opened"]
    assert opened.data == {
        "documentId": document.id,
        "tokenId": link.id,
        "via": "document_token",
    }


@pytest.mark.parametrize(
    "answer",
    [
        lambda document, link: listed_link(document.owner_id, link.id).views,
        lambda _, link: links_of_owner(link.owner_id, 9, None)[0][0].views,
        lambda document, link: link_of_owner(document.owner_id, link.id).views,
        lambda document, _: DocumentToken.page_of_target(document, 9, None)[0][0].views,
        lambda document, link: DocumentToken.one_of_target(document, link.id).views,
        lambda document, link: DocumentToken.edit(document.owner_id, link.id, label="x").views,
        lambda document, _: 1 if links_by_target([document])[document.id].used_at else 0,
    ],
)
def test_whatever_is_answered_about_a_link_has_the_views_that_were_noted(answer, document):
    link = link_to(document).row
    view(document, link)
    assert answer(document, link) == 1


def test_a_limit_that_is_set_counts_the_views_before(alice, document):
    issued = link_to(document)
    link = issued.row
    view(document, link, 3)
    edited = DocumentToken.edit(alice.id, link.id, max_views=3)
    assert (edited.views, edited.is_used_up) == (3, True)
    with pytest.raises(TokenSpent):
        TokenGrant.of_secret(issued.secret)
    with pytest.raises(TokenSpent):
        view(document, link)


def test_a_limit_counts_the_views_before_also_where_a_writer_is_in_the_way(
    alice, document, monkeypatch
):
    monkeypatch.setattr(Event, "record_readings_of", lambda _: None)  # it gives up after a moment
    link = link_to(document).row
    view(document, link, 3)
    edited = DocumentToken.edit(alice.id, link.id, max_views=3)
    assert (edited.views, edited.is_used_up) == (3, True)


def test_views_stay_due_where_what_they_come_before_fails(alice, document):
    link = link_to(document).row
    view(document, link, 3)
    with pytest.raises(Invalid):
        DocumentToken.edit(alice.id, link.id, permissions=("upload",))
    assert stored(link).views == 0
    Event.record_readings()
    assert stored(link).views == 3
    assert events(alice, "document.viewed") == [("document.viewed", 1)]


def test_a_view_noted_before_a_limit_and_recorded_after_it_ends_the_link(alice, document):
    link = link_to(document).row
    view(document, link, 2)
    taken = current_runtime().unrecorded.take_due_of_owner(alice.id)
    DocumentToken.edit(alice.id, link.id, max_views=2)
    current_runtime().unrecorded.put_back(alice.id, taken)
    Event.record_readings()
    assert (stored(link).views, stored(link).spent_at is None) == (2, False)
    assert events(alice, "token.spent") == [("token.spent", None)]


def test_a_link_that_was_revoked_or_turned_off_meanwhile_shows_nothing(alice, document):
    off, revoked = link_to(document).row, link_to(document).row
    DocumentToken.edit(alice.id, off.id, enabled=False)
    revoked.revoke()
    for link in (off, revoked):
        with pytest.raises(TokenSpent):
            view(document, link)


def test_the_views_before_a_revocation_are_events_before_it(mails, alice, document):
    link = link_to(document).row
    view(document, link)
    link.revoke()
    types = [one.type for one in Event.feed(alice.id, 100, None)[0]]
    assert types[-3:] == ["document.viewed", "token.opened", "token.revoked"]
    assert stored(link).views == 1


@pytest.mark.parametrize("in_collection", [False, True])
def test_the_views_before_a_deletion_are_events_before_it(mails, alice, document, in_collection):
    target = Collection.make(alice.id, "Offer", document_ids=[]) if in_collection else document
    link = link_to(target).row
    view(target, link)
    delete = delete_collection if in_collection else delete_document
    delete(target)
    types = [one.type for one in Event.feed(alice.id, 100, None)[0]]
    deleted = "collection.deleted" if in_collection else "document.deleted"
    assert types[-4:] == ["document.viewed", "token.opened", deleted, "token.revoked"]
    assert stored(link).views == 1


def test_views_of_a_link_whose_document_is_deleted_are_counted_and_its_words_stay_gone(
    alice, document
):
    link = link_to(document, label="for Carl").row
    view(document, link, 2)
    delete_document(document)
    Event.record_readings()
    found = stored(link)
    assert (found.views, found.label, found.revoked_at is None) == (2, None, False)


def test_views_of_a_row_that_is_gone_or_altered_hinder_no_other(alice, document):
    gone, altered, kept = (link_to(document).row for _ in range(3))
    for link in (gone, altered, kept):
        view(document, link)
    DocumentToken.delete().where(DocumentToken.id == gone.id).execute()
    DocumentToken.update(last_used_at=7).where(DocumentToken.id == altered.id).execute()
    database.execute_sql("UPDATE document_token SET views = 9 WHERE id = :id", {"id": altered.id})
    Event.record_readings()
    assert stored(kept).views == 1
    assert stored(altered) is None
    assert not current_runtime().unrecorded.owners()


def test_no_view_is_lost_or_doubled_when_recording_fails(alice, document, monkeypatch):
    link = link_to(document).row
    view(document, link, 2)

    def fails(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Event, "_insert_counted", fails)
        Event.record_readings_of(alice.id)
        view(document, link, 3)
        Event.record_readings_of(alice.id)
    assert stored(link).views == 0
    Event.record_readings_of(alice.id)
    assert stored(link).views == 5


def test_a_view_of_a_document_in_a_collection_counts_for_the_link_to_the_collection(alice):
    document = upload(alice)
    collection = Collection.make(alice.id, "Offer", document_ids=[document.id])
    link = link_to(collection).row
    view(collection, link, 2, read=document)
    Event.record_readings()
    assert stored(link).views == 2
    (viewed,) = [one for one in Event.feed(alice.id, 99, None)[0] if one.type == "document.viewed"]
    assert viewed.data["documentId"] == document.id


def test_a_view_of_a_former_target_does_not_make_the_present_one_opened(alice, document, clock):
    link = link_to(document).row
    view(document, link)
    taken = current_runtime().unrecorded.take_due_of_owner(alice.id)
    clock(1000)
    DocumentToken.edit(alice.id, link.id, upload(alice))
    current_runtime().unrecorded.put_back(alice.id, taken)
    Event.record_readings()
    assert not link_of_owner(alice.id, link.id).has_opened_target


@pytest.mark.parametrize(("column", "value"), [("revoked_at", 1), ("masked_token", "dt_x…x")])
def test_a_link_that_was_changed_since_it_was_presented_is_judged_as_it_is_now(
    column, value, document
):
    grant = TokenGrant.of_secret(link_to(document).secret)
    grant.count_view(document, "document.viewed")  # it is as it was
    database.execute_sql(f"UPDATE document_token SET {column} = ?", (value,))
    with pytest.raises(TokenSpent):
        grant.count_view(document, "document.viewed")


def test_a_link_that_leads_elsewhere_since_it_was_presented_counts_no_view(alice, document):
    issued = link_to(document)
    grant = TokenGrant.of_secret(issued.secret)
    DocumentToken.edit(alice.id, issued.row.id, target=upload(alice))
    with pytest.raises(TargetChanged):
        grant.count_view(document, "document.viewed")

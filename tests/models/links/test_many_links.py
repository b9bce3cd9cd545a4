"""How many links a target has, and what the deletion of one with many does."""

from contextlib import contextmanager

import pytest

from models import DocumentToken, Event, transaction
from models.account_deletion import delete_account, finish_deletions
from models.background import end_links
from models.core import NotFound, QuotaExceeded, TokenSpent
from models.documents import Collection, Document, collection, put_back, put_in_bin
from models.links import (
    LinkOptions,
    count_view,
    delete_collection,
    delete_document,
    deletion,
    document_token,
    replace_document,
)
from models.links.deletion import DeletedTarget, end_links_of_deleted
from models.records import table
from tests.uploads import upload

MOST = 3


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(document_token, "MOST_LIVE_LINKS", MOST)
    monkeypatch.setattr("models.links.lists.MOST_LIVE_LINKS", MOST)
    monkeypatch.setattr(collection, "MOST_COLLECTIONS", MOST)


@pytest.fixture
def document(alice):
    return upload(alice)


@pytest.fixture
def other(alice):
    return upload(alice)


@pytest.fixture
def batches_of_two(monkeypatch):
    """Deletions end the rows of links in batches of two."""
    monkeypatch.setattr(deletion, "PAGE_ROWS", 2)
    monkeypatch.setattr(table, "PAGE_ROWS", 2)


def share(target, **options):
    return DocumentToken.issue(target, LinkOptions(**options)).row


def shared(target, count=MOST):
    return [share(target) for _ in range(count)]


def edit(link, target=None, **options):
    return DocumentToken.edit(link.owner_id, link.id, target, **options)


def replace(owner, former):
    """The newer document that takes the place of a former one."""
    newer = upload(owner)
    with transaction(owner.id):
        replace_document(former.id, newer)
    return newer


def targets_of(links):
    return [DocumentToken.find(link.id).target_id for link in links]


def types_of(owner):
    return [event.type for event in Event.feed(owner.id, 200, None)[0]]


@contextmanager
def refused():
    with pytest.raises(QuotaExceeded):
        yield


def test_a_new_link_is_refused_to_a_target_that_has_the_most(alice, document, other):
    title = Collection.make(alice.id, "A title")
    for target in (document, title):
        shared(target)
        with refused():
            share(target)
        assert DocumentToken.live_to(target).count() == MOST
    share(other)


def test_a_link_that_is_led_to_a_target_with_the_most_is_refused(document, other):
    links, moved = shared(document), share(other)
    with refused():
        edit(moved, document)
    assert targets_of([moved]) == [other.id]
    edit(links[0], other)
    edit(moved, document)


@pytest.mark.parametrize(
    ("end", "again"),
    [
        ({"enabled": False}, {"enabled": True}),
        ({"max_views": 1}, {"max_views": 2}),
    ],
    ids=["off", "used up"],
)
def test_a_link_that_would_be_live_again_at_a_target_with_the_most_is_refused(document, end, again):
    links = shared(document)
    edit(links[0], **end)
    if end == {"max_views": 1}:
        count_view(document, links[0].id, "document.viewed")
    share(document)
    with refused():
        edit(links[0], **again)
    edit(links[0], label="It stays as it is")
    links[1].revoke()
    edit(links[0], **again)


def test_an_expired_link_that_would_be_live_again_is_refused(document, clock):
    first = share(document, expires_at=document.created_at + 60_000)
    clock(120_000)
    shared(document)
    with refused():
        edit(first, expires_at=None)


def test_a_link_that_is_off_may_be_led_to_a_target_with_the_most_and_stays_off(document, other):
    shared(document)
    moved = edit(share(other), enabled=False)
    edit(moved, document)
    with refused():
        edit(moved, enabled=True)


def test_more_links_than_the_most_go_on_and_may_be_changed(document, monkeypatch):
    links = shared(document)
    monkeypatch.setattr(document_token, "MOST_LIVE_LINKS", 1)
    edit(links[0], label="A label")
    put_in_bin(document.owner_id, [document.id])
    put_back(document.owner_id, [document.id])
    assert DocumentToken.live_to(document).count() == MOST


def test_a_newer_version_gets_all_live_links_and_the_newest_others_up_to_the_most(
    alice, document, monkeypatch
):
    ended = [edit(link, enabled=False) for link in shared(document)]
    live = shared(document, 2)
    newer = replace(alice, document)
    assert targets_of(live) == [newer.id] * 2
    assert targets_of(ended) == [document.id] * 2 + [newer.id]
    monkeypatch.setattr(document_token, "MOST_LIVE_LINKS", 1)
    monkeypatch.setattr("models.links.lists.MOST_LIVE_LINKS", 1)
    newest = replace(alice, newer)
    assert targets_of(live) == [newest.id] * 2


def test_a_document_in_the_most_collections_is_refused_by_the_next_one(alice, document, other):
    made = [Collection.make(alice.id, "A", document_ids=[document.id]) for _ in range(MOST)]
    with refused():
        Collection.make(alice.id, "B", document_ids=[other.id, document.id])
    empty = Collection.make(alice.id, "C")
    with refused():
        Collection.edit(alice.id, empty.id, add=[document.id])
    Collection.edit(alice.id, made[0].id, add=[document.id], title="It is in there already")
    Collection.edit(alice.id, made[0].id, remove=[document.id])
    Collection.edit(alice.id, empty.id, add=[document.id])


def test_a_newer_version_takes_its_place_in_as_many_collections(
    alice, document, other, monkeypatch
):
    ids = [other.id, document.id, upload(alice).id]
    made = [Collection.make(alice.id, "A", document_ids=ids) for _ in range(MOST)]
    monkeypatch.setattr(collection, "MOST_COLLECTIONS", 1)
    newer = replace(alice, document)
    for one in made:
        stored = Collection.one_of(alice.id, one.id)
        assert stored.document_ids == [ids[0], newer.id, ids[2]]
        assert stored.indexed_ids() == set(stored.document_ids)
    assert types_of(alice)[-2:] == ["collection.removed", "collection.added"]


def test_the_rows_of_few_links_end_with_their_target(alice, document):
    links = shared(document, 2)
    delete_document(document)
    assert all(DocumentToken.find(link.id).revoked_at for link in links)
    assert DeletedTarget.select().count() == 0


@pytest.mark.parametrize("kind", ["document", "collection"])
def test_many_links_of_a_deleted_target_open_nothing_at_once_and_are_revoked_later(
    alice, batches_of_two, kind
):
    target = upload(alice) if kind == "document" else Collection.make(alice.id, "A")
    links = shared(target)
    delete = {"document": delete_document, "collection": delete_collection}[kind]
    delete(target)
    assert not any(DocumentToken.find(link.id).revoked_at for link in links)
    for link in links:
        with pytest.raises(TokenSpent):
            count_view(target, link.id, f"{kind}.viewed")
        with pytest.raises(NotFound):
            edit(link, label="A label")
    end_links()
    stored = [DocumentToken.find(link.id) for link in links]
    assert all(link.revoked_at and link.kept_secret is None for link in stored)
    assert types_of(alice)[-MOST - 1 :] == [f"{kind}.deleted"] + ["token.revoked"] * MOST
    assert DeletedTarget.select().count() == 0


def test_a_deletion_of_many_links_that_was_interrupted_goes_on(
    alice, document, batches_of_two, monkeypatch
):
    links = shared(document)
    delete_document(document)
    calls = []
    revoke_all = DocumentToken.revoke_all

    def fail_the_second_time(condition):
        calls.append(condition)
        if len(calls) == 2:
            raise ZeroDivisionError
        revoke_all(condition)

    monkeypatch.setattr(DocumentToken, "revoke_all", fail_the_second_time)
    with pytest.raises(ZeroDivisionError):
        end_links_of_deleted()
    assert [DocumentToken.find(link.id).revoked_at is None for link in links] == [
        False,
        False,
        True,
    ]
    end_links_of_deleted()
    assert all(DocumentToken.find(link.id).revoked_at for link in links)
    assert types_of(alice).count("token.revoked") == MOST


def test_a_row_that_somebody_has_added_ends_no_link_of_a_target_that_is_there(alice, document):
    links = shared(document)
    DeletedTarget.insert(id=document.id, created_at=0, owner_id=alice.id).execute()
    end_links()
    assert not any(DocumentToken.find(link.id).revoked_at for link in links)
    assert DeletedTarget.select().count() == 0


def test_an_account_is_deleted_while_links_of_its_documents_wait_for_their_end(
    alice, document, batches_of_two
):
    shared(document)
    delete_document(document)
    delete_account(alice)
    finish_deletions()
    assert DeletedTarget.select().count() == 0
    end_links()
    assert Document.find(document.id) is None


def test_no_transaction_of_a_deletion_changes_more_rows_than_a_batch(
    alice, document, batches_of_two, changed_rows
):
    shared(document)
    delete_document(document)
    end_links()
    assert max(changed_rows) <= 10  # two links with an event each, and the head of the log

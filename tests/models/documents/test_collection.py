"""Collections: lists that are sealed, changed under the owner's lock, and tell each change."""

from dataclasses import replace

import pytest

from crypto import DecryptionError
from models import Collection, Document, DocumentToken, Event, connected, database
from models.background import sweep
from models.core import (
    Invalid,
    NotFound,
    PayloadTooLarge,
    QuotaExceeded,
    TargetChanged,
    TokenRevoked,
    now,
)
from models.documents import MOST_DOCUMENTS
from models.links import (
    LinkOptions,
    TokenGrant,
    count_view,
    delete_collection,
    delete_document,
    links_of_owner,
    receive,
)
from operations import check_contents, checkpoint, rotate_root_keys, verify_log
from tests.uploads import Sent, upload
from tests.waiting import run_in_threads


@pytest.fixture
def documents(alice):
    return [upload(alice, bytes(10 + number), name=f"{number}.txt") for number in range(3)]


@pytest.fixture
def collection(documents):
    return made_of(documents)


def made_of(documents, **fields):
    return Collection.make(
        documents[0].owner_id, "Offer", document_ids=[one.id for one in documents], **fields
    )


def link(target, **terms):
    return DocumentToken.issue(target, LinkOptions(permissions="view", **terms))


def told(owner, after=0):
    """Type, document and what changed, of each event behind so many."""
    events, _ = Event.feed(owner.id, 1000, None)
    facts = [(one.type, one.data) for one in events[after:]]
    return [(type, data.get("documentId"), data.get("changed")) for type, data in facts]


def again(collection):
    return Collection.one_of(collection.owner_id, collection.id)


def names(collection):
    return [one.name for one in again(collection).documents]


def test_its_making_is_told_with_each_document_and_its_link(alice, documents):
    before = len(told(alice))
    ids = [one.id for one in documents]
    issued = link(Collection.make(alice.id, "Offer", document_ids=ids))

    assert told(alice, before) == [
        ("collection.created", None, None),
        *(("collection.added", id, None) for id in ids),
        ("token.created", None, None),
    ]
    events, _ = Event.feed(alice.id, 1000, None, collection_id=issued.collection_id)
    assert {one.data["collectionId"] for one in events} == {issued.row.target_id}
    assert len(events) == 5
    assert "Offer" not in "".join(one.body for one in events)


def test_documents_are_added_removed_and_ordered_but_never_replaced(alice, collection, documents):
    fourth = upload(alice, name="3.txt")
    first, second, third = (one.id for one in documents)
    before = len(told(alice))

    changes = {"add": [first, fourth.id], "remove": [second, "doc_unknown"], "order": [third]}
    Collection.edit(alice.id, collection.id, **changes, title="Better")

    assert names(collection) == ["2.txt", "0.txt", "3.txt"]
    assert told(alice, before) == [
        ("collection.removed", second, None),
        ("collection.added", fourth.id, None),
        ("collection.updated", None, ["title", "order"]),
    ]


def test_a_change_to_what_is_so_already_is_not_told(alice, collection, documents):
    before = told(alice)
    Collection.edit(alice.id, collection.id, title="Offer", add=[documents[0].id], remove=["doc_x"])
    assert told(alice) == before


def test_a_collection_has_at_most_200_documents(alice, monkeypatch, collection):
    assert MOST_DOCUMENTS == 200
    monkeypatch.setattr("models.documents.collection.MOST_DOCUMENTS", 3)
    with pytest.raises(Invalid) as refused:
        Collection.edit(alice.id, collection.id, add=[upload(alice).id])
    assert refused.value.pointer == "#/add"


def test_a_full_collection_takes_not_even_an_empty_file(alice, monkeypatch, collection):
    monkeypatch.setattr("models.documents.collection.MOST_DOCUMENTS", 3)
    options = LinkOptions(permissions="upload", max_views=1)
    grant = TokenGrant.of_secret(DocumentToken.issue(collection, options).secret)
    with pytest.raises(PayloadTooLarge, match="room for 0 more bytes"):
        receive(grant, Sent((), 0), "text/plain", "a.txt", "")


def test_the_collections_of_a_user_are_limited(alice, bob, runtime, collection):
    runtime.settings = replace(runtime.settings, quota_collections=1)
    with pytest.raises(QuotaExceeded, match="1 is the most"):
        Collection.make(alice.id, "One more")
    Collection.make(bob.id, "The first")


def test_a_deleted_or_expired_document_leaves_its_collections_first(
    alice, documents, collection, clock
):
    other = made_of(documents[:2])
    before = len(told(alice))
    delete_document(documents[0])
    assert told(alice, before) == [
        ("collection.removed", documents[0].id, None),
        ("collection.removed", documents[0].id, None),
        ("document.deleted", documents[0].id, None),
    ]
    Document.edit(alice.id, documents[1].id, expires_at=now() + 1000)
    clock(2000)
    assert names(other) == []  # also before the sweeper has come
    sweep()
    assert told(alice)[-2:] == [
        ("collection.removed", documents[1].id, None),
        ("document.expired", documents[1].id, None),
    ]
    assert again(collection).document_ids == [documents[2].id]
    assert again(other).indexed_ids() == set()


def test_a_collection_that_does_not_open_prevents_no_deletion(collection, documents):
    database.execute_sql("UPDATE collection SET sealed = zeroblob(99)")
    delete_document(documents[0])
    assert Document.find(documents[0].id) is None
    assert Collection.listed(collection.owner_id, 10, None) == ([], None)


def test_deleting_it_ends_its_links_and_leaves_its_documents(alice, collection, documents):
    live, revoked = link(collection), link(collection)
    revoked.row.revoke()
    before = len(told(alice))
    delete_collection(again(collection))

    assert told(alice, before) == [
        ("collection.deleted", None, None),
        ("token.revoked", None, None),
    ]
    assert DocumentToken.find(live.row.id).revoked_at
    assert all(Document.find(one.id) for one in documents)
    assert database.execute_sql("SELECT count(*) FROM collection_document").fetchone() == (0,)
    with pytest.raises(NotFound):
        delete_collection(collection)


def test_documents_that_arrive_at_once_are_all_kept(alice):
    collection = Collection.make(alice.id, "Inbox")

    def send():
        with connected():
            upload(alice, collection=collection)

    run_in_threads(*[send] * 8)
    assert again(collection).document_count == len(again(collection).documents) == 8


COLUMNS = ("owner_id", "sealed_key", "sealed")


def test_columns_of_another_row_do_not_open(alice, bob, collection):
    other = made_of([upload(bob)])
    for column in COLUMNS:
        with database.atomic() as transaction:
            sql = f"UPDATE collection SET {column} = ? WHERE id = ?"
            database.execute_sql(sql, (getattr(other, column), collection.id))
            with pytest.raises(DecryptionError):
                _ = Collection.get_by_id(collection.id).values
            transaction.rollback()


def test_a_row_of_the_index_alone_adds_nothing(alice, collection):
    other = upload(alice)
    row = (other.id, collection.id)
    database.execute_sql("INSERT INTO collection_document VALUES (?, ?)", row)
    assert names(collection) == ["0.txt", "1.txt", "2.txt"]
    with pytest.raises(NotFound):
        again(collection).document(other.id)


def test_several_are_summed_up_without_opening_a_document(alice, collection, monkeypatch):
    empty = Collection.make(alice.id, "Empty")
    listed = [again(collection), again(empty)]
    monkeypatch.setattr(Document, "opened", None)
    Collection.find_totals(listed)
    assert [one.totals for one in listed] == [(3, 10 + 11 + 12), (0, 0)]


def test_label_and_terms_of_its_link_are_changed_as_those_of_a_document(alice, collection):
    issued = link(collection, label="for the auditor")
    row = DocumentToken.edit(collection.owner_id, issued.row.id, label="for them", max_views=3)
    assert (row.label, row.collection_id, row.document_id) == ("for them", collection.id, None)
    assert TokenGrant.of_secret(issued.secret).id == row.id
    (listed,), _ = links_of_owner(alice.id, 10, None, "live")
    assert (listed.label, listed.target_name) == ("for them", "Offer")
    row.revoke()
    with pytest.raises(TokenRevoked):
        DocumentToken.edit(collection.owner_id, row.id, label=None)


def test_what_a_link_no_longer_opens_is_no_view(alice, collection, documents):
    issued = link(documents[0], label="for them", max_views=1)
    DocumentToken.edit(alice.id, issued.row.id, collection)
    with pytest.raises(TargetChanged):
        count_view(documents[0], issued.row.id, "document.viewed")
    count_view(collection, issued.row.id, "document.viewed", documents[1])
    row = DocumentToken.one_of_target(collection, issued.row.id)
    assert (row.views, row.label, row.kept_secret) == (1, "for them", issued.secret)
    assert told(alice)[-2:] == [
        ("document.viewed", documents[1].id, None),
        ("token.spent", None, None),
    ]


def test_keys_are_rotated_checked_and_receipts_hold(alice, collection):
    receipts = checkpoint()
    root = again(collection).root
    rotate_root_keys()
    assert again(collection).root != root
    assert names(collection) == ["0.txt", "1.txt", "2.txt"]
    assert check_contents() == []
    assert verify_log(receipts).breaks == []

    database.execute_sql("UPDATE event SET collection_id = NULL WHERE type = 'collection.created'")
    assert len(verify_log().breaks) == 1
    database.execute_sql("UPDATE collection SET sealed = zeroblob(99)")
    assert check_contents() == [
        f"{collection.id} was altered outside of the service, and is refused."
    ]

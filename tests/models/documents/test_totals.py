"""The totals of an owner's and of a collection's documents are what counting them gives, whatever
has changed them.
"""

import signal
from contextlib import suppress

import pytest

from models import (
    Collection,
    Document,
    connected,
    current_runtime,
    database,
    setup,
    transaction,
)
from models.account_deletion import delete_account, finish_deletions
from models.background import sweep
from models.core import now
from models.documents import (
    correct_total,
    put_back,
    put_in_bin,
    store_as_exported,
    wrong_totals,
)
from models.documents.document import Stored
from models.links import delete_collection, delete_document, delete_for_good
from operations import rotate_root_keys
from tests.forking import run_program
from tests.uploads import Sent, pieces, send, upload

DAY_MS = 24 * 60 * 60 * 1000
HOUR_MS = 60 * 60 * 1000
PROGRAM = """
import os, pathlib, signal, sys
from models import Collection, Document, User, connected, setup
from models.documents import put_in_bin
from models.links import delete_document
from models.runtime import create_runtime
from operations import rotate_root_keys
from settings import Settings
from tests.uploads import upload

folder, address, owner_id, step, is_committed = sys.argv[1:]
create_runtime(Settings(instance_path=pathlib.Path(folder), database=address))
setup.open_runtime()

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

with connected():
    owner = User.find(owner_id)
    document = upload(owner, b"one that is there")
    collection = Collection.make(owner.id, "that lists it", document_ids=[document.id])
    steps = {
        "upload": lambda: upload(owner, b"one more"),
        "bin": lambda: put_in_bin(owner.id, [document.id]),
        "delete": lambda: delete_document(document),
        "list": lambda: Collection.edit(owner.id, collection.id, remove=[document.id]),
        "rotate": rotate_root_keys,
    }
    if is_committed == "no":  # in the transaction, behind the change of the row
        Document.record_event = Collection.record_event = die
        Document.rewrapped = die
    steps[step]()
    die()
"""


class Failed(Exception):
    pass


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def runtime(configure, request):
    if request.param == "sqlite":
        return configure(reserve_bytes=0)
    return request.getfixturevalue("configure_on_server")(reserve_bytes=0)


@pytest.fixture
def documents(alice, bob):
    """Some of Alice's, by what they are; Bob has one."""
    upload(bob, b"of another owner")
    made = {
        "plain": upload(alice, b"plain"),
        "binned": upload(alice, b"in the bin"),
        "ending": upload(alice, b"that ends", expires_at=now() + HOUR_MS),
        "binned and ending": upload(alice, b"of both kinds", expires_at=now() + HOUR_MS),
    }
    for title in ("one list of them", "another one"):
        Collection.make(alice.id, title, document_ids=[one.id for one in made.values()])
    put_in_bin(alice.id, [made["binned"].id, made["binned and ending"].id])
    return made


def recorded(owner):
    """The row of an owner in the table of totals."""
    of_owner = "SELECT documents, size_bytes, binned FROM document_total WHERE owner_id = :id"
    row = database.execute_sql(of_owner, {"id": owner.id}).fetchone()
    return row and Stored(*row)


def counted(owner):
    """What the rows of documents say."""
    rows = Document.rows_as_stored(Document.select().where(Document.owner_id == owner.id))
    binned = [one for one in rows if one.binned_at is not None]
    return Stored(len(rows), sum(one.size for one in rows), len(binned))


def recorded_of_collections():
    """The rows of the table of totals, by the id of the collection."""
    rows = database.execute_sql("SELECT collection_id, documents, size_bytes FROM collection_total")
    return {id: total for id, *total in rows.fetchall()}


def counted_of_collections():
    """What the documents that collections list say, but of those in the bin."""
    found = {}
    for collection in Collection.rows(Collection.select()):
        ids = collection.indexed_ids()
        rows = Document.rows_as_stored(Document.select().where(Document.id.in_(ids)))
        sizes = [one.size for one in rows if one.binned_at is None]
        found[collection.id] = [len(sizes), sum(sizes)]
    return found


def first_of(owner):
    return Collection.rows(Collection.select().where(Collection.owner_id == owner.id))[0]


def change_first(owner, **changes):
    Collection.edit(owner.id, first_of(owner).id, **changes)


def store_listed_document_last(owner, document):
    """As an import of a list whose document comes later."""
    copied = Document.fresh(owner_id=owner.id, content_type="text/plain")
    copied.size, copied.sha256 = document.size, document.sha256
    collection = Collection.fresh(owner_id=owner.id)
    collection.title, collection.documents_listed = "of another instance", [copied.id]
    collection.store_as_exported()
    assert recorded_of_collections()[collection.id] == [0, 0]
    store_as_exported(copied, pieces(b"".join(document.read())))
    assert recorded_of_collections()[collection.id] == [1, document.size]


def upload_that_fails(owner):
    def half():
        yield b"half"
        raise Failed

    with suppress(Failed):
        send(owner, Sent(half(), 8))


def upload_whose_block_fails(owner):
    with suppress(Failed), transaction(owner.id):
        upload(owner, b"rolled back")
        raise Failed


def store_exported(owner, document):
    copied = Document.fresh(owner_id=owner.id, content_type="text/plain")
    copied.size, copied.sha256 = document.size, document.sha256
    copied.binned_at = now()
    store_as_exported(copied, pieces(b"".join(document.read())))


def delete_all_of(owner):
    delete_account(owner)
    finish_deletions()


def sweep_later(clock, span):
    clock(span)
    sweep()


WAYS = {
    "an upload": lambda alice, **_: upload(alice, b"new"),
    "an empty upload": lambda alice, **_: upload(alice, b""),
    "an upload in steps": lambda alice, **_: upload(alice, bytes(5_000_000)),
    "an upload that fails": lambda alice, **_: upload_that_fails(alice),
    "an upload that is rolled back": lambda alice, **_: upload_whose_block_fails(alice),
    "a newer version": lambda alice, of, **_: upload(alice, b"newer", replaces=of["plain"].id),
    "an import into the bin": lambda alice, of, **_: store_exported(alice, of["plain"]),
    "an import of a list before its document": lambda alice, of, **_: store_listed_document_last(
        alice, of["plain"]
    ),
    "into a collection": lambda alice, **_: change_first(alice, add=[upload(alice, b"new").id]),
    "out of a collection": lambda alice, of, **_: change_first(alice, remove=[of["plain"].id]),
    "out of a collection from the bin": lambda alice, of, **_: change_first(
        alice, remove=[of["binned"].id]
    ),
    "the deletion of a collection": lambda alice, **_: delete_collection(first_of(alice)),
    "into the bin": lambda alice, of, **_: put_in_bin(alice.id, [of["plain"].id, of["ending"].id]),
    "into the bin again": lambda alice, of, **_: put_in_bin(alice.id, [of["binned"].id]),
    "out of the bin": lambda alice, of, **_: put_back(alice.id, [one.id for one in of.values()]),
    "a new name": lambda alice, of, **_: Document.edit(alice.id, of["plain"].id, name="other"),
    "another end": lambda alice, of, **_: Document.edit(
        alice.id, of["plain"].id, expires_at=now() + DAY_MS
    ),
    "a deletion": lambda of, **_: delete_document(of["plain"]),
    "a deletion of one that ends": lambda of, **_: delete_document(of["ending"]),
    "a deletion from the bin": lambda alice, of, **_: delete_for_good(alice.id, of["binned"].id),
    "a sweep of what has ended": lambda clock, **_: sweep_later(clock, 2 * HOUR_MS),
    "a sweep of the bin": lambda clock, **_: sweep_later(clock, 2 * DAY_MS),
    "a rotation": lambda **_: rotate_root_keys(),
    "the deletion of the account": lambda alice, **_: delete_all_of(alice),
    "a change by a statement": lambda **_: database.execute_sql(
        "UPDATE document SET size = size + 1, binned_at = NULL"
    ),
    "a deletion by a statement": lambda **_: database.execute_sql(
        "DELETE FROM document WHERE size < 11"
    ),
    "another owner by a statement": lambda alice, bob, **_: database.execute_sql(
        "UPDATE document SET owner_id = :bob WHERE owner_id = :alice",
        {"alice": alice.id, "bob": bob.id},
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_total_is_the_count_after_every_change_of_documents(alice, bob, documents, clock, way):
    before, before_of_collections = recorded(alice), [*recorded_of_collections().values()]

    WAYS[way](alice=alice, bob=bob, of=documents, clock=clock)

    assert before == Stored(4, 37, 2)
    assert before_of_collections == [[2, 14], [2, 14]]
    assert recorded_of_collections() == counted_of_collections()
    assert (recorded(alice) or Stored(0, 0, 0)) == counted(alice)
    assert recorded(bob) == counted(bob)
    assert wrong_totals() == []


def totals_of_first(owner):
    (listed, *_), _ = Collection.listed(owner.id, 20, None)
    return listed.totals


def test_what_has_ended_counts_no_more_before_it_is_deleted(alice, documents, clock):
    assert Document.stored_by(alice.id) == Stored(4, 37, 2)
    assert totals_of_first(alice) == (2, 14)
    clock(2 * HOUR_MS)
    assert totals_of_first(alice) == (1, 5)
    assert Document.stored_by(alice.id) == Stored(2, 15, 1)
    sweep()
    assert Document.stored_by(alice.id) == recorded(alice) == Stored(2, 15, 1)
    assert Document.stored() == (3, 15 + len(b"of another owner"))


def test_the_total_ends_with_the_account(alice, documents):
    delete_all_of(alice)
    assert recorded(alice) is None
    assert Document.stored_by(alice.id) == Stored(0, 0, 0)


def test_a_wrong_total_is_found_and_corrected(alice, bob, documents):
    right = recorded(alice)
    database.execute_sql("UPDATE document_total SET documents = 7")

    found = {one.id: one for one in wrong_totals()}
    assert found.keys() == {alice.id, bob.id}
    assert found[alice.id][1:] == (right._replace(documents=7), right)
    correct_total(alice.id)
    assert [one.id for one in wrong_totals()] == [bob.id]
    assert recorded(alice) == right

    database.execute_sql("DELETE FROM document_total")
    assert [one.recorded for one in wrong_totals()] == [Stored(0, 0, 0)] * 2
    for one in (alice, bob):
        correct_total(one.id)
    assert recorded(alice) == right
    assert wrong_totals() == []


def test_a_wrong_total_of_a_collection_is_found_and_corrected(alice, documents):
    right = recorded_of_collections()
    first, second = right
    database.execute_sql("UPDATE collection_total SET documents = 7")

    found = {one.id: one for one in wrong_totals()}
    assert found.keys() == {first, second}
    assert found[first][1:] == (Stored(7, 14, 0), Stored(2, 14, 0))
    correct_total(first)
    assert [one.id for one in wrong_totals()] == [second]

    database.execute_sql("DELETE FROM collection_total")
    for id in (first, second):
        correct_total(id)
    assert recorded_of_collections() == right


def test_a_corrected_total_of_a_collection_grows_with_documents_that_come_back(alice, documents):
    binned = [one.id for one in Document.rows(Document.select()) if one.owner_id == alice.id]
    put_in_bin(alice.id, binned)
    (first, *_) = recorded_of_collections()
    database.execute_sql("DELETE FROM collection_total")
    correct_total(first)

    put_back(alice.id, binned)

    assert recorded_of_collections() == {first: [4, 37]}


@pytest.mark.slow
@pytest.mark.parametrize("step", ["upload", "bin", "delete", "list", "rotate"])
@pytest.mark.parametrize("is_committed", ["yes", "no"])
def test_kill_9_leaves_a_total_that_is_the_count(
    alice, documents, runtime, tmp_path, step, is_committed
):
    address = runtime.settings.database
    current_runtime().close_database()
    given = (tmp_path, address, alice.id, step, is_committed)
    assert run_program(PROGRAM, *given) == -signal.SIGKILL

    setup.open_runtime()
    with connected():
        assert recorded(alice) == counted(alice)
        assert recorded_of_collections() == counted_of_collections()
        assert wrong_totals() == []

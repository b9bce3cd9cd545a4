"""What a person who can edit the database file can make the service believe: nothing."""

import itertools
import os

import pytest

from crypto import DecryptionError
from models import Document, Event, database
from models.core import NotFound
from models.links import delete_document
from models.runtime import current_runtime
from models.storage.payloads import PIECE_BYTES
from tests.uploads import upload

COLUMNS = ("owner_id", "content_type", "size", "sealed_key", "sealed", "payload_head")
CHUNK = 16384


def read_again(document):
    found = Document.get_by_id(document.id)
    return found.values, b"".join(found.read())


def edit(document, column, value):
    database.execute_sql(f"UPDATE document SET {column} = ? WHERE id = ?", (value, document.id))


def pieces_of(document):
    query = "SELECT number, sealed FROM piece WHERE document_id = ? ORDER BY number"
    return database.execute_sql(query, (document.id,)).fetchall()


def test_columns_taken_from_another_row_do_not_open(alice, bob):
    mine = upload(alice, b"<script>" * 5000, "text/plain", name="plan.txt")
    other = upload(bob, b"x" * 39_999, "text/html", name="b.html")
    for columns in (*itertools.combinations(COLUMNS, 1), *itertools.combinations(COLUMNS, 2)):
        with database.atomic() as transaction:
            for column in columns:
                edit(mine, column, getattr(other, column))
            with pytest.raises(DecryptionError):
                read_again(mine)
            transaction.rollback()
    assert read_again(mine)


def test_whoever_writes_alone_is_shown_what_they_sent_and_what_is_no_secret(alice):
    document = upload(alice, name="plan.txt", metadata={"project": "secret"}, came_by="tok_1")
    document.uploader_id = alice.id

    shown = document.for_writer(["name", "expires_at"])

    assert shown.values == {"given_name": "plan.txt"}
    assert (shown.name, shown.metadata, shown.sha256) == ("plan.txt", {}, "")
    assert (shown.came_by, shown.payload_head, shown.owner_id) == (None, None, None)
    assert (shown.id, shown.size) == (document.id, document.size)


@pytest.mark.parametrize("path", ["/srv/scans", "../x", "a//b", "a\u202e", "x" * 501])
def test_a_path_that_was_stored_before_paths_were_judged_is_no_folder(alice, path):
    stored = upload(alice, b"hello", name="plan.txt", metadata={"path": path})
    document = Document.of_id(stored.id)
    assert (document.metadata, b"".join(document.read())) == ({"path": path}, b"hello")
    assert document.folder == ""


def test_an_edit_returns_the_row_with_all_that_others_have_changed(alice):
    id = upload(alice, name="plan.txt").id
    Document.edit(alice.id, id, metadata={"project": "garden"})

    edited = Document.edit(alice.id, id, name="new.txt")

    assert (edited.name, edited.metadata) == ("new.txt", {"project": "garden"})
    assert Document.one_of(alice.id, id).values == edited.values


def updates(owner):
    """The fields that each event says were changed, and all that the events say."""
    found = [one for one in Event.feed(owner.id, 1000, None)[0] if one.type == "document.updated"]
    return [one.data["changed"] for one in found], "".join(one.body for one in found)


def test_an_event_names_the_fields_that_an_edit_has_changed_and_no_values(alice):
    id = upload(alice, name="plan.txt").id
    Document.edit(alice.id, id, name="new.txt", metadata={"project": "garden"})
    Document.edit(alice.id, id, name="new.txt", expires_at=4_000_000_000_000)
    Document.edit(alice.id, id, metadata=None, expires_at=None)

    changed, told = updates(alice)
    assert changed == [["name", "metadata"], ["expiresAt"], ["metadata", "expiresAt"]]
    for value in ("new.txt", "plan.txt", "project", "garden", "2096-10"):
        assert value not in told


def test_an_edit_to_what_is_so_already_is_no_event(alice):
    id = upload(alice, name="plan.txt", metadata={"project": "garden"}).id
    Document.edit(alice.id, id, name="plan.txt", metadata={"project": "garden"}, expires_at=None)
    Document.edit(alice.id, id)
    other = upload(alice).id
    Document.edit(alice.id, other, metadata={}, name=None)
    assert updates(alice)[0] == []


def test_pieces_swapped_between_documents_do_not_open(alice):
    mine, other = upload(alice, os.urandom(300_000)), upload(alice, os.urandom(300_000))
    [(_, foreign), _] = pieces_of(other)
    query = "UPDATE piece SET sealed = ? WHERE document_id = ? AND number = 0"
    database.execute_sql(query, (foreign, mine.id))
    with pytest.raises(DecryptionError):
        read_again(mine)


def test_a_document_deleted_while_it_is_read_is_absent_and_not_damaged(alice):
    document = upload(alice, os.urandom(2 * PIECE_BYTES))
    pieces = document.read()
    next(pieces)
    delete_document(Document.get_by_id(document.id))
    with pytest.raises(NotFound):
        next(pieces)


def test_a_document_with_an_unknown_root_key_does_not_hide_the_others(alice):
    opens, unknown = upload(alice, b"opens"), upload(alice, b"does not open")
    edit(unknown, "root", "0123456789abcdef")
    assert [one.id for one in Document.matching(alice.id, 10, None)[0]] == [opens.id]
    edit(unknown, "root", unknown.root)
    listed, _ = Document.matching(alice.id, 10, None)
    assert [one.id for one in listed] == [unknown.id, opens.id]


def test_a_deleted_documents_key_is_nowhere_on_disk(alice, instance):
    document = upload(alice, os.urandom(100_000))
    key = bytes(document.sealed_key)
    database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert any(key in path.read_bytes() for path in instance.iterdir())
    delete_document(document)
    assert not any(key in path.read_bytes() for path in instance.iterdir())
    with pytest.raises(NotFound):
        delete_document(document)


@pytest.mark.parametrize("large_bytes", [0, 1 << 30])  # separate pieces in a file; rows
@pytest.mark.parametrize("size", [1, 16384, PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES + 5])
def test_a_payload_reads_the_same_from_its_start_as_from_any_place(
    alice, monkeypatch, size, large_bytes
):
    monkeypatch.setattr(current_runtime(), "large_payload_bytes", large_bytes)
    payload = os.urandom(size)
    document = Document.of_id(upload(alice, payload).id)

    assert b"".join(document.read()) == payload
    for start in {0, 1, size // 2, size - 1, min(PIECE_BYTES, size - 1)}:
        for stop in {start + 1, (start + size + 1) // 2, size}:
            read = b"".join(document.read(start, max(stop, start + 1)))
            assert read == payload[start : max(stop, start + 1)], (start, stop)

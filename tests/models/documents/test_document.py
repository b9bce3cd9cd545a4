"""What a person who can edit the database file can make the service believe: nothing."""

import itertools
import os

import pytest

from crypto import DecryptionError
from models import Document, database
from models.core import Invalid, NotFound
from models.storage.payloads import PIECE_BYTES
from tests.uploads import upload

COLUMNS = ("owner_id", "content_type", "size", "sealed_key", "sealed_meta", "payload_head")
CHUNK = 16384


def read_again(document):
    found = Document.get_by_id(document.id)
    return found.meta, b"".join(found.read())


def edit(document, column, value):
    database.execute_sql(f"UPDATE document SET {column} = ? WHERE id = ?", (value, document.id))


def pieces_of(document):
    query = "SELECT number, sealed FROM piece WHERE document_id = ? ORDER BY number"
    return database.execute_sql(query, (document.id,)).fetchall()


def test_what_was_uploaded_is_read_back_byte_for_byte(alice):
    for size in (0, 1, CHUNK, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 500_000):
        payload = os.urandom(size)
        assert read_again(upload(alice, payload))[1] == payload, size


def test_a_range_reads_only_its_pieces(alice):
    payload = os.urandom(4 * PIECE_BYTES + 7)
    document = upload(alice, payload)
    wanted = "DELETE FROM piece WHERE document_id = ? AND number IN (0, 1, 3, 4)"
    database.execute_sql(wanted, (document.id,))
    start, stop = 2 * PIECE_BYTES + 5, 3 * PIECE_BYTES - 5
    assert b"".join(document.read(start, stop)) == payload[start:stop]


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


def test_pieces_swapped_between_documents_do_not_open(alice):
    mine, other = upload(alice, os.urandom(300_000)), upload(alice, os.urandom(300_000))
    [(_, foreign), _] = pieces_of(other)
    query = "UPDATE piece SET sealed = ? WHERE document_id = ? AND number = 0"
    database.execute_sql(query, (foreign, mine.id))
    with pytest.raises(DecryptionError):
        read_again(mine)


def test_a_damaged_piece_does_not_open(alice):
    document = upload(alice, os.urandom(2 * PIECE_BYTES))
    for number, damage in itertools.product(range(3), ("flip", "cut", "longer", "gone")):
        sealed = bytearray(pieces_of(document)[number][1])
        sealed[3] ^= damage == "flip"
        altered = {"cut": sealed[:-1], "longer": sealed + b"x"}.get(damage, sealed)
        change = "DELETE FROM piece" if damage == "gone" else "UPDATE piece SET sealed = :sealed"
        query = f"{change} WHERE document_id = :id AND number = :number"
        values = {"sealed": bytes(altered), "id": document.id, "number": number}
        with database.atomic() as transaction:
            database.execute_sql(query, values)
            with pytest.raises(DecryptionError):
                read_again(document)
            transaction.rollback()
    assert read_again(document)


def test_a_document_deleted_while_it_is_read_is_absent_and_not_damaged(alice):
    document = upload(alice, os.urandom(2 * PIECE_BYTES))
    pieces = document.read()
    next(pieces)
    Document.get_by_id(document.id).delete_with_tokens()
    with pytest.raises(NotFound):
        next(pieces)


def test_a_document_with_an_unknown_root_key_does_not_hide_the_others(alice):
    opens, unknown = upload(alice, b"opens"), upload(alice, b"does not open")
    edit(unknown, "root", "0123456789abcdef")
    listed, _ = Document.matching(alice.id, 10, None)
    assert [(one.id, one.sha256 == "") for one in listed] == [
        (unknown.id, True),
        (opens.id, False),
    ]


def test_another_persons_document_is_as_absent_as_none(alice, bob):
    document = upload(alice)
    for id in (document.id, "doc_nothing"):
        with pytest.raises(NotFound):
            Document.one_of(bob.id, id)


def test_an_unnamed_document_is_called_by_its_id_and_its_types_usual_ending(alice):
    assert upload(alice, content_type="application/pdf").name.endswith(".pdf")
    assert upload(alice, content_type="text/plain; charset=utf-8").name.endswith(".txt")
    assert upload(alice, content_type="x/unheard-of").name.startswith("doc_")


def test_an_edit_changes_what_it_names_and_keeps_the_rest(alice):
    document = upload(alice, name="a.txt", metadata={"k": "v"})
    document.edit(name="b.txt")
    meta, _ = read_again(document)
    assert (meta["name"], meta["metadata"], len(meta["sha256"])) == ("b.txt", {"k": "v"}, 64)


def test_what_would_be_over_at_once_is_not_taken(alice):
    with pytest.raises(Invalid):
        upload(alice, expires_at=1)


def test_a_deleted_documents_key_is_nowhere_on_disk(alice, instance):
    document = upload(alice, os.urandom(100_000))
    key = bytes(document.sealed_key)
    database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert any(key in path.read_bytes() for path in instance.iterdir())
    document.delete_with_tokens()
    assert not any(key in path.read_bytes() for path in instance.iterdir())
    with pytest.raises(NotFound):
        document.delete_with_tokens()

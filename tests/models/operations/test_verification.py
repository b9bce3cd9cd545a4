"""What does not open is named, and only that."""

import pytest

from models import Document, User
from models.operations import verification as checkup
from models.storage.database import database
from models.storage.payload_rows import PIECE_BYTES
from tests.uploads import upload


@pytest.fixture
def documents(alice):
    return [upload(alice, b"c" * (PIECE_BYTES + 5)) for _ in range(3)]


def test_a_whole_house_opens(documents):
    assert checkup.keys() == checkup.payloads() == checkup.some_payloads(10) == []


def test_a_key_that_does_not_open_is_named(documents):
    documents[1].change(sealed_key=documents[0].sealed_key)

    assert checkup.keys() == [f"{documents[1].id} does not open."]
    assert checkup.payloads() == [f"{documents[1].id} does not open."]


def test_a_flipped_bit_in_any_piece_is_found(documents):
    flip = "UPDATE piece SET sealed = zeroblob(length(sealed)) WHERE document_id = ? AND number = 0"
    database.execute_sql(flip, (documents[2].id,))

    assert checkup.keys() == checkup.some_payloads(10) == []
    assert checkup.payloads() == [f"{documents[2].id} does not open."]


def test_a_missing_last_piece_is_found_by_the_sample(documents):
    database.execute_sql("DELETE FROM piece WHERE number = 1", ())

    assert len(checkup.some_payloads(2)) == 2
    assert len(checkup.some_payloads(10)) == 3


def test_a_password_that_was_altered_is_found(documents, alice):
    User.get_by_id(alice.id).change(sealed_password=alice.sealed_name)

    assert checkup.keys() == []
    assert checkup.payloads() == [f"{alice.id} does not open."]


def test_what_is_deleted_meanwhile_is_no_fault(documents, monkeypatch):
    def read(document):
        Document.get_by_id(document.id).delete_with_tokens()
        return b"".join(Document.rows("TRUE") and document.read())

    monkeypatch.setattr(checkup, "_read", read)

    assert checkup.payloads() == []


def test_progress_counts_bytes_to_the_end(documents):
    told = []

    checkup.payloads(lambda done, total: told.append((done, total)))

    assert told[-1] == (3 * (PIECE_BYTES + 5),) * 2

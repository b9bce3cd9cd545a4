"""Rows that cannot be decrypted are reported, and no others."""

import pytest

from models import Document
from models.links import delete_document
from models.storage import database
from models.storage.payloads import PIECE_BYTES
from operations import verification
from tests.uploads import upload


@pytest.fixture
def documents(alice):
    return [upload(alice, b"c" * (PIECE_BYTES + 5)) for _ in range(3)]


def test_undamaged_data_has_no_problem(documents):
    reports = []
    assert verification.check_keys() == []
    assert verification.check_contents(lambda *report: reports.append(report)) == []
    assert reports[-1] == (3 * (PIECE_BYTES + 5),) * 2
    assert verification.check_sample(10) == []


def test_progress_does_not_pass_its_end_while_others_store(documents, monkeypatch):
    reports = []
    monkeypatch.setattr(Document, "stored", classmethod(lambda _: (1, 10)))
    verification.check_payloads(lambda *report: reports.append(report))
    assert all(done <= total for done, total in reports)


def test_a_key_that_cannot_be_decrypted_is_reported(documents):
    documents[1].change(sealed_key=documents[0].sealed_key)
    altered = f"{documents[1].id} was altered outside of the service, and is refused."
    assert verification.check_keys() == [f"{documents[1].id} cannot be decrypted."]
    assert verification.check_contents() == [altered]


def test_a_flipped_bit_in_any_piece_is_found(documents):
    zeros = "UPDATE piece SET sealed = zeroblob(length(sealed))"
    flip = f"{zeros} WHERE document_id = ? AND number = 0"
    database.execute_sql(flip, (documents[2].id,))
    assert verification.check_keys() == verification.check_sample(10) == []
    assert verification.check_contents() == [f"{documents[2].id} cannot be decrypted."]


def test_a_missing_last_piece_is_found_by_the_sample(documents):
    database.execute_sql("DELETE FROM piece WHERE number = 1", ())
    assert len(verification.check_sample(2)) == 2
    assert len(verification.check_sample(10)) == 3


def test_a_password_that_was_altered_is_found(documents, alice):
    database.execute_sql("UPDATE user_account SET sealed = zeroblob(length(sealed))")
    assert verification.check_keys() == []
    altered = f"{alice.id} was altered outside of the service, and is refused."
    assert verification.check_contents() == [altered]


def test_a_document_deleted_during_the_check_is_no_problem(documents, monkeypatch):
    def read(document):
        delete_document(Document.get_by_id(document.id))
        return b"".join(list(Document.select()) and document.read())

    monkeypatch.setattr(verification, "_decrypt_document", read)

    assert verification.check_contents() == []

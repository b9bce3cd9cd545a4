"""Each check finds its problem; none of them changes anything but a total that is wrong."""

import errno
import os
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from crypto import Keyring
from models import Collection, Session, connected, current_runtime, setup, transaction
from models.core import now
from models.storage import database
from models.storage import transactions as base
from operations import doctor
from tests.uploads import upload

DAY_MS = 24 * 60 * 60 * 1000


@pytest.fixture
def document(alice):
    return upload(alice)


@pytest.fixture
def context(instance, document):
    instance.chmod(0o700)
    return doctor.DoctorContext(instance / "documents.sqlite", instance / "keyring")


def problems(context):
    """The problems found, by check."""
    database.close()
    return {check: found for check, found in doctor.run_checks(context) if found}


@pytest.fixture
def alter(instance):
    def alter(sql, *values):
        with closing(sqlite3.connect(instance / "documents.sqlite")) as plain, plain:
            plain.execute(sql, values)

    return alter


def test_all_checks_run_and_find_nothing_in_a_sound_instance(context):
    found = list(doctor.run_checks(replace(context, deep=True)))
    assert [one.check for one in found] == [
        "files",
        "space",
        "database",
        "schema",
        "keyring",
        "rows",
        "log",
        "payload_store",
        "payload_files",
        "documents",
        "totals",
        "collections",
        "clock",
        "sweeper",
    ]
    assert not any(one.problems for one in found)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO, errno.ENOSPC])
def test_a_disk_that_does_not_take_a_byte_is_found(context, monkeypatch, number):
    def fail(handle):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    (found,) = problems(context)["space"]
    assert f"does not take a byte ({os.strerror(number)})" in found
    assert not list(context.database.parent.glob("*.probe"))


def test_a_total_that_is_not_as_the_documents_is_named_and_corrected(context, alter, document):
    alter("UPDATE document_total SET documents = 3, size_bytes = 9, binned = 1")

    (found,) = problems(context)["totals"]
    assert found.startswith(
        f"The total of {document.owner_id} was 3 documents of 9 bytes (1 in the bin); "
        "the documents are 1 document of 7 bytes. It is corrected."
    )
    assert problems(context) == {}


def test_an_index_that_is_not_as_the_sealed_list_is_found(context, alter, document):
    collection = Collection.make(document.owner_id, "Offer", document_ids=[document.id])
    assert problems(context) == {}

    alter("INSERT INTO collection_document VALUES ('doc_another', ?)", collection.id)
    (found,) = problems(context)["collections"]
    assert found.startswith(f"{collection.id} lists other documents than its index.")


def test_files_that_others_can_read_are_listed_with_the_remedy(instance, context):
    instance.chmod(0o750)
    (instance / "documents.sqlite").chmod(0o604)
    assert problems(context)["files"] == [
        f"Others can read {path}. Run: chmod go= {path}"
        for path in (instance, instance / "documents.sqlite")
    ]


def test_a_missing_database_is_found_and_not_created(instance, context):
    current_runtime().close_database()
    before = {path.name for path in instance.iterdir()} - {"documents.sqlite"}
    (instance / "documents.sqlite").unlink()
    assert "no database" in problems(context)["database"][0]
    assert {path.name for path in instance.iterdir()} == before


def test_a_damaged_database_is_found(instance, context):
    current_runtime().close_database()
    with (instance / "documents.sqlite").open("r+b") as file:
        file.seek(3 * 16_384)
        file.write(b"\xff" * 16_384)
    assert problems(context).keys() == {"database"}


def test_another_schema_is_found_and_not_migrated(context, alter):
    alter("INSERT INTO schema_migration VALUES (99, '9999_later', '2099-01-01')")
    assert "9999_later" in problems(context)["schema"][0]
    alter("DELETE FROM schema_migration")
    for _ in range(2):
        assert "Start the service" in problems(context)["schema"][0]


def test_a_keyring_that_is_missing_or_lacks_a_root_key_is_found_and_not_created(instance, context):
    (needed,) = setup.root_keys_in_use()
    (instance / "keyring").unlink()
    assert "no keyring" in problems(context)["keyring"][0]
    assert not (instance / "keyring").exists()
    Keyring.create(instance / "keyring")
    assert needed in problems(context)["keyring"][0]


def test_a_damaged_document_is_found(context, document, alter):
    alter("UPDATE piece SET sealed = zeroblob(length(sealed))")
    for deep in (False, True):
        (problem,) = problems(replace(context, deep=deep))["documents"]
        assert problem.startswith(f"{document.id} cannot be decrypted.")


def test_a_clock_that_was_set_back_is_found(context, alice, alter):
    with connected():
        Session.begin(alice, 60)
    alter("UPDATE session SET created_at = ?", now() + DAY_MS)
    (problem,) = problems(context)["clock"]
    assert "newest session is 1,4" in problem


def end(document, moment):
    setup.open_runtime()
    with connected(), transaction():
        document.change(expires_at=moment)


def test_expired_documents_that_were_not_swept_are_found(context, document, alter):
    end(document, now() - 1000)
    assert not problems(context)
    end(document, now() - DAY_MS)
    assert "1 expired" in problems(context)["sweeper"][0]
    alter("UPDATE document SET expires_at = expires_at + 1")
    assert problems(context).keys() == {"rows"}


def test_a_programming_error_is_raised_and_not_reported_as_a_finding(context, monkeypatch):
    monkeypatch.setattr(doctor, "now", lambda: base.nothing)
    with pytest.raises(AttributeError):
        problems(context)

"""Each thing that can be wrong is found by its check, and nothing is changed by looking."""

import sqlite3
from dataclasses import replace

import pytest

from crypto import Keyring
from models import Session, connected, setup
from models.operations import doctor
from models.records.ids import now
from models.storage import database as base
from models.storage.database import database
from tests.uploads import upload

DAY_MS = 24 * 60 * 60 * 1000


@pytest.fixture
def document(alice):
    return upload(alice)


@pytest.fixture
def patient(instance, document):
    instance.chmod(0o700)
    keyring = instance / "keyring"
    return doctor.DoctorContext(
        database=instance / "documents.sqlite",
        keyring=keyring,
        use_keyring=lambda: setup.use(Keyring(keyring)),
    )


def wrong(patient):
    """What is wrong, by check."""
    database.close()
    return {check: said for check, said in doctor.run_checks(patient) if said}


@pytest.fixture
def alter(instance):
    def alter(sql, *values):
        plain = sqlite3.connect(instance / "documents.sqlite")
        plain.execute(sql, values)
        plain.commit()
        plain.close()

    return alter


def test_a_well_house_has_every_check_and_nothing_wrong(patient):
    found = list(doctor.run_checks(replace(patient, deep=True)))

    assert [one.check for one in found] == [
        *("files", "space", "database", "schema", "keyring", "documents", "clock", "sweeper")
    ]
    assert not any(one.wrong for one in found)


def test_files_that_others_can_read_are_named_with_the_mend(instance, patient):
    instance.chmod(0o750)
    (instance / "documents.sqlite").chmod(0o604)

    assert wrong(patient)["files"] == [
        f"Others can read {path}. Run: chmod go= {path}"
        for path in (instance, instance / "documents.sqlite")
    ]


def test_a_disk_with_less_than_the_reserve_is_full(patient):
    assert "uploads are refused" in wrong(replace(patient, reserve_bytes=1 << 60))["space"][0]


def test_a_missing_database_is_not_made(instance, patient):
    setup.close_all()
    before = {path.name for path in instance.iterdir()} - {"documents.sqlite"}
    (instance / "documents.sqlite").unlink()

    assert "no database" in wrong(patient)["database"][0]
    assert {path.name for path in instance.iterdir()} == before


def test_a_damaged_database_is_found(instance, patient):
    setup.close_all()
    with (instance / "documents.sqlite").open("r+b") as file:
        file.seek(3 * 16_384)
        file.write(b"\xff" * 16_384)

    assert wrong(patient).keys() == {"database"}


def test_an_older_schema_is_found_and_not_migrated(patient, alter):
    alter("DELETE FROM schema_migration")

    assert "Start the service" in wrong(patient)["schema"][0]
    assert "Start the service" in wrong(patient)["schema"][0]


def test_a_newer_schema_is_found(patient, alter):
    alter("INSERT INTO schema_migration VALUES (99, '9999_later', '2099-01-01')")

    assert "9999_later" in wrong(patient)["schema"][0]


def test_a_lost_keyring_is_found_and_not_made(instance, patient):
    (instance / "keyring").unlink()

    assert "no keyring" in wrong(patient)["keyring"][0]
    assert not (instance / "keyring").exists()


def test_a_keyring_without_the_root_is_found_and_the_root_named(instance, patient):
    (needed,) = setup.root_keys_in_use()
    (instance / "keyring").unlink()
    Keyring.create(instance / "keyring")

    assert needed in wrong(patient)["keyring"][0]


@pytest.mark.parametrize("deep", [False, True])
def test_a_damaged_document_is_named(patient, document, alter, deep):
    alter("UPDATE piece SET sealed = zeroblob(length(sealed))")

    (said,) = wrong(replace(patient, deep=deep))["documents"]

    assert said.startswith(f"{document.id} does not open.")


def test_a_clock_that_is_behind_is_found(patient, alice, alter):
    with connected():
        Session.begin(alice, 60)
    alter("UPDATE session SET created_at = ?", now() + DAY_MS)

    (said,) = wrong(patient)["clock"]

    assert "newest session is 1,4" in said


def test_expired_documents_that_nobody_sweeps_are_found(patient, alter):
    alter("UPDATE document SET expires_at = ?", now() - 1000)
    assert not wrong(patient)
    alter("UPDATE document SET expires_at = ?", now() - DAY_MS)

    assert "1 expired" in wrong(patient)["sweeper"][0]


def test_a_fault_of_ours_is_not_taken_for_a_finding(patient, monkeypatch):
    monkeypatch.setattr(doctor, "now", lambda: base.nothing)

    with pytest.raises(AttributeError):
        wrong(patient)

"""An SQLite database is copied to a PostgreSQL server as a whole, verified there, or not at all."""

import os
import sqlite3
from contextlib import closing
from io import BytesIO

import pytest
from peewee import OperationalError

from models import (
    ApiKey,
    Collection,
    Document,
    Event,
    Session,
    User,
    Webhook,
    connected,
    setup,
    uploads,
)
from models.accounts import Invitation, StoredResponse
from models.core import OperatorError
from models.documents import wrong_totals
from models.links import delete_document
from models.runtime import current_runtime, operator_message
from models.storage import database, instance_lock
from models.storage.payloads import files
from operations import checkpoint, copy_to_postgres, postgres_copy, verify_log
from tests import postgres
from tests.models.migrations.test_columns import TABLES
from tests.uploads import upload


@pytest.fixture
def target(postgres_server):
    return postgres_server.new_database()


@pytest.fixture
def receipts(alice, bob):
    """Those of a database with something in most tables."""
    for owner in (alice, bob):
        upload(owner, b"c" * 500_000, name="large")
        delete_document(upload(owner, b"small"))
    ApiKey.issue(alice, "laptop", "documents:read", None)
    Webhook.register(alice.id, "https://hook.example/", ("document.created",))
    document = upload(alice, b"with a delivery", metadata={"key": "value"})
    Collection.make(alice.id, "Offer", document_ids=[document.id])
    Session.begin(bob, 60)
    Invitation.issue("carol@example.com")
    StoredResponse.keep(StoredResponse.id_of("key"), "fingerprint", {"answer": 1})
    return checkpoint()


@pytest.fixture
def copy(alice, target):
    """Copies the database to the target."""

    def copy(address=target):
        current_runtime().close_database()
        return copy_to_postgres(address)

    return copy


def rows_of_file(instance, table):
    with closing(sqlite3.connect(instance / "documents.sqlite")) as plain:
        cursor = plain.execute(f"SELECT * FROM {table}")
        names = [one[0] for one in cursor.description]
        return names, sorted(cursor.fetchall(), key=repr)


def rows_of_server(target, table, names):
    rows = postgres.execute(target, f"SELECT {', '.join(names)} FROM {table}")
    return sorted(rows, key=repr)


def is_empty(target):
    return postgres.execute(target, "SELECT count(*) FROM user_account") == [(0,)]


def test_every_table_of_the_models_is_copied():
    known = {table._meta.table_name for table in TABLES}
    known |= {"piece", "collection_document"}
    known -= {"upload"}  # whose clients begin again
    assert sorted(postgres_copy.TABLES) == sorted(known)


def test_each_row_is_copied_as_it_is(copy, receipts, target, instance):
    result = copy()

    assert result.problems == []
    assert result.log.breaks == []
    filled = [table for table, count in result.rows.items() if count]
    assert len(filled) == 15
    for table, count in result.rows.items():
        names, rows = rows_of_file(instance, table)
        assert len(rows) == count
        assert rows_of_server(target, table, names) == rows, table


def test_the_totals_of_the_copy_are_those_of_the_file(copy, receipts, target, instance):
    names, totals = rows_of_file(instance, "document_total")
    assert len(totals) == 2

    copy()

    assert rows_of_server(target, "document_total", names) == totals
    setup.open_runtime(target)
    with connected():
        assert wrong_totals() == []


def test_receipts_hold_and_the_log_and_credentials_go_on(copy, target, receipts, alice):
    copy()
    setup.open_runtime(target)
    with connected():
        last = Event.feed(alice.id, 1, None, oldest_first=False)[0][0]
        added = upload(alice, b"after the move")
        first, *_ = Event.feed(alice.id, 100, last.id)[0]

        assert (first.sequence, first.data["documentId"]) == (last.sequence + 1, added.id)
        assert verify_log(receipts).breaks == []
        assert verify_log(receipts).receipts == len(receipts)
        assert User.find(alice.id).name == alice.name


def test_objects_stay_where_they_are(configure, in_bucket, target):
    configure(payloads=in_bucket)
    with connected():
        alice = User.register("alice@example.com", "correct horse battery", None, "open")
        document = upload(alice, b"c" * 500_000)
    current_runtime().close_database()

    result = copy_to_postgres(target)

    assert (document.place, result.rows["piece"], result.problems) == ("objects", 0, [])
    setup.open_runtime(target)
    with connected():
        assert b"".join(Document.find(document.id).read()) == b"c" * 500_000


def test_payloads_in_files_become_rows_as_they_are_sealed(copy, alice, runtime, target):
    runtime.large_payload_bytes = 300_000
    document = upload(alice, b"c" * 500_000)
    record_of_file = "INSERT INTO unreferenced_object VALUES ('upl_0', 'files', 0, 0, 0)"
    database.execute_sql(record_of_file)
    assert document.place == "files"

    assert copy().problems == []

    setup.open_runtime(target)
    with connected():
        copied = Document.find(document.id)
        assert (copied.place, copied.payload_id) == ("rows", document.payload_id)
        assert b"".join(copied.read()) == b"c" * 500_000
    assert postgres.execute(target, "SELECT count(*) FROM unreferenced_object") == [(0,)]


def test_nothing_of_an_unfinished_upload_is_copied(copy, alice, target):
    row = uploads.begin(uploads.NewUpload(alice.id, 500_000))
    uploads.append(row, 0, uploads.Body(BytesIO(bytes(400_000)), 400_000))
    assert copy().problems == []
    assert postgres.execute(target, "SELECT count(*) FROM piece") == [(0,)]


def test_a_payload_whose_file_is_cut_off_is_named(copy, alice, runtime):
    runtime.large_payload_bytes = 300_000
    document = upload(alice, b"c" * 500_000)
    os.truncate(files.path_of(document.payload_id), 300_000)
    (problem,) = copy().problems
    assert problem.startswith(f"{document.id} cannot be decrypted.")


def test_what_a_killed_upload_left_is_not_copied(copy, instance):
    with closing(sqlite3.connect(instance / "documents.sqlite")) as plain, plain:
        plain.execute("INSERT INTO unfinished_payload (document_id) VALUES ('doc_0')")
        plain.execute("INSERT INTO piece VALUES ('doc_0', 0, x'00')")
    assert copy().rows["piece"] == 0


def test_a_target_with_rows_is_refused_and_stays_as_it_is(copy, target):
    copy()
    before = rows_of_server(target, "event", ["*"])
    with pytest.raises(OperatorError, match="not empty: there are rows in user_account"):
        copy()
    assert rows_of_server(target, "event", ["*"]) == before


def test_the_service_has_to_be_stopped(copy, target, instance):
    instance_lock.acquire_instance_lock(str(instance / "documents.sqlite"), 0)
    try:
        with pytest.raises(OperatorError, match="Stop that one first"):
            copy()
    finally:
        instance_lock.release_instance_lock()


@pytest.mark.parametrize("value", ["created_at = 'yesterday'", "email = CAST(x'ff' AS TEXT)"])
def test_a_value_that_postgresql_does_not_take_prevents_the_copy(copy, target, instance, value):
    current_runtime().close_database()
    with closing(sqlite3.connect(instance / "documents.sqlite")) as plain, plain:
        plain.execute(f"UPDATE user_account SET {value}")
    with pytest.raises(OperatorError, match="row of user_account cannot .* Nothing was copied"):
        copy()
    assert is_empty(target)


def test_rows_that_arrive_in_part_are_not_kept(copy, target, monkeypatch):
    trigger = """
        CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER skip BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION skip()"""
    setup.open_database(target)
    current_runtime().close_database()
    postgres.execute(target, trigger)
    monkeypatch.setattr(setup, "refuse_foreign_schema", lambda: None)

    with pytest.raises(OperatorError, match="rows of event, 0 arrived. Nothing was copied"):
        copy()
    assert is_empty(target)


def test_faults_of_the_file_are_named(copy, instance, alice, receipts):
    with closing(sqlite3.connect(instance / "documents.sqlite")) as plain, plain:
        plain.execute("UPDATE piece SET sealed = zeroblob(length(sealed))")
        plain.execute("UPDATE event SET type = 'document.viewed' WHERE sequence = 1")
    problems = "\n".join(copy().problems)
    assert "cannot be decrypted" in problems
    assert f"The log of {alice.id} 1: It was altered" in problems


def test_what_is_on_a_server_already_is_not_copied(copy, target, monkeypatch):
    monkeypatch.setattr(postgres_copy, "is_server", lambda _: True)
    with pytest.raises(OperatorError, match="already. Copy it with pg_dump -Fc and pg_restore"):
        copy()


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("mysql://host/name", "goes to a PostgreSQL server"),
        ("postgresql://docs:secret%zz@host/name", "This is no address"),
        ("postgresql://docs:p@secret@host/name", "This is no address"),
        ("postgresql://docs:?secret@host/name", "This is no address"),
        ("postgresql://docs@127.0.0.1:1/name", "The database server cannot be used: "),
    ],
)
def test_an_address_that_cannot_be_used_is_told_without_its_password(copy, address, sentence):
    with pytest.raises((OperatorError, OperationalError)) as raised:
        copy(address)
    assert sentence in operator_message(raised.value)
    assert "secret" not in operator_message(raised.value)


def test_without_a_database_there_is_nothing_to_copy_and_none_is_made(copy, instance):
    current_runtime().close_database()
    (instance / "documents.sqlite").unlink()
    with pytest.raises(OperatorError, match="nothing to copy"):
        copy()
    assert not (instance / "documents.sqlite").exists()

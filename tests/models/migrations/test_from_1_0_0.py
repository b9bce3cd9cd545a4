"""A database of version 1.0.0 is brought to the present schema, and keeps what is in it."""

import gzip
import json
import shutil
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from crypto import Keyring, KeyringError, event_hash
from models import ApiKey, Collection, Document, DocumentToken, Event, Session, User, Webhook, setup
from models.accounts import Member, StoredResponse, register
from models.core import KeyRevoked, SessionExpired, TokenSpent, now
from models.documents import binned, wrong_totals
from models.events import Mail, WebhookDelivery
from models.links import FormerTarget, Opening, TokenGrant, delete_document
from models.runtime import create_runtime
from models.storage import FIRST_MIGRATION, MigrationRunner, close_database, connected, database
from operations import doctor, restore_backup, verification, verify_log
from settings import Settings, read_settings
from tests import postgres
from tests.uploads import upload
from webhooks.mail import COMPOSERS

OF_1_0_0 = Path(__file__).parent / "of_1_0_0"  # made by `fill_1_0_0.py`
SECRETS = json.loads((OF_1_0_0 / "secrets.json").read_text())
ADA, LINKS = SECRETS["ada"], SECRETS["links"]
MAIL = {"SMTP_URL": "smtps://127.0.0.1:1?from=docs@example.org", "BASE_URL": "https://a.example"}


@pytest.fixture
def folder(tmp_path):
    """The folder of an instance, with the keyring alone."""
    shutil.copy(OF_1_0_0 / "keyring", tmp_path)
    (tmp_path / "keyring").chmod(0o600)
    return tmp_path


@pytest.fixture
def of_sqlite(folder):
    file = folder / "documents.sqlite"
    file.write_bytes(gzip.decompress((OF_1_0_0 / "documents.sqlite.gz").read_bytes()))
    file.chmod(0o600)
    return str(file)


@pytest.fixture
def of_postgres(of_sqlite, postgres_server):
    """The rows of the file in the tables that 1.0.0 makes on a server."""
    from models.storage.postgres import load_rows  # noqa: PLC0415  an extra

    address = postgres_server.new_database()
    setup.storage.open_database(address)
    only = [FIRST_MIGRATION]
    tables = [name for name in rows_of(of_sqlite) if name != "schema_migration"]
    with closing(sqlite3.connect(of_sqlite)) as file, connected():
        MigrationRunner(database, setup.MIGRATIONS, on_server=True, only=only).up()
        file.execute("BEGIN")
        with database.atomic():
            database.execute_sql("SET CONSTRAINTS ALL DEFERRED")
            for table in sorted(tables, key=lambda name: name != "user_account"):
                load_rows(table, file.execute)
    close_database()
    return address


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def former(request):
    """The address of a database of 1.0.0."""
    yield request.getfixturevalue(f"of_{request.param}")
    close_database()


@pytest.fixture
def started(folder, clock):
    """Opens a database as the start of the service does, at the time when 1.0.0 was stopped."""

    @contextmanager
    def start(address):
        clock(SECRETS["madeAt"] + 60_000 - now())
        given = {"DATABASE": address, **MAIL, "INSTANCE_PATH": str(folder)}
        runtime = create_runtime(read_settings({}, given, folder))
        try:
            setup.open_runtime()
            with connected():
                yield
        finally:
            runtime.close()

    return start


def execute(address, statement):
    if "://" in address:
        return postgres.execute(address, statement)
    with closing(sqlite3.connect(address)) as file, file:
        return file.execute(statement).fetchall()


def rows_of(address):
    """All rows of each table, each with the names of its columns."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if "://" in address:
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    return {name: rows_of_table(address, name) for (name,) in execute(address, tables)}


def rows_of_table(address, table):
    columns = f"SELECT name FROM pragma_table_info('{table}')"
    if "://" in address:
        columns = f"""
            SELECT column_name FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name = '{table}'"""
    names = sorted(name for (name,) in execute(address, columns))
    return names, sorted(execute(address, f"SELECT {', '.join(names)} FROM {table}"), key=repr)


def columns_of(table, names):
    """The values of some columns of a table's rows."""
    of_table, rows = table
    places = [of_table.index(name) for name in names]
    return sorted((tuple(row[place] for place in places) for row in rows), key=repr)


def test_a_migration_keeps_each_row(former, started):
    before = rows_of(former)
    with started(former):
        pass
    after = rows_of(former)

    names, sessions = before["session"]
    acts = names.index("acting_user_id")  # sessions of spaces, which members begin again
    before["session"] = names, [one for one in sessions if one[acts] is None]
    assert before.pop("pending_sign_in")[1] == []  # a table that later versions do not have
    _, history = after.pop("schema_migration")
    assert len(history) > len(before.pop("schema_migration")[1])
    for name, (columns, rows) in before.items():
        assert columns_of(after[name], columns) == columns_of((columns, rows), columns), name


def test_the_migrated_schema_is_that_of_a_new_database(former, started):
    with started(former):
        assert not setup.is_older()
        assert setup.schema_problems() == setup.table_problems() == []


def test_the_totals_of_a_migrated_database_are_those_of_its_documents(former, started):
    with started(former):
        assert wrong_totals() == []
        stored = Document.stored_by(ADA)
        assert stored.documents > stored.binned > 0
        upload(User.find(ADA), b"one more")
        assert Document.stored_by(ADA).documents == stored.documents + 1
        assert wrong_totals() == []


def test_what_killed_uploads_left_goes_with_the_migration_and_nothing_else(of_sqlite, started):
    before = rows_of(of_sqlite)["piece"]
    with closing(sqlite3.connect(of_sqlite)) as file, file:
        left = ("doc_01a00000000000000000000000", 0, b"x")
        file.execute("INSERT INTO piece (document_id, number, sealed) VALUES (?, ?, ?)", left)
    with started(of_sqlite):
        pass
    assert rows_of(of_sqlite)["piece"] == before


def test_a_start_without_the_root_keys_is_refused(former, started, folder):
    (folder / "keyring").unlink()
    Keyring.create(folder / "keyring")
    with pytest.raises(KeyringError, match="lacks root key"), started(former):
        pass


def test_a_backup_of_1_0_0_is_restored_and_migrated(of_sqlite, started, folder):
    backup = folder / "of-1.0.0.sqlite"
    Path(of_sqlite).rename(backup)
    runtime = create_runtime(Settings(instance_path=folder, database=of_sqlite))
    users, documents = restore_backup(backup, Path(of_sqlite))
    runtime.close()
    assert (users, documents > 0) == (3, True)
    with started(of_sqlite):
        assert verification.check_contents() == []


def test_what_1_0_0_has_stored_opens(former, started):
    with started(former):
        assert verification.check_contents() == []
        assert verify_log().breaks == []
        assert Document.one_of(ADA, SECRETS["plain"]).name == "plain.txt"
        assert b"".join(Document.one_of(ADA, SECRETS["note"]).read()) == b"# A *note*\n"
        assert [one.id for one in binned(ADA, [SECRETS["binned"]])] == [SECRETS["binned"]]
        offer = Collection.one_of(ADA, SECRETS["offer"])
        assert (offer.title, offer.note, len(offer.documents)) == ("Offer", "By Monday.", 3)
        assert Webhook.one_of(ADA, SECRETS["failing"]).url.endswith("/failing")
        assert [one.webhook_id for one in WebhookDelivery.next_due_per_webhook()]
        assert [one.message(COMPOSERS)["To"] for one in Mail.next_due_per_owner()] == [
            "ada@example.org"
        ]
        (opening,) = Opening.select()
        opening.target = Document.one_of(ADA, SECRETS["note"])
        assert (opening.address, opening.name) == ("eve@example.org", "Eve")
        assert StoredResponse.select().count() == 1


def test_members_of_1_0_0_are_in_their_space(former, started):
    with started(former):
        roles = {member.role: member.is_waiting for member in Member.of_space(SECRETS["team"])}
        assert roles == {"manage": False, "read": False}


def test_credentials_of_1_0_0_work_and_what_had_ended_is_still_ended(former, started):
    with started(former):
        assert User.identify("ada@example.org", SECRETS["password"], "").name == "Ada"
        assert Session.of_token(SECRETS["session"])[0] == ADA
        with pytest.raises(SessionExpired):
            Session.of_token(SECRETS["endedSession"])
        assert ApiKey.of_secret(SECRETS["apiKey"])[0] == ADA
        with pytest.raises(KeyRevoked):
            ApiKey.of_secret(SECRETS["revokedApiKey"])
        with pytest.raises(TokenSpent):
            TokenGrant.of_secret(LINKS["revoked"])
        grants = {name: TokenGrant.of_secret(LINKS[name]) for name in LINKS if name != "revoked"}
        note = Document.one_of(ADA, SECRETS["note"])
        assert grants["free"].permissions == {"view", "download"}
        assert grants["free"].document(note.id) == note
        grants["password"].check_password(note, "open sesame", "")
        assert grants["password"].origins == ("https://a.example",)
        assert grants["limited"].views_left == 1
        assert grants["expiring"].expires_at
        assert grants["moved"].target_id == SECRETS["plain"]
        assert grants["guarded"].gate.recipients == ("eve@example.org",)
        assert grants["collection"].collection.id == SECRETS["offer"]
        assert grants["upload"].permissions == {"upload"}


def test_a_database_of_1_0_0_is_written_to_after_its_migration(former, started):
    with started(former):
        dora, _ = register("dora@example.org", "another long password", None, SECRETS["invitation"])
        assert dora.email == "dora@example.org"
        DocumentToken.edit(ADA, SECRETS["movedLink"], Document.one_of(ADA, SECRETS["note"]))
        assert [row.target_id for row in FormerTarget.all_of(SECRETS["movedLink"])] == [
            SECRETS[name] for name in ("plain", "note", "plain", "note")
        ]
        delete_document(Document.one_of(ADA, SECRETS["plain"]))
        last = Event.record(ADA, "webhook.test", {})
        previous = next(one for one in Event.select() if one.sequence == last.sequence - 1)
        assert last.hash == event_hash(ADA, last.sequence, previous.hash, last.body)
        assert verify_log().breaks == []
    with started(former):
        assert verification.check_contents() == []


def test_doctor_says_that_a_migration_is_due_and_finds_nothing_wrong_after_it(former, folder):
    def problems():
        runtime = create_runtime(Settings(instance_path=folder, database=former))
        path = None if "://" in former else Path(former)
        context = doctor.DoctorContext(path, folder / "keyring")
        found = {check: problems for check, problems in doctor.run_checks(context) if problems}
        runtime.close()
        return found

    before = rows_of(former)
    older = "An older version made this database. Start the service: it migrates it."
    assert problems() == {"schema": [older]}
    assert rows_of(former) == before
    runtime = create_runtime(Settings(instance_path=folder, database=former))
    setup.open_runtime()
    runtime.close()
    assert problems().keys() <= {"sweeper"}  # what lies in the bin has become due

"""A database of version 0.2.0 is brought to the present schema, and keeps what is in it."""

import gzip
import json
import shutil
import signal
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from crypto import Keyring, KeyringError, event_hash
from models import ApiKey, Collection, Document, DocumentToken, Event, Session, User, Webhook, setup
from models.accounts import StoredResponse, register
from models.core import KeyRevoked, OperatorError, SessionExpired, TokenSpent, now
from models.documents import binned
from models.events import Mail, WebhookDelivery
from models.links import FormerTarget, Opening, TokenGrant, delete_document
from models.runtime import create_runtime
from models.storage import close_database, connected, database, sqlite_files
from operations import doctor, restore_backup, verification, verify_log
from settings import Settings, read_settings
from tests import postgres
from tests.forking import run_program
from webhooks.mail import COMPOSERS

OF_0_2_0 = Path(__file__).parent / "of_0_2_0"  # made by `fill_0_2_0.py`
SECRETS = json.loads((OF_0_2_0 / "secrets.json").read_text())
ADA, LINKS = SECRETS["ada"], SECRETS["links"]
MAIL = {"SMTP_URL": "smtps://127.0.0.1:1?from=docs@example.org", "BASE_URL": "https://a.example"}
LAST_MOVE = """(SELECT max(id) FROM event WHERE body LIKE '%"from": "doc_%')"""
COPY_OF_LAST_MOVE = f"""
    INSERT INTO event (id, created_at, owner_id, sequence, type, body, hash)
    SELECT {{columns}}, sequence, type, {{body}}, hash FROM event WHERE id = {LAST_MOVE}"""
ALTERED_LOG = (
    COPY_OF_LAST_MOVE.format(columns="'evt_1', 1, 'service'", body="body"),
    COPY_OF_LAST_MOVE.format(columns="id, 2, 'usr_of_nobody'", body="body"),
    COPY_OF_LAST_MOVE.format(columns="'evt_3', 3, owner_id", body="'no JSON'"),
    COPY_OF_LAST_MOVE.format(
        columns="'evt_4', 4, owner_id",
        body="""replace(body, '"from": "', '"from": [7], "was": "')""",
    ),
)
SAME_INVITATION = """
    INSERT INTO invitation (id, created_at, email_folded, digest, expires_at) VALUES
    ('inv_1', 1, 'dora@example.org', 'one', 2), ('inv_2', 1, 'dora@example.org', 'two', 2)"""
REPLACED = {"agreement": "kept_text", "authority_key": "service_key"}
EMPTY = {"unreferenced_object", "rate_limit", "claim", "node"}
KILLED_AFTER = (
    "CREATE TABLE former_target",
    "DROP TABLE invitation",
    "INSERT INTO invitation",
    "INSERT .*INTO former_target",
    "INSERT INTO service_key",
    "UPDATE document SET sealed",
    "UPDATE event_head SET sealed",
    "DROP TABLE agreement",
    "ALTER TABLE mail DROP COLUMN",
    "DELETE FROM schema_migration",
    "INSERT INTO schema_migration",
)
OPEN = """
import os, re, signal, sys
from pathlib import Path
from models import setup
from models.runtime import create_runtime
from settings import Settings
open_database = setup.storage.open_database
def opened(*words):
    open_database(*words)
    kind = type(setup.database.obj)
    execute = kind.execute_sql
    def killed(self, sql, *more):
        done = execute(self, sql, *more)
        if re.search(sys.argv[2], sql.replace('"', "")):
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    kind.execute_sql = killed
setup.storage.open_database = opened
create_runtime(Settings(instance_path=Path(sys.argv[3]), database=sys.argv[1]))
setup.open_runtime()
"""


@pytest.fixture
def folder(tmp_path):
    """The folder of an instance, with the keyring alone."""
    shutil.copy(OF_0_2_0 / "keyring", tmp_path)
    (tmp_path / "keyring").chmod(0o600)
    return tmp_path


@pytest.fixture
def of_sqlite(folder):
    file = folder / "documents.sqlite"
    file.write_bytes(gzip.decompress((OF_0_2_0 / "documents.sqlite.gz").read_bytes()))
    file.chmod(0o600)
    return str(file)


@pytest.fixture
def of_postgres(of_sqlite, postgres_server):
    """The rows of the file in the tables that 0.2.0 has made on a server."""
    from models.storage.postgres import load_rows  # noqa: PLC0415  an extra

    address = postgres_server.new_database()
    postgres.execute(address, (OF_0_2_0 / "postgres.sql").read_text())
    setup.storage.open_database(address)
    tables = [name for name in rows_of(of_sqlite) if name != "schema_migration"]
    with closing(sqlite3.connect(of_sqlite)) as file, connected():
        file.execute("BEGIN")
        with database.atomic():
            database.execute_sql("SET CONSTRAINTS ALL DEFERRED")
            for table in sorted(tables, key=lambda name: name != "user_account"):
                load_rows(table, file.execute)
    close_database()
    return address


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def former(request):
    """The address of a database of 0.2.0."""
    yield request.getfixturevalue(f"of_{request.param}")
    close_database()


@pytest.fixture
def started(folder, clock):
    """Opens a database as the start of the service does, at the time when 0.2.0 was stopped."""

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


def test_an_upgrade_keeps_each_row_and_finds_former_targets_in_the_log(former, started, capsys):
    before = rows_of(former)
    assert all(rows for name, (_, rows) in before.items() if name not in EMPTY)
    with started(former):
        pass
    assert capsys.readouterr().err.startswith(
        "Converting the database of version 0.2.0; this may take minutes.\n"
    )
    after = rows_of(former)

    for new in ("identity", "used_sign_in", "member", "deleted_target"):
        assert after.pop(new)[1] == []
    names, former_targets = after.pop("former_target")
    assert [row[names.index("document_id")] for row in former_targets] == [
        SECRETS[name] for name in ("note", "plain", "note")
    ]
    assert {row[names.index("token_id")] for row in former_targets} == {SECRETS["movedLink"]}
    names, history = after.pop("schema_migration")
    assert [row[names.index("name")] for row in history] == sorted(
        path.stem for path in Path(setup.MIGRATIONS).glob("[0-9]*.sql")
    )
    assert names == before.pop("schema_migration")[0]  # by which 0.2.0 refuses it with a sentence
    came_by = columns_of(after["document"], ["came_by"])
    seen = columns_of(after["user_account"], ["received_seen_at"])
    assert len([one for (one,) in came_by if one]) == len(received(former))
    assert any(one for (one,) in seen) == any(one for (one,) in came_by)
    for name, table in before.items():
        converted = after.pop(REPLACED.get(name, name))
        same = [column for column in table[0] if column in converted[0]]
        kept = [column for column in same if name != "authority_key" or column != "sealed_key"]
        assert columns_of(converted, kept) == columns_of(table, kept), name
        if "sealed" in converted[0] and name != "piece":
            assert all(one for (one,) in columns_of(converted, ["sealed"])), name
    assert after == {}


def test_a_copy_of_the_file_is_kept_beside_it_and_no_other_one_made(of_sqlite, started, capsys):
    before = rows_of(of_sqlite)
    with started(of_sqlite):
        pass
    copy = Path(f"{of_sqlite}.of-0.2.0")
    assert f"A copy of it is kept: {copy}\n" in capsys.readouterr().err
    assert rows_of(str(copy)) == before
    assert copy.stat().st_mode & 0o777 == 0o600
    with started(of_sqlite):
        assert capsys.readouterr().err == ""
    assert rows_of(str(copy)) == before


def test_a_copy_of_another_state_stops_the_start_before_anything_is_converted(of_sqlite, started):
    copy = Path(f"{of_sqlite}.of-0.2.0")
    sqlite_files.copy(Path(of_sqlite), _empty(copy), lambda *_: None)
    with closing(sqlite3.connect(of_sqlite)) as former, former:
        former.execute("UPDATE session SET created_at = created_at + 1")
    before = rows_of(of_sqlite)

    with pytest.raises(OperatorError, match="another state.*Move that copy"), started(of_sqlite):
        pass

    assert rows_of(of_sqlite) == before
    copy.write_bytes(b"damaged")
    with pytest.raises(OperatorError, match="another state"), started(of_sqlite):
        pass
    copy.unlink()
    with started(of_sqlite):
        pass
    assert rows_of(str(copy)) == before


def test_the_copy_that_a_killed_start_has_left_is_kept(of_sqlite, started):
    copy = Path(f"{of_sqlite}.of-0.2.0")
    sqlite_files.copy(Path(of_sqlite), _empty(copy), lambda *_: None)
    inode = copy.stat().st_ino
    with started(of_sqlite):
        pass
    assert copy.stat().st_ino == inode


def _empty(path):
    path.touch()
    return path


def test_without_room_for_the_copy_nothing_is_converted(of_sqlite, started, monkeypatch):
    def fail(_file, part, _report):
        part.write_bytes(b"a part")
        raise sqlite_files.FileInUseError("database or disk is full")

    before = rows_of(of_sqlite)
    monkeypatch.setattr(sqlite_files, "copy", fail)
    with pytest.raises(OperatorError, match="disk is full.*Free disk space"), started(of_sqlite):
        pass
    assert rows_of(of_sqlite) == before
    assert not list(Path(of_sqlite).parent.glob("*.of-0.2.0*"))


def test_a_restored_backup_of_0_2_0_is_converted_without_another_copy(of_sqlite, started, folder):
    backup = folder / "of-0.2.0.sqlite"
    Path(of_sqlite).rename(backup)
    runtime = create_runtime(Settings(instance_path=folder, database=of_sqlite))
    users, documents = restore_backup(backup, Path(of_sqlite))
    runtime.close()
    assert (users, documents > 0) == (2, True)
    with started(of_sqlite):
        assert verification.check_contents() == []
    assert not list(folder.glob("documents.sqlite.*of-0.2.0"))


@pytest.mark.postgres
def test_an_operator_of_a_server_is_told_that_nothing_is_copied(of_postgres, started, capsys):
    with started(of_postgres):
        pass
    sentence = "Nothing is copied on a server: to go back, restore what pg_dump has written before."
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statement", "table", "name"),
    [
        ("UPDATE api_key SET scopes = 'documents:delete'", "api_key", "key_"),
        ("UPDATE user_account SET authority_mac = NULL", "user_account", "usr_"),
        ("UPDATE delivery SET event_mac = NULL", "delivery", "dlv_"),
        (
            """UPDATE delivery SET owner_id =
               (SELECT id FROM user_account WHERE id <> delivery.owner_id LIMIT 1)""",
            "delivery",
            "dlv_",
        ),
        ("UPDATE event_head SET sequence = sequence + 1", "event_head", ""),
        ("UPDATE recipient SET code_failures = code_failures + 1", "recipient", "rcp_"),
        (
            "UPDATE collection SET sealed_meta = (SELECT sealed_name FROM api_key LIMIT 1)",
            "collection",
            "col_",
        ),
    ],
)
def test_a_row_that_was_altered_before_opens_after_the_conversion_as_little(
    former, started, capsys, statement, table, name
):
    execute(former, statement)
    with started(former):
        ids = [id for (id,) in execute(former, f"SELECT id FROM {table} WHERE sealed IS NULL")]
        assert ids
        if name:
            found = {line.split()[0] for line in verification.check_rows()}
            assert set(ids) <= found
            assert all(one.startswith(name) for one in ids)
        else:
            assert {one.owner_id for one in verify_log().breaks} >= set(ids)
    assert "had been altered and cannot be opened" in capsys.readouterr().err


def test_a_conversion_without_the_root_keys_is_refused_and_changes_nothing(former, started, folder):
    before = rows_of(former)
    (folder / "keyring").unlink()
    Keyring.create(folder / "keyring")
    with pytest.raises(KeyringError, match="lacks root key"), started(former):
        pass
    assert rows_of(former) == before


def received(address):
    """The ids of the documents that came by a link, as the log says it."""
    bodies = execute(address, "SELECT body FROM event WHERE type = 'document.created'")
    kept = {id for (id,) in execute(address, "SELECT id FROM document")}
    facts = [json.loads(body)["data"] for (body,) in bodies]
    return {
        one["documentId"]
        for one in facts
        if one["via"] == "document_token" and one["documentId"] in kept
    }


def test_an_upgraded_schema_is_that_of_a_new_database(former, started):
    with started(former):
        assert not setup.is_older()
        assert setup.schema_problems() == setup.table_problems() == []
    execute(former, SAME_INVITATION)


def test_what_0_2_0_has_stored_opens(former, started):
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


def test_credentials_of_0_2_0_work_and_what_had_ended_is_still_ended(former, started):
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


def test_a_database_of_0_2_0_is_written_to_after_its_upgrade(former, started):
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


def test_doctor_says_that_an_upgrade_is_due_and_finds_nothing_wrong_after_it(former, folder):
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


def test_an_older_database_than_that_of_0_2_0_is_refused_and_left_as_it_is(former):
    execute(former, "DELETE FROM schema_migration WHERE name = '0028_guards'")
    before = rows_of(former)
    for _ in range(2):
        with pytest.raises(OperatorError, match="Start version 0.2.0 with it once") as refused:
            setup.open_database(former)
        assert "before 0.2.0 made this database (0027_mail). Nothing was changed." in str(refused)
    close_database()
    assert rows_of(former) == before


def test_changes_in_the_log_that_others_have_made_stop_no_upgrade(former, started):
    for statement in ALTERED_LOG:
        execute(former, statement)
    with started(former):
        pass
    names, rows = rows_of_table(former, "former_target")
    assert len(rows) == 3
    assert {row[names.index("owner_id")] for row in rows} == {ADA}
    assert all(row[names.index("created_at")] > 4 for row in rows)


def test_a_link_that_is_gone_gets_no_former_targets(former, started):
    execute(former, f"DELETE FROM document_token WHERE id = '{SECRETS['movedLink']}'")
    with started(former):
        pass
    assert rows_of_table(former, "former_target")[1] == []


def test_of_a_link_that_was_led_elsewhere_often_the_newest_targets_are_kept(former, started):
    """The last change is copied thirty times, with later and later ids."""
    execute(
        former,
        """
        WITH RECURSIVE numbers(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM numbers WHERE n < 39)
        INSERT INTO event (id, created_at, owner_id, sequence, type, body, hash)
        SELECT 'evt_zz' || n, n, owner_id, sequence, type, body, hash
        FROM event, numbers WHERE id = """
        + LAST_MOVE,
    )
    with started(former):
        pass
    names, rows = rows_of_table(former, "former_target")
    assert [row[names.index("id")] for row in rows] == [f"fmt_zz{n}" for n in range(20, 40)]


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "CREATE TRIGGER undo AFTER INSERT ON invitation BEGIN SELECT 1; END",
            "trigger undo is foreign",
        ),
        ("CREATE VIEW former_target AS SELECT 1", "view former_target is foreign"),
        ("ALTER TABLE invitation ADD COLUMN later TEXT", "table invitation was altered"),
        ("DROP INDEX opening_link", "index opening_link is missing"),
    ],
)
def test_a_database_of_0_2_0_with_another_schema_is_named_and_not_migrated(
    of_sqlite, statement, problem
):
    execute(of_sqlite, statement)
    before = rows_of(of_sqlite)
    with pytest.raises(OperatorError, match=problem):
        setup.open_database(of_sqlite)
    close_database()
    assert rows_of(of_sqlite) == before


def test_a_trigger_on_a_server_of_0_2_0_is_named_and_nothing_migrated(of_postgres):
    for statement in (
        "CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER undo AFTER INSERT ON invitation EXECUTE FUNCTION undo()",
    ):
        postgres.execute(of_postgres, statement)
    before = rows_of(of_postgres)
    with pytest.raises(OperatorError, match="trigger undo is foreign"):
        setup.open_database(of_postgres)
    close_database()
    assert rows_of(of_postgres) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("former", "statement"),
    [
        *(("sqlite", statement) for statement in KILLED_AFTER),
        # the first, one in the middle and the last: on a server, too, it is one transaction
        *(pytest.param("postgres", one, marks=pytest.mark.postgres) for one in KILLED_AFTER[::5]),
    ],
    indirect=["former"],
)
def test_kill_9_in_the_upgrade_leaves_what_was_before_and_the_next_start_makes_it(
    former, folder, started, statement
):
    before = rows_of(former)
    assert run_program(OPEN, former, statement, folder) == -signal.SIGKILL
    assert rows_of(former) == before
    with started(former):
        assert verification.check_contents() == []

"""models/account_deletion.py"""

import signal

import pytest
from peewee import IntegrityError, OperationalError

from models import (
    ApiKey,
    Document,
    DocumentToken,
    Event,
    EventHead,
    Session,
    User,
    Webhook,
    account_deletion,
    database,
)
from models.account_deletion import AccountContents, delete_account, finish_deletions
from models.accounts import Invitation
from models.core import SessionExpired, WrongCredentials
from models.documents import Collection, wrong_totals
from models.events import Mail
from models.links import LinkOptions
from models.records import Owner
from models.storage import SERVICE, engine
from operations import checkpoint, read_receipts, verify_log
from tests.forking import run_program
from tests.steps import steps_of
from tests.uploads import upload

SIZES = [5, 500_000]
DELETE = """
import os, pathlib, signal, sys
from models import Document, User, connected
from models import setup
from models.account_deletion import delete_account, finish_deletions
from models.runtime import create_runtime
from settings import Settings

folder, user_id, killed_at = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
create_runtime(Settings(instance_path=folder, database=str(folder / "documents.sqlite")))
setup.open_runtime()
dropped, drop = [], Document.drop_payload

def drop_payload(document):
    if len(dropped) == killed_at:
        os.kill(os.getpid(), signal.SIGKILL)
    dropped.append(document)
    drop(document)

Document.drop_payload = drop_payload
with connected():
    delete_account(User.find(user_id))
    finish_deletions()
"""
MANY = "WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many LIMIT 3000)"
MANY_ROWS = {
    "delivery (id, created_at, owner_id, webhook_id, event_id, type)": (
        "SELECT 'dlv_' || n, 0, owner_id, id, 'evt_', 'document.created' FROM many, webhook"
    ),
    "opening (id, created_at, owner_id, document_id, token_id)": (
        "SELECT 'opn_' || n, 0, id, 'doc_', 'tok_' FROM many, user_account"
    ),
    "recipient (id, created_at, owner_id, document_id, token_id, digest, code_failures)": (
        "SELECT 'rcp_' || n, 0, id, 'doc_', 'tok_', n, 0 FROM many, user_account"
    ),
}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def runtime(configure, request):
    if request.param == "sqlite":
        return configure(reserve_bytes=0)
    return request.getfixturevalue("configure_on_server")(reserve_bytes=0)


def fill(user):
    """Rows of every kind."""
    documents = [upload(user, bytes(size), link=LinkOptions()) for size in SIZES]
    Session.begin(user, 60)
    Session.begin(user, 60, "Firefox on Linux")
    ApiKey.issue(user, "a key", "documents:read", None)
    Webhook.register(user.id, "https://hook.example/in").row.test()
    Invitation.issue(user.email)
    Collection.make(user.id, "A title", document_ids=[document.id for document in documents])
    assert Mail.enqueue(user.id, "notice", user.email, "A subject")
    return documents


def rows_naming(*ids):
    """Table and row, of all rows in which one of these stands."""
    for table in database.get_tables():
        for row in database.execute_sql(f"SELECT * FROM {table}").fetchall():
            if any(id in str(value) for id in ids for value in row):
                yield table, row


def test_nothing_of_a_deleted_account_is_left_and_others_keep_theirs(alice, bob):
    gone, kept = fill(alice), fill(bob)
    others = len(list(rows_naming(bob.id, bob.email)))

    delete_account(alice)
    finish_deletions()

    left = list(rows_naming(alice.id, alice.email, *(document.id for document in gone)))
    assert {table for table, _ in left} == {"event"}
    told = [event.type for event in Event.select().where(Event.owner_id == SERVICE)]
    assert told.count("account.deleted") == 1
    assert len(list(rows_naming(bob.id, bob.email))) == others
    assert [b"".join(document.read()) for document in kept] == [bytes(size) for size in SIZES]
    (pieces,) = database.execute_sql("SELECT COUNT(DISTINCT document_id) FROM piece").fetchone()
    assert pieces == len(kept)
    assert User.register(alice.email, "another password", None, "open").id != alice.id


def test_an_account_is_locked_out_at_once_and_its_rows_are_deleted_beside_the_requests(alice):
    fill(alice)
    session = Session.begin(alice, 60)

    delete_account(alice)

    assert Document.select().count() == len(SIZES)
    assert User.find_by_email(alice.email) is None
    assert User.may_register("first")
    with pytest.raises(SessionExpired):
        Session.live_of(session.id, alice.id)

    finish_deletions()

    assert {table for table, _ in rows_naming(alice.id)} == {"event"}
    assert Document.select().count() == 0


def test_a_deletion_stops_when_the_service_ends_and_goes_on_at_its_next_start(alice, runtime):
    fill(alice)
    delete_account(alice)
    runtime.is_ending = True
    finish_deletions()
    assert Document.select().count() == len(SIZES)
    runtime.is_ending = False
    finish_deletions()
    assert Document.select().count() == 0


def test_the_log_verifies_and_receipts_of_the_deleted_one_are_of_what_is_forgotten(alice, bob):
    fill(alice)
    head = EventHead.find(alice.id)
    receipts = read_receipts("\n".join(map(str, checkpoint())))

    delete_account(alice)
    finish_deletions()

    result = verify_log(receipts)
    assert result.breaks == []
    assert (result.forgotten, result.receipts) == (1, 1)
    data = Event.select().where(Event.type == "account.deleted").get().data
    assert (data["userId"], data["sequence"]) == (alice.id, head.sequence)
    assert data["hash"] == head.hash.hex()


def test_a_chain_that_was_dropped_otherwise_is_still_missed(alice):
    database.execute_sql("DELETE FROM event_head")
    database.execute_sql("DELETE FROM user_account")
    assert verify_log().breaks


def test_what_was_read_a_moment_before_does_not_begin_a_new_log(alice):
    (document, _) = fill(alice)
    document.record_reading("document.viewed")
    Event.record_failed_login(alice.id)

    delete_account(alice)
    finish_deletions()
    Event.record_merged_readings(all=True)

    assert EventHead.find(alice.id) is None
    assert not list(Event.select().where(Event.owner_id == alice.id))


def test_what_is_under_way_beside_the_deletion_fails_and_leaves_nothing(alice):
    _, large = SIZES
    delete_account(alice)
    finish_deletions()
    for act in (
        lambda: alice.record_export(1),
        lambda: upload(alice, bytes(large)),
        lambda: ApiKey.issue(alice, "a key", "documents:read", None),
        lambda: Webhook.register(alice.id, "https://hook.example/in"),
        lambda: Collection.make(alice.id, "A title"),
    ):
        with pytest.raises((IntegrityError, Owner.DoesNotExist)):
            act()
    assert {table for table, _ in rows_naming(alice.id)} == {"event"}
    assert EventHead.find(alice.id) is None
    assert verify_log().breaks == []


def test_an_account_whose_password_has_changed_meanwhile_stays(alice):
    fill(alice)
    User.find(alice.id).set_password("another password")
    with pytest.raises(WrongCredentials):
        delete_account(alice)
    assert Document.select().count() == len(SIZES)


def test_what_goes_is_counted(alice, bob):
    fill(alice)
    contents = AccountContents.of(alice.id)
    assert contents == AccountContents(2, sum(SIZES), 2, 1, 1, is_last=False)
    delete_account(bob)
    assert AccountContents.of(alice.id).is_last


def test_live_links_are_counted_where_there_are_few_links(alice, monkeypatch):
    fill(alice)
    for most, counted in ((2, 2), (1, None)):
        monkeypatch.setattr(account_deletion, "MOST_COUNTED", most)
        assert AccountContents.of(alice.id).live_links == counted


@pytest.mark.parametrize("ended", [False, True])
def test_no_more_is_read_to_ask_before_a_deletion_where_there_are_more_links(
    alice, monkeypatch, ended
):
    if engine().is_shared:
        pytest.skip("steps are counted by SQLite")
    monkeypatch.setattr(account_deletion, "MOST_COUNTED", 5)
    document = upload(alice)

    def steps_with(links):
        for _ in range(links):
            link = DocumentToken.issue(document, LinkOptions()).row
            if ended:
                link.revoke()
        return steps_of(lambda: AccountContents.of(alice.id))

    before = steps_with(20)
    assert steps_with(20) <= before + 5


@pytest.mark.slow
def test_no_transaction_of_a_deletion_is_longer_for_more_rows(alice, runtime, changed_rows):
    if engine().is_shared:
        pytest.skip("rows that change are counted by SQLite")
    fill(alice)
    for _ in range(2 * account_deletion.BATCH_DOCUMENTS):
        upload(alice)
    for table, rows in MANY_ROWS.items():
        database.execute_sql(f"INSERT INTO {table} {MANY} {rows}")
    changed_rows.clear()

    delete_account(alice)
    finish_deletions()

    assert sum(changed_rows) > 9_000
    assert max(changed_rows) <= 1_000
    assert {table for table, _ in rows_naming(alice.id)} == {"event"}


@pytest.mark.slow
@pytest.mark.parametrize("killed_at", [0, 1, 150])
def test_a_deletion_that_a_kill_interrupts_locks_out_and_goes_on_at_the_next_start(
    alice, runtime, tmp_path, killed_at
):
    if engine().is_shared:
        pytest.skip("the process that is killed opens the file")
    fill(alice)
    session = Session.begin(alice, 60)
    for _ in range(2 * account_deletion.BATCH_DOCUMENTS):
        upload(alice)
    stored = Document.select().count()
    assert run_program(DELETE, tmp_path, alice.id, killed_at) == -signal.SIGKILL
    left = Document.select().count()
    assert 0 < left == stored - killed_at // account_deletion.BATCH_DOCUMENTS * 100
    assert wrong_totals() == []
    assert User.find_by_email(alice.email) is None
    with pytest.raises(SessionExpired):
        Session.live_of(session.id, alice.id)
    assert verify_log().breaks == []
    successor = User.register(alice.email, "another password", None, "open")

    finish_deletions()

    assert wrong_totals() == []
    assert {table for table, _ in rows_naming(alice.id)} == {"event"}
    assert verify_log().breaks == []
    assert Event.select().where(Event.type == "account.deleted").count() == 1
    assert User.find_by_email(alice.email).id == successor.id


def test_a_deletion_that_fails_after_the_lock_out_has_succeeded_for_its_owner(alice, monkeypatch):
    fill(alice)

    def fails(_):
        raise OperationalError("database or disk is full")

    delete_account(alice)
    with monkeypatch.context() as failing:
        failing.setattr(account_deletion, "forget_all_events", fails)
        with pytest.raises(OperationalError):
            finish_deletions()
    assert Document.select().count() == len(SIZES)

    finish_deletions()

    assert {table for table, _ in rows_naming(alice.id)} == {"event"}

"""models/operations/account_deletion.py"""

import pytest
from peewee import IntegrityError

from models import ApiKey, Document, Event, EventHead, Session, User, Webhook, database
from models.accounts import Invitation
from models.core import WrongCredentials
from models.documents import Collection
from models.events import Mail
from models.links import DocumentToken
from models.operations import (
    AccountContents,
    checkpoint,
    delete_account,
    read_receipts,
    verify_log,
)
from models.records import Owner
from models.storage import SERVICE
from tests.uploads import upload

SIZES = [5, 500_000]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def runtime(configure, request):
    if request.param == "sqlite":
        return configure(reserve_bytes=0)
    return configure(request.getfixturevalue("postgres_server").new_database(), reserve_bytes=0)


def fill(user):
    """Rows of every kind."""
    link = DocumentToken.first_link(user.id)
    documents = [upload(user, bytes(size), prepare=lambda: link) for size in SIZES]
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

    left = list(rows_naming(alice.id, alice.email, *(document.id for document in gone)))
    assert {table for table, _ in left} == {"event"}
    told = [event.type for event in Event.select().where(Event.owner_id == SERVICE)]
    assert told.count("account.deleted") == 1
    assert len(list(rows_naming(bob.id, bob.email))) == others
    assert [b"".join(document.read()) for document in kept] == [bytes(size) for size in SIZES]
    (pieces,) = database.execute_sql("SELECT COUNT(DISTINCT document_id) FROM piece").fetchone()
    assert pieces == len(kept)
    assert User.register(alice.email, "another password", None, "open").id != alice.id


def test_the_log_verifies_and_receipts_of_the_deleted_one_are_of_what_is_forgotten(alice, bob):
    fill(alice)
    head = EventHead.find(alice.id)
    receipts = read_receipts("\n".join(map(str, checkpoint())))

    delete_account(alice)

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
    document.record_read("document.viewed")
    Event.record_failed_login(alice.id)

    delete_account(alice)
    Event.record_merged_readings(all=True)

    assert EventHead.find(alice.id) is None
    assert not list(Event.select().where(Event.owner_id == alice.id))


def test_what_is_under_way_beside_the_deletion_fails_and_leaves_nothing(alice):
    _, large = SIZES
    delete_account(alice)
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

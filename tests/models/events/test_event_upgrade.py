"""A database of an older version: its events are linked, once, and the log tells of it."""

import json

import pytest

from crypto import event_hash, sealing
from models import Event, EventHead, current_runtime
from models.core import OperatorError
from models.operations import verify_log
from models.operations.authority import AuthorityKey
from models.storage import SERVICE
from tests.models.conftest import reopened
from tests.uploads import upload

FORMER_SCHEMA = """
    DROP TABLE event_head;
    ALTER TABLE event RENAME TO newer;
    DROP INDEX event_owner;
    DROP INDEX event_document;
    DROP INDEX event_collection;
    DROP TABLE collection_document;
    DROP TABLE collection;
    CREATE TABLE event (
        id TEXT NOT NULL, created_at INTEGER NOT NULL,
        owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
        type TEXT NOT NULL, document_id TEXT, data TEXT NOT NULL
    );
    INSERT INTO event SELECT id, created_at, owner_id, type, document_id, body -> '$.data'
    FROM newer WHERE owner_id <> 'service';
    DROP TABLE newer;
    CREATE UNIQUE INDEX event_owner ON event (owner_id, id);
    CREATE INDEX event_document ON event (document_id, id) WHERE document_id IS NOT NULL;
    DROP INDEX document_token_document;
    CREATE INDEX document_token_document ON document_token (document_id, id);
    CREATE INDEX document_root ON document (root);
    DROP INDEX document_owner;
    CREATE INDEX document_owner ON document (owner_id, id, size, expires_at);
    DROP INDEX document_binned;
    ALTER TABLE document_token DROP COLUMN sealed_gate;
    DROP TABLE recipient; DROP TABLE opening; DROP TABLE agreement; DROP TABLE former_target;
    ALTER TABLE document DROP COLUMN binned_at;
    DELETE FROM schema_migration
    WHERE name IN ('0014_event_chain', '0015_fewer_indexes', '0024_bin', '0026_collections',
                   '0028_guards', '0029_former_targets', '0030_former_targets_of_log');"""


@pytest.fixture
def former_key():
    """The wrapped key as it was stored before there were chains."""

    def wrapped():
        (row,) = AuthorityKey.select()
        root = current_runtime().keyring[row.root]
        former = sealing.context("key/1", row.id, "authority_key/1")
        return sealing.seal(root.wrap_key, former, row.key)

    return wrapped


@pytest.fixture
def upgraded(alice, bob, former_key, file):
    """Alice has five events and Bob none; the database is closed, as an older version left it."""
    upload(alice).delete_with_tokens()
    for number in range(3):
        Event.record(alice.id, "webhook.test", {"number": number})
    wrapped = former_key()
    found = [
        (event.id, event.type, event.created_at, event.document_id, event.data)
        for event in Event.feed(alice.id, 100, None)[0]
    ]
    file(FORMER_SCHEMA)
    file("UPDATE authority_key SET sealed_key = :key", key=wrapped)
    return found


def test_events_of_an_older_version_are_linked_and_keep_what_they_tell(alice, bob, upgraded):
    with reopened():
        events, _ = Event.feed(alice.id, 100, None)

        assert [(e.id, e.type, e.created_at, e.document_id, e.data) for e in events] == upgraded
        assert [event.sequence for event in events] == [1, 2, 3, 4, 5]
        first = json.loads(events[0].body)
        assert first.keys() == {"id", "type", "createdAt", "data"}
        assert events[0].hash == event_hash(alice.id, 1, bytes(32), events[0].body)
        assert EventHead.find(bob.id).sequence == 0
        assert verify_log().breaks == []


def test_the_first_link_of_the_service_tells_of_the_upgrade(alice, upgraded):
    with reopened():
        (first, *_), _ = Event.feed(SERVICE, 100, None)
        assert (first.sequence, first.type) == (1, "log.began")
        assert first.data == {"chains": 2, "events": 5, "via": "service"}


def test_the_chains_go_on_after_the_upgrade(alice, upgraded):
    with reopened():
        assert Event.record(alice.id, "webhook.test", {}).sequence == 6
        assert verify_log().breaks == []


def test_heads_are_signed_once_only(alice, upgraded, file):
    with reopened():
        pass
    for of_service in ("", "DELETE FROM event_head WHERE id = 'service'"):
        file("UPDATE event_head SET mac = NULL", of_service)
        with reopened():
            assert len(verify_log().breaks) == 3


def test_a_former_key_that_is_put_back_signs_nothing_beside_the_chain_of_the_service(
    alice, former_key, file
):
    wrapped = former_key()
    file("UPDATE authority_key SET sealed_key = :key", key=wrapped)
    with pytest.raises(OperatorError, match="was deleted"):
        reopened()


def test_an_upgrade_that_was_killed_before_the_heads_were_signed_is_completed(
    alice, upgraded, monkeypatch
):
    with monkeypatch.context() as killed:
        killed.setattr(EventHead, "begin", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            reopened()
    current_runtime().close_database()
    with reopened():
        assert verify_log().breaks == []
        assert Event.feed(SERVICE, 100, None)[0][0].data["events"] == 5

"""The key of the service: no row is sealed because of how it lies in the database."""

import pytest

from models import ApiKey, Event, Session, User, Webhook, current_runtime, setup
from models.accounts import Identity, Invitation, make_space
from models.background import sweep
from models.core import KeyRevoked, OperatorError
from models.documents import Document
from models.links import DocumentToken, LinkOptions
from models.sealing_key import ServiceKey
from operations import key_rotation, verification, verify_log
from operations.verification import SEALED_TABLES
from tests.models.conftest import reopened
from tests.uploads import upload


@pytest.fixture
def key_of(alice):
    """The secret of an API key, beside rows of other kinds."""
    Session.begin(alice, 3600)
    DocumentToken.issue(upload(alice), LinkOptions(None, "view", "", None))
    Invitation.issue("carol@example.com")
    Identity.link(alice.id, "proxy", "alice@example.com")
    Webhook.register(alice.id, "https://hook.example/")
    Event.record(alice.id, "webhook.test", {})
    return ApiKey.issue(alice, "a key", "documents:read", None).secret


def test_rows_whose_text_is_struck_out_are_not_sealed_at_the_next_start(alice, key_of, file):
    space = make_space(alice, "Accounting")
    tables = [table for table in SEALED_TABLES if table is not ServiceKey]
    file(*(f"UPDATE {table._meta.table_name} SET sealed = NULL" for table in tables))
    file("UPDATE document SET expires_at = 1")
    for _ in range(2):
        with reopened():
            altered = {line.split()[0] for line in verification.check_rows()}
            rows = [row for table in tables for row in table.each() if row.sealed is None]
            heads = {alice.id, space.id, "service"}
            assert altered | heads == {row.id for row in rows}
            assert {one.owner_id for one in verify_log().breaks} == heads
            assert (sweep(), Document.select().count()) == (0, 1)


@pytest.mark.parametrize("also_deleted", ["answer", "user_account", "event_head"])
def test_without_its_key_the_service_does_not_start_and_seals_nothing(
    alice, key_of, file, also_deleted
):
    file("DELETE FROM service_key", "UPDATE api_key SET scopes = 'documents:delete'")
    file(f"DELETE FROM {also_deleted}")
    before = file("SELECT * FROM api_key")
    with pytest.raises(OperatorError, match="was deleted"):
        setup.open_runtime()
    current_runtime().close_database()
    assert file("SELECT count(*) FROM service_key", "SELECT * FROM api_key") == [[(0,)], *before]


def test_a_key_that_begins_without_users_and_log_opens_no_row_that_is_there(alice, key_of, file):
    (invitation,) = file("SELECT id FROM invitation")[0]
    file("DELETE FROM service_key", "DELETE FROM user_account", "DELETE FROM event_head")
    with reopened():
        assert Invitation.find(invitation[0]) is None
        with pytest.raises(KeyRevoked):
            ApiKey.of_secret(key_of)
        assert User.select().count() == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE service_key SET sealed_key = zeroblob(104)",
        "UPDATE service_key SET (id, sealed_key) = (SELECT id, sealed_key FROM token_key)",
        "UPDATE service_key SET sealed = NULL",
        "UPDATE service_key SET created_at = 1",
        "INSERT INTO service_key SELECT id || '0', created_at, root, sealed_key, sealed"
        " FROM service_key",
    ],
)
def test_an_altered_key_stops_the_start(alice, file, change):
    file(change)
    with pytest.raises(OperatorError, match="was altered"):
        setup.open_runtime()


def test_a_rotation_rewraps_the_key_and_every_row_opens(alice, key_of):
    before = current_runtime().service_key
    old = current_runtime().keyring.primary.id
    key_rotation.rotate_root_keys()
    key_rotation.retire_root_key(old)
    current_runtime().close_database()

    with reopened():
        assert current_runtime().service_key == before
        assert verification.check_rows() == []
        assert ApiKey.of_secret(key_of)[0] == alice.id

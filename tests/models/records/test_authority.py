"""The MAC over authority columns: when rows get it, and that without it nothing changes them, nor
acts on them.
"""

import os
import re
from pathlib import Path

import pytest

import models
from crypto import authority_mac, sealing
from models import (
    ApiKey,
    Document,
    DocumentToken,
    Event,
    EventHead,
    Session,
    User,
    Webhook,
    current_runtime,
    transaction,
)
from models.accounts import Invitation
from models.core import KeyRevoked, NotFound, OperatorError, WrongCredentials
from models.links import LinkOptions, TokenGrant
from models.operations import key_rotation, setup, sweep, verification, verify_log
from models.operations.authority import AUTHENTICATED, AuthorityKey
from tests.models.conftest import bound_to_nothing, reopened
from tests.uploads import upload

PASSWORD = "correct horse battery"
OPTIONS = LinkOptions(None, "view", "", None)
FORMER_SCHEMA = """
    DROP TABLE authority_key;
    ALTER TABLE user_account DROP COLUMN login_generation;
    ALTER TABLE session DROP COLUMN login_generation;
    ALTER TABLE user_account DROP COLUMN authority_mac;
    ALTER TABLE session DROP COLUMN authority_mac;
    ALTER TABLE api_key DROP COLUMN authority_mac;
    ALTER TABLE document_token DROP COLUMN authority_mac;
    ALTER TABLE document DROP COLUMN authority_mac;
    DELETE FROM event_head WHERE id = 'service';
    UPDATE event_head SET mac = NULL;
    DELETE FROM schema_migration WHERE name IN ('0006_authority', '0020_document_authority');"""


@pytest.fixture
def credentials_of(alice):
    """The secrets of a session, an API key and a link."""
    session = Session.begin(alice, 3600)
    key = ApiKey.issue(alice, "a key", "documents:read", None)
    link = DocumentToken.issue(upload(alice), OPTIONS)
    return session.token, key.secret, link.secret


def test_rows_of_an_older_version_are_signed_at_the_next_start(alice, credentials_of, file):
    session, key, link = credentials_of
    former = bound_to_nothing(alice)
    file("UPDATE user_account SET sealed_key = :former", former=former)
    file(FORMER_SCHEMA)

    with reopened():
        assert Session.of_token(session)[0] == alice.id
        assert ApiKey.of_secret(key)[0] == alice.id
        assert TokenGrant.of_secret(link).permissions == {"view"}
        assert User.identify(alice.email, PASSWORD, "").name == "Alice"
        assert verification.check_authority() == []
        assert User.get_by_id(alice.id).sealed_key != former


@pytest.fixture
def former_version(alice, bob, credentials_of, file):
    """What the version before has left: a key that signed no documents, and no end of a link. The
    database is closed; returns the key as it is stored.
    """
    Webhook.register(alice.id, "https://hook.example/")
    Event.record(alice.id, "webhook.test", {})
    key, (row,), rows = os.urandom(32), AuthorityKey.select(), []
    for table in (User, Session, ApiKey, DocumentToken):
        columns = [name for name in table.AUTHORITY if name != "spent_at"]
        rows += [(one, [getattr(one, name) for name in columns]) for one in table.select()]
    rows += [(head, head._authenticated()[1]) for head in EventHead.select()]
    for one, values in rows:
        name = one._meta.table_name
        mac = authority_mac(key, name, tuple(values))
        column = "mac" if name == "event_head" else "authority_mac"
        file(f"UPDATE {name} SET {column} = :mac WHERE id = :id", mac=mac, id=one.id)
    root, context = current_runtime().keyring[row.root], "authority_key/2"
    sealed = sealing.seal(root.wrap_key, sealing.context("key/1", row.id, context), key)
    file("UPDATE authority_key SET sealed_key = :sealed", sealed=sealed)
    file(
        "UPDATE delivery SET event_mac = NULL",
        "UPDATE document SET authority_mac = NULL",
        "ALTER TABLE document DROP COLUMN authority_mac",
        "DELETE FROM schema_migration WHERE name = '0020_document_authority'",
    )
    return sealed


def test_an_upgrade_signs_documents_and_what_was_signed_before(
    alice, credentials_of, former_version, file
):
    file("UPDATE event_head SET mac = zeroblob(32) WHERE id = 'service'")
    with reopened():
        assert verification.check_authority() == []
        assert [one.id for one in Document.page_of(alice.id, 9, None)[0]]
        assert Session.of_token(credentials_of[0])[0] == alice.id
        assert ApiKey.of_secret(credentials_of[1])[0] == alice.id
        assert TokenGrant.of_secret(credentials_of[2]).permissions == {"view"}
        assert [one.owner_id for one in verify_log().breaks] == ["service"]


def test_an_upgrade_signs_nothing_that_was_altered_and_no_document_of_an_altered_user(
    alice, bob, credentials_of, former_version, file
):
    (key_id,) = file("SELECT id FROM api_key")[0][0]
    file(
        "UPDATE api_key SET scopes = 'documents:delete'",
        "UPDATE user_account SET disabled_at = 1 WHERE email LIKE 'bob%'",
    )
    file("UPDATE document SET owner_id = :owner", owner=bob.id)
    with reopened():
        altered = {line.split()[0] for line in verification.check_authority()}
        (document,) = Document.select()
        assert altered == {key_id, bob.id, document.id}


def test_an_upgrade_that_is_killed_between_two_rows_is_made_again(former_version, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(EventHead, "sign", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            reopened()
    current_runtime().close_database()
    with reopened():
        assert verification.check_authority() == []
        assert verify_log().breaks == []


def test_a_former_key_that_is_put_back_signs_nothing(alice, former_version, file):
    with reopened():
        pass
    file("UPDATE authority_key SET sealed_key = :former", former=former_version)
    before = file("SELECT * FROM document", "SELECT * FROM user_account")
    with pytest.raises(OperatorError, match="was altered"):
        setup.open_runtime()
    assert file("SELECT * FROM document", "SELECT * FROM user_account") == before


def test_documents_whose_mac_is_struck_out_are_not_signed_again(former_version, file):
    with reopened():
        pass
    file("UPDATE document SET authority_mac = NULL, expires_at = 1")
    with reopened():
        assert len(verification.check_authority()) == Document.select().count() == 1
        assert sweep() == 0


def test_what_the_sweeper_does_it_does_on_genuine_rows_only(alice, credentials_of, file, caplog):
    Invitation.issue("carol@example.com")
    genuine, link = upload(alice), DocumentToken.select().get()
    with transaction():
        genuine.change(expires_at=1)
    before = [event.type for event in Event.feed(alice.id, 99, None)[0]]
    tables = ("session", "invitation", "document_token", "document")
    for table in tables:
        ended = ", revoked_at = NULL, spent_at = NULL" if table == "document_token" else ""
        altered = f"UPDATE {table} SET expires_at = 1{ended} WHERE id <> :genuine"
        file(altered, genuine=genuine.id)

    with reopened():
        caplog.clear()
        assert (sweep(), sweep()) == (1, 0)
        assert Document.select().count() == 1
        after = [event.type for event in Event.feed(alice.id, 99, None)[0]]
        assert after == [*before, "document.expired"]
        assert DocumentToken.get_by_id(link.id).spent_at is None
        assert (Session.select().count(), Invitation.select().count()) == (1, 1)
        assert verify_log().breaks == []
        altered = {line.split()[0] for line in verification.check_authority()}
        assert altered == {line.split()[0] for line in caplog.messages}
        assert len(caplog.messages) == len(tables)


def test_an_optional_column_joins_the_mac_only_while_it_has_a_value(alice):
    document = upload(alice)
    without = document.authority_mac
    values = [getattr(document, name) for name in Document.AUTHORITY]
    key = current_runtime().authority_key
    assert without == authority_mac(key, "document", tuple(values))
    with transaction():
        document.change(binned_at=7)
    assert document.authority_mac == authority_mac(key, "document", (*values, "binned_at", 7))
    with transaction():
        Document.get_by_id(document.id).change(binned_at=None)
    assert Document.get_by_id(document.id).authority_mac == without


@pytest.mark.parametrize("value", ["NULL", "8", "'a'"])
def test_an_optional_column_that_is_altered_or_struck_out_is_found(alice, file, value):
    document = upload(alice)
    with transaction():
        document.change(binned_at=7)
    assert verification.check_authority() == []
    file(f"UPDATE document SET binned_at = {value}")
    with reopened():
        assert [line.split()[0] for line in verification.check_authority()] == [document.id]


def test_without_its_key_the_service_does_not_start_and_signs_nothing(alice, credentials_of, file):
    file("DELETE FROM authority_key", "UPDATE api_key SET scopes = 'documents:delete'")
    with pytest.raises(OperatorError, match="was deleted"):
        setup.open_runtime()
    current_runtime().close_database()
    assert file("SELECT count(*) FROM authority_key") == [[(0,)]]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE authority_key SET sealed_key = zeroblob(104)",
        "UPDATE authority_key SET (id, sealed_key) = (SELECT id, sealed_key FROM token_key)",
        "INSERT INTO authority_key SELECT id || '0', created_at, root, sealed_key"
        " FROM authority_key",
    ],
)
def test_an_altered_key_stops_the_start(alice, file, change):
    file(change)
    with pytest.raises(OperatorError, match="was altered"):
        setup.open_runtime()


def test_rows_are_signed_only_for_users_that_an_older_version_stored(alice, credentials_of, file):
    """Without users nothing proves that rows were ever signed; then none gets signed."""
    _, key, _ = credentials_of
    ((user,), (signer,)) = file("SELECT * FROM user_account", "SELECT * FROM authority_key")
    file(
        "DELETE FROM authority_key",
        "DELETE FROM event_head",
        "UPDATE api_key SET authority_mac = NULL",
        "UPDATE user_account SET sealed_key = zeroblob(104), authority_mac = NULL",
    )
    with reopened():
        assert [row.authority_mac for row in (*User.each(), *ApiKey.each())] == [None, None]
        with pytest.raises(KeyRevoked):
            ApiKey.of_secret(key)


def test_a_key_of_another_table_makes_no_user(alice, file):
    (made_up,) = file("SELECT id, root, sealed_key FROM token_key")
    file("DELETE FROM authority_key", "DELETE FROM user_account", "DELETE FROM event_head")
    row = dict(zip(("id", "root", "sealed_key"), made_up[0], strict=True))
    file(
        "INSERT INTO user_account (id, created_at, email, email_folded, root, sealed_key,"
        " sealed_name, sealed_password) VALUES (:id, 1, 'a', 'a', :root, :sealed_key, x'', x'')",
        **row,
    )

    with reopened():
        assert [user.authority_mac for user in User.each()] == [None]


def test_a_rotation_rewraps_the_key_and_leaves_every_row_genuine(alice, credentials_of):
    before = current_runtime().authority_key
    old = current_runtime().keyring.primary.id
    key_rotation.rotate_root_keys()
    key_rotation.retire_root_key(old)
    current_runtime().close_database()

    with reopened():
        assert current_runtime().authority_key == before
        assert verification.check_authority() == []
        assert ApiKey.of_secret(credentials_of[1])[0] == alice.id


def test_a_change_applies_to_the_row_as_it_is_now(alice):
    stale = ApiKey.issue(alice, None, "documents:read", None).row
    with transaction():
        ApiKey.find(stale.id).change(scopes="events:read")
        stale.change(expires_at=5)
    found = ApiKey.find(stale.id)
    assert (found.scopes, found.expires_at) == ("events:read", 5)
    assert stale.scopes == "events:read"


def test_a_change_does_not_sign_what_was_altered(alice, file):
    key = ApiKey.issue(alice, None, "documents:read", None)
    file("UPDATE api_key SET scopes = 'documents:delete'")
    with reopened(), transaction():
        altered = ApiKey.get_by_id(key.id)
        with pytest.raises(NotFound):
            altered.change(expires_at=5)
        key.change(expires_at=5)  # of the row as it was before: the columns still do not fit
        assert not ApiKey.get_by_id(key.id).is_genuine()


@pytest.mark.parametrize("table", AUTHENTICATED, ids=lambda table: table.__name__)
def test_authority_columns_are_not_changed_without_their_mac(table):
    for name in (*table.AUTHORITY, *table.AUTHORITY_OPTIONAL, "authority_mac"):
        with pytest.raises(ValueError, match=name):
            table.update({name: 1})
        with pytest.raises(ValueError, match=name):
            table.update({getattr(table, name): 1})
        with pytest.raises(ValueError, match=name):
            table.update(**{name: 1})


def test_no_statement_in_the_code_changes_an_authority_column():
    columns = {
        table._meta.table_name: {*table.AUTHORITY, *table.AUTHORITY_OPTIONAL}
        for table in AUTHENTICATED
    }
    statement = re.compile(r"UPDATE (\w+)\s+SET (.*?)(?:WHERE|\"\"\")", re.S)
    for path in Path(models.__file__).parent.rglob("*.py"):
        if "migrations" in path.parts:
            continue
        for table, assignments in statement.findall(path.read_text()):
            assert not set(re.findall(r"(\w+) =", assignments)) & columns.get(table, set()), path


def test_an_altered_id_does_not_write_lines_into_the_log(alice, file, caplog):
    key = ApiKey.issue(alice, None, "documents:read", None)
    file("UPDATE api_key SET id = 'key_1' || char(10) || 'a line'")
    with reopened(), pytest.raises(KeyRevoked):
        ApiKey.of_secret(key.secret)
    assert caplog.messages[0].startswith("key_1?a?line was altered")


def test_a_login_whose_password_is_changed_before_its_session_begins_is_refused(alice):
    identified = User.identify(alice.email, PASSWORD, "")
    User.find(alice.id).change_password("another password", kept_session_id="")
    with pytest.raises(WrongCredentials):
        Session.begin(identified, 3600)
    assert Session.select().count() == 0


def test_of_two_password_changes_with_the_same_old_one_the_second_is_refused(alice):
    first, second = (User.identify(alice.email, PASSWORD, "") for _ in range(2))
    first.change_password("a first password", kept_session_id="")
    with pytest.raises(WrongCredentials):
        second.change_password("a second password", kept_session_id="")
    assert User.identify(alice.email, "a first password", "") == alice


def test_a_login_is_refused_when_the_account_is_disabled_before_its_session_begins(alice):
    identified = User.identify(alice.email, PASSWORD, "")
    User.of_email(alice.email).disable()
    with pytest.raises(WrongCredentials):
        Session.begin(identified, 3600)

"""The MAC over authority columns: without it nothing changes them, nor acts on them, and
no row gets one because of how it lies in the database.
"""

import re
from pathlib import Path

import pytest

import models
from crypto import authority_mac
from models import (
    ApiKey,
    Document,
    DocumentToken,
    Event,
    Session,
    User,
    Webhook,
    current_runtime,
    transaction,
)
from models.accounts import Identity, Invitation, make_space
from models.core import KeyRevoked, NotFound, OperatorError, WrongCredentials
from models.events import WebhookDelivery
from models.links import LinkOptions
from models.operations import key_rotation, setup, sweep, verification, verify_log
from models.operations.authority import AUTHENTICATED
from tests.models.conftest import reopened
from tests.uploads import upload

PASSWORD = "correct horse battery"
OPTIONS = LinkOptions(None, "view", "", None)


@pytest.fixture
def credentials_of(alice):
    """The secrets of a session, an API key and a link."""
    session = Session.begin(alice, 3600)
    key = ApiKey.issue(alice, "a key", "documents:read", None)
    link = DocumentToken.issue(upload(alice), OPTIONS)
    return session.token, key.secret, link.secret


def test_rows_whose_mac_is_struck_out_are_not_signed_at_the_next_start(alice, credentials_of, file):
    Invitation.issue("carol@example.com")
    Identity.link(alice.id, "proxy", "alice@example.com")
    space = make_space(alice, "Accounting")
    Webhook.register(alice.id, "https://hook.example/")
    Event.record(alice.id, "webhook.test", {})
    tables = [table._meta.table_name for table in AUTHENTICATED]
    file(*(f"UPDATE {table} SET authority_mac = NULL" for table in tables))
    file("UPDATE event_head SET mac = NULL", "UPDATE delivery SET event_mac = NULL")
    file("UPDATE document SET expires_at = 1")
    for _ in range(2):
        with reopened():
            altered = {line.split()[0] for line in verification.check_authority()}
            rows = [row for table in AUTHENTICATED for row in table.each()]
            assert altered == {row.id for row in (*rows, *WebhookDelivery.select())}
            assert len(altered) == len(tables) + 2  # two accounts, and a delivery
            assert {one.owner_id for one in verify_log().breaks} == {alice.id, space.id, "service"}
            assert (sweep(), Document.select().count()) == (0, 1)


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


@pytest.mark.parametrize("also_deleted", ["answer", "user_account", "event_head"])
def test_without_its_key_the_service_does_not_start_and_signs_nothing(
    alice, credentials_of, file, also_deleted
):
    file("DELETE FROM authority_key", "UPDATE api_key SET scopes = 'documents:delete'")
    file(f"DELETE FROM {also_deleted}")
    before = file("SELECT * FROM api_key")
    with pytest.raises(OperatorError, match="was deleted"):
        setup.open_runtime()
    current_runtime().close_database()
    assert file("SELECT count(*) FROM authority_key", "SELECT * FROM api_key") == [[(0,)], *before]


def test_a_key_that_begins_without_users_and_log_signs_no_row_that_is_there(
    alice, credentials_of, file
):
    _, key, _ = credentials_of
    (user,) = file("SELECT * FROM user_account")[0]
    file("DELETE FROM authority_key", "DELETE FROM user_account", "DELETE FROM event_head")
    with reopened():
        pass
    marks = ", ".join(f":v{n}" for n in range(len(user)))
    values = {f"v{n}": value for n, value in enumerate(user)}
    file(f"INSERT INTO user_account VALUES ({marks})", **values)
    with reopened():
        assert len(verification.check_authority()) == 5
        with pytest.raises(KeyRevoked):
            ApiKey.of_secret(key)


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

"""Root key rotation resumes, runs beside readers and writers, and leaves no old wrapping."""

import os

import pytest

from crypto import Keyring, KeyringError, generate_root_key
from models import Document, StoredResponse, User, connected, current_runtime, setup, transaction
from models.accounts import TokenKey
from models.documents.uploads import STEP_PIECES
from models.storage import engine
from models.storage.payloads import PIECE_BYTES
from operations import key_rotation as rotation
from tests.uploads import Sent, send, upload


@pytest.fixture
def rows(alice):
    """A row of each table with data keys; two of them were created with the database."""
    StoredResponse.keep("ans_1", "fingerprint", {"secret": "once"})
    return [alice, upload(alice), StoredResponse.get_by_id("ans_1")]


def count_rows_with_keys():
    return sum(setup.root_keys_in_use().values())


def everything_decrypts():
    return (
        all(user.password_digest for user in User.select())
        and all(b"".join(one.read()) == b"content" for one in Document.select())
        and StoredResponse.replayed("ans_1", "fingerprint") == {"secret": "once"}
        and len(TokenKey.newest_first()) == TokenKey.select().count()
    )


def test_rows_of_every_table_are_rewrapped_and_decrypt(rows):
    old, reports = current_runtime().keyring.primary.id, []
    count = count_rows_with_keys()

    done = rotation.rotate_root_keys(lambda *report: reports.append(report))

    primary = current_runtime().keyring.primary
    assert reports == [(number, count) for number in range(1, count + 1)]
    assert (done.rewrapped, done.damaged) == (count, [])
    assert done.new_root_key.id == primary.id
    assert setup.root_keys_in_use() == {primary.id: count + 1}  # with the new token key
    assert old != done.new_root_key.id
    assert everything_decrypts()


def test_an_interrupted_rotation_is_completed_without_another_root_key(rows, monkeypatch):
    old, rewrap_rows, calls = current_runtime().keyring.primary.id, rotation._rewrap_rows, []

    def interrupt(*args):
        calls.append(rewrap_rows(*args))
        if len(calls) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(rotation, "_rewrap_rows", interrupt)
        with pytest.raises(KeyboardInterrupt):
            rotation.rotate_root_keys()
    in_use = setup.root_keys_in_use()
    assert len(in_use) == 2
    assert everything_decrypts()

    done = rotation.rotate_root_keys()

    assert done.new_root_key is None
    assert done.rewrapped == in_use[old]
    assert len(list(current_runtime().keyring)) == 2
    assert everything_decrypts()


def test_only_an_unused_root_key_that_is_not_the_primary_can_be_retired(rows):
    old = current_runtime().keyring.primary.id
    with pytest.raises(KeyringError, match="is the primary"):
        rotation.retire_root_key(old)
    current_runtime().keyring.add()
    with pytest.raises(KeyringError, match=f"used by {count_rows_with_keys()} rows"):
        rotation.retire_root_key(old)
    with pytest.raises(KeyringError, match="no root key unknown"):
        rotation.retire_root_key("unknown")

    rotation.rotate_root_keys()
    rotation.retire_root_key(old)

    assert [root.id for root in current_runtime().keyring] == [rotation.list_root_keys()[0].id]
    assert everything_decrypts()


def test_rewrapped_rows_are_synced_before_the_old_root_key_is_removed(rows, monkeypatch):
    old, done = current_runtime().keyring.primary.id, []
    rotation.rotate_root_keys()
    monkeypatch.setattr(engine(), "sync", lambda *_: done.append("synced"))
    monkeypatch.setattr(current_runtime().keyring, "remove", done.append)
    rotation.retire_root_key(old)
    assert done == ["synced", old, "synced"]  # the last one ends the transaction


def test_rows_read_before_the_rotation_decrypt_and_keep_their_new_wrapping_when_saved(rows):
    old = current_runtime().keyring.primary.id
    user, document, edited = User.select().get(), *(Document.select().get() for _ in range(2))
    rotation.rotate_root_keys()
    rotation.retire_root_key(old)

    assert user.name == "Alice"
    assert b"".join(document.read()) == b"content"
    with transaction(edited.owner_id):
        edited.change(given_name="later.txt")

    assert Document.select().get().name == "later.txt"
    assert old not in setup.root_keys_in_use()


def test_a_key_replaced_during_the_rotation_is_not_overwritten(rows, monkeypatch):
    rewrapped = StoredResponse.rewrapped

    def slow(answer, root):
        wrapped = rewrapped(answer, root)
        monkeypatch.setattr(StoredResponse, "rewrapped", rewrapped)
        StoredResponse.delete().execute()
        StoredResponse.keep("ans_1", "fingerprint", {"secret": "once"})
        return wrapped

    monkeypatch.setattr(StoredResponse, "rewrapped", slow)
    rotation.rotate_root_keys()

    assert everything_decrypts()


def test_no_key_is_wrapped_under_a_root_key_that_is_no_longer_the_primary(rows, monkeypatch):
    rewrapped = Document.rewrapped

    def slow(document, root):
        current_runtime().keyring.add()
        return rewrapped(document, root)

    monkeypatch.setattr(Document, "rewrapped", slow)
    with pytest.raises(KeyringError, match="Another process"):
        rotation.rotate_root_keys()

    assert everything_decrypts()


def test_a_damaged_row_is_reported_and_stops_neither_this_nor_the_next_rotation(rows):
    document = rows[1]
    document.change(sealed_key=bytes(104))
    assert rotation.rotate_root_keys().damaged == [document.id]
    later = rotation.rotate_root_keys()
    assert later.new_root_key is not None
    assert (later.rewrapped, later.damaged) == (5, [document.id])


def test_an_upload_wraps_its_key_under_the_primary_at_the_time_of_the_transaction(instance, alice):
    server, other = current_runtime().keyring, Keyring(instance / "keyring")
    assert server.primary.id == other.primary.id
    added = other.add()
    with transaction():
        document = upload(alice)
    assert document.root == added.id


def test_a_long_upload_succeeds_although_its_root_key_is_retired_meanwhile(alice):
    old, content = current_runtime().keyring.primary.id, os.urandom(3 * STEP_PIECES * PIECE_BYTES)

    def pieces():
        for at in range(0, len(content), PIECE_BYTES):
            yield content[at : at + PIECE_BYTES]
            if at == 2 * STEP_PIECES * PIECE_BYTES:
                with connected():
                    rotation.rotate_root_keys()
                    rotation.retire_root_key(old)

    document = send(alice, Sent(pieces(), len(content)))

    assert old not in setup.root_keys_in_use()
    assert b"".join(Document.get_by_id(document.id).read()) == content


def test_after_a_rotation_the_old_wrappings_are_nowhere_on_disk(instance, alice):
    for _ in range(50):
        upload(alice)
    wrapped = [bytes(key) for (key,) in Document.select(Document.sealed_key).tuples()]
    stored = b"".join(path.read_bytes() for path in instance.iterdir())
    assert all(key in stored for key in wrapped)
    rotation.rotate_root_keys()
    stored = b"".join(path.read_bytes() for path in instance.iterdir())
    assert not any(key in stored for key in wrapped)


def test_a_keyring_given_as_text_is_rotated_by_changing_the_text(instance, rows):
    lines = (instance / "keyring").read_text()
    setup.use_keyring(Keyring(text=lines))
    with pytest.raises(KeyringError, match="keys make"):
        rotation.rotate_root_keys()
    setup.use_keyring(Keyring(text=f"{generate_root_key()}\n{lines}"))

    done = rotation.rotate_root_keys()

    assert (done.new_root_key, done.rewrapped) == (None, 5)
    with connected():
        assert everything_decrypts()

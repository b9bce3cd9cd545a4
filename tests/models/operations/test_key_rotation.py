"""Rotating root keys: resumable, beside a server that reads and writes, and leaving nothing."""

import os

import pytest

from crypto import Keyring, KeyringError
from models import Document, StoredResponse, User, connected, setup, transaction
from models.operations import key_rotation as rotation
from models.records.table import Table
from models.storage.payload_rows import PIECE_BYTES
from models.token_key import TokenKey
from models.upload import STEP_PIECES, uploaded
from tests.uploads import upload


@pytest.fixture
def sealed(alice):
    """A row of each kind that has a key; the house came with one for session tokens."""
    StoredResponse.keep("ans_1", "fingerprint", {"secret": "once"})
    return [alice, upload(alice), StoredResponse.get_by_id("ans_1")]


def everything_opens():
    return (
        all(user.password_digest for user in User.select())
        and all(b"".join(one.read()) == b"content" for one in Document.select())
        and StoredResponse.given("ans_1", "fingerprint") == {"secret": "once"}
        and len(TokenKey.newest_first()) == TokenKey.select().count()
    )


def test_every_kind_of_row_moves_to_the_new_root_and_opens(sealed):
    former = Table.keyring.primary.id

    done = rotation.rotate()

    assert (done.moved, done.damaged, done.new.id) == (4, [], Table.keyring.primary.id)
    assert setup.root_keys_in_use() == {done.new.id: 5}  # with the next key for session tokens
    assert former != done.new.id
    assert everything_opens()


def test_a_rotation_cut_off_is_finished_without_another_root(sealed, monkeypatch):
    move, moved = rotation._move, []

    def cut(*args):
        moved.append(move(*args))
        if len(moved) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(rotation, "_move", cut)
        with pytest.raises(KeyboardInterrupt):
            rotation.rotate()
    assert len(setup.root_keys_in_use()) == 2
    assert everything_opens()

    done = rotation.rotate()

    assert (done.new, done.moved) == (None, 2)
    assert len(list(Table.keyring)) == 2
    assert everything_opens()


def test_a_root_retires_only_when_no_row_uses_it_and_never_the_one_that_seals(sealed):
    former = Table.keyring.primary.id
    with pytest.raises(KeyringError, match="seals what is new"):
        rotation.retire(former)
    Table.keyring.add()
    with pytest.raises(KeyringError, match="used by 4 rows"):
        rotation.retire(former)
    with pytest.raises(KeyringError, match="no root key unknown"):
        rotation.retire("unknown")

    rotation.rotate()
    rotation.retire(former)

    assert [root.id for root in Table.keyring] == [rotation.roots()[0].id]
    assert everything_opens()


def test_what_the_rows_left_is_on_disk_before_their_former_root_goes(sealed, monkeypatch):
    former, done = Table.keyring.primary.id, []
    rotation.rotate()
    monkeypatch.setattr(rotation, "sync_wal", lambda: done.append("synced"))
    monkeypatch.setattr(Table.keyring, "remove", done.append)

    rotation.retire(former)

    assert done == ["synced", former]


def test_a_row_read_before_the_rotation_opens_after_its_root_was_retired(sealed):
    former = Table.keyring.primary.id
    user, document = User.select().get(), Document.select().get()
    rotation.rotate()
    rotation.retire(former)

    assert user.name == "Alice"
    assert b"".join(document.read()) == b"content"


def test_a_stale_row_that_is_changed_keeps_its_new_wrapping(sealed):
    former = Table.keyring.primary.id
    document = Document.select().get()
    rotation.rotate()
    rotation.retire(former)

    document.edit(name="later.txt")

    assert Document.select().get().name == "later.txt"
    assert former not in setup.root_keys_in_use()


def test_a_row_that_was_drawn_anew_meanwhile_is_not_overwritten(sealed, monkeypatch):
    rewrapped = StoredResponse.rewrapped

    def slow(answer, root):
        wrapped = rewrapped(answer, root)
        monkeypatch.setattr(StoredResponse, "rewrapped", rewrapped)
        StoredResponse.keep("ans_1", "fingerprint", {"secret": "once"})
        return wrapped

    monkeypatch.setattr(StoredResponse, "rewrapped", slow)
    rotation.rotate()

    assert everything_opens()


def test_nothing_is_wrapped_under_a_root_that_another_rotation_has_replaced(sealed, monkeypatch):
    rewrapped = Document.rewrapped

    def slow(document, root):
        Table.keyring.add()
        return rewrapped(document, root)

    monkeypatch.setattr(Document, "rewrapped", slow)
    with pytest.raises(KeyringError, match="somebody else"):
        rotation.rotate()

    assert everything_opens()


def test_a_damaged_row_is_named_and_does_not_stop_the_others_or_the_next_rotation(sealed):
    document = sealed[1]
    document.change(sealed_key=bytes(104))

    assert rotation.rotate().damaged == [document.id]
    later = rotation.rotate()

    assert (later.new is not None, later.moved, later.damaged) == (True, 4, [document.id])


def test_an_upload_seals_under_the_root_that_is_first_when_it_holds_the_lock(instance, alice):
    server, other = Table.keyring, Keyring(instance / "keyring")
    assert server.primary.id == other.primary.id
    added = other.add()

    with transaction():
        document = upload(alice)

    assert document.root == added.id


def test_an_upload_in_steps_outlives_the_root_it_began_under(alice):
    former, content = Table.keyring.primary.id, os.urandom(3 * STEP_PIECES * PIECE_BYTES)

    def pieces():
        for at in range(0, len(content), PIECE_BYTES):
            yield content[at : at + PIECE_BYTES]
            if at == 2 * STEP_PIECES * PIECE_BYTES:
                with connected():
                    rotation.rotate()
                    rotation.retire(former)

    with uploaded(alice.id, pieces(), size=len(content), content_type="a/b") as document:
        pass

    assert former not in setup.root_keys_in_use()
    assert b"".join(Document.get_by_id(document.id).read()) == content


def test_after_a_rotation_the_former_wrappings_are_nowhere_on_disk(instance, alice):
    for _ in range(50):
        upload(alice)
    wrapped = [bytes(key) for (key,) in Document.select(Document.sealed_key).tuples()]
    stored = b"".join(path.read_bytes() for path in instance.iterdir())
    assert all(key in stored for key in wrapped)

    rotation.rotate()

    stored = b"".join(path.read_bytes() for path in instance.iterdir())
    assert not any(key in stored for key in wrapped)


def test_progress_is_told_up_to_the_whole(sealed):
    told = []

    rotation.rotate(lambda done, total: told.append((done, total)))

    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_keyring_in_text_is_rotated_by_whoever_keeps_it(instance, sealed):
    lines = (instance / "keyring").read_text()
    setup.use(Keyring(text=lines))
    with pytest.raises(KeyringError, match="keys make"):
        rotation.rotate()
    setup.use(Keyring(text=f"{rotation.generate_root_key()}\n{lines}"))

    done = rotation.rotate()

    assert (done.new, done.moved) == (None, 4)
    with connected():
        assert everything_opens()

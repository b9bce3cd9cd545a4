"""Root keys are rotated and retired only as far as every process that serves knows them."""

import pytest

from crypto import KeyringError, generate_root_key
from models import current_runtime, database, setup
from models.core import OperatorError
from models.runtime import forget_node, report_node
from operations import list_root_keys, retire_root_key, rotate_root_keys

SOON = 2**53  # a moment far ahead, so that the node counts as alive


@pytest.fixture
def runtime(configure_on_server):
    return configure_on_server()


@pytest.fixture
def keyring(instance):
    """The file of this process, whose database no other one serves yet."""
    return instance / "keyring"


def other_node_has(*root_ids):
    row = {"id": "app-2 0.0.0.0:8000 1", "roots": " ".join(root_ids), "seen_at": SOON}
    database.execute_sql("DELETE FROM node")
    database.execute_sql("INSERT INTO node VALUES (:id, :roots, :seen_at)", row)


def own_roots():
    return [root.id for root in current_runtime().keyring]


def test_a_process_that_serves_alone_adds_a_root_key_to_its_file(keyring):
    (old,) = own_roots()
    rotate_root_keys()
    report_node()
    new, _ = own_roots()
    assert new != old
    retire_root_key(old)
    assert own_roots() == [new]


def test_beside_another_process_a_rotation_says_what_to_do_first(keyring):
    other_node_has(*own_roots())
    before = keyring.read_text()
    with pytest.raises(KeyringError, match="append the line to the keyring of every machine"):
        rotate_root_keys()
    assert keyring.read_text() == before


def test_a_new_root_key_is_used_by_a_rotation_when_every_process_knows_it(keyring):
    (old,) = own_roots()
    other_node_has(old)
    keyring.write_text(f"{generate_root_key()}\n{keyring.read_text()}")
    new, _ = own_roots()

    with pytest.raises(KeyringError, match=rf"app-2 .* lacks root key {new}.* Append its line"):
        rotate_root_keys()
    assert setup.root_keys_in_use().keys() == {old}

    other_node_has(old, new)
    assert rotate_root_keys().new_root_key is None
    assert setup.root_keys_in_use().keys() == {new}
    with pytest.raises(KeyringError, match=rf"{old} is still the first of app-2 .* Move the new"):
        retire_root_key(old)
    other_node_has(new, old)
    retire_root_key(old)
    assert [one.id for one in list_root_keys()] == [new]


def test_a_rotation_with_a_keyring_that_lacks_what_another_process_writes_is_refused(keyring):
    other_node_has("0123456789abcdef", *own_roots())
    with pytest.raises(KeyringError, match=r"Our keyring lacks root key 0123456789abcdef.* Append"):
        rotate_root_keys()


def test_a_second_process_of_the_same_name_is_told_of_in_a_sentence(keyring, caplog, monkeypatch):
    first = report_as(monkeypatch, 1)
    second = report_as(monkeypatch, 2)  # has the name of a living one, and forgets it
    assert caplog.messages == []
    first()
    second()
    assert len(caplog.messages) == 2
    with pytest.raises(OperatorError, match="2 processes are named .* Give each another"):
        rotate_root_keys()


def test_a_process_that_starts_again_after_a_kill_is_not_taken_for_two(
    keyring, caplog, monkeypatch
):
    report_as(monkeypatch, 1)
    report_as(monkeypatch, 2)()
    assert caplog.messages == []
    rotate_root_keys()


def report_as(monkeypatch, started_at):
    """Start as another process of this name does; returns what it repeats while it lives."""

    def report():
        monkeypatch.setattr(current_runtime(), "started_at", started_at)
        report_node()

    forget_node()
    report()
    return report

"""The keyring: where roots come from, and what is refused before it can do harm."""

import os

import pytest

from crypto import Keyring, KeyringError, credentials
from crypto.keyring import LENGTH, PREFIX, Root


def fresh_line():
    return credentials.fresh(PREFIX, LENGTH)


def test_a_new_keyring_is_private_and_has_one_root(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")

    assert os.stat(tmp_path / "keyring").st_mode & 0o777 == 0o600
    assert [root.id for root in ring] == [ring.primary.id]


def test_an_existing_keyring_is_never_overwritten(tmp_path):
    Keyring.create(tmp_path / "keyring")

    with pytest.raises(FileExistsError):
        Keyring.create(tmp_path / "keyring")


def test_the_first_line_seals_and_all_of_them_open():
    one, two = fresh_line(), fresh_line()

    ring = Keyring(text=f"# a comment\n{one}  # newest\n{two}\n")

    assert ring.primary.id == Root(one).id
    assert ring[Root(two).id].wrap_key == Root(two).wrap_key


def test_a_line_damaged_in_copying_is_refused():
    line = fresh_line()
    with pytest.raises(KeyringError, match="damaged"):
        Keyring(text=line[:-10] + ("A" if line[-10] != "A" else "B") + line[-9:])


@pytest.mark.parametrize("text", ["", "# only a comment", "\n\n"])
def test_a_keyring_without_a_root_is_refused(text):
    with pytest.raises(KeyringError, match="no root key"):
        Keyring(text=text)


def test_a_keyring_that_others_can_read_is_refused_with_the_mend(tmp_path):
    Keyring.create(tmp_path / "keyring")
    (tmp_path / "keyring").chmod(0o644)

    with pytest.raises(KeyringError, match="chmod 600"):
        Keyring(tmp_path / "keyring")


def test_a_changed_file_is_seen_without_a_restart(tmp_path):
    ring, line = Keyring.create(tmp_path / "keyring"), fresh_line()

    (tmp_path / "keyring").write_text(f"{line}\n")

    assert ring.primary.id == Root(line).id


def test_a_root_that_is_not_there_is_named():
    with pytest.raises(KeyringError, match="0123456789abcdef"):
        Keyring(text=fresh_line())["0123456789abcdef"]


def test_a_command_may_print_the_keyring(tmp_path):
    line = fresh_line()
    (tmp_path / "ring").write_text(line)

    assert Keyring.from_command(f"cat {tmp_path / 'ring'}").primary.id == Root(line).id


def test_a_command_that_fails_does_not_show_what_it_printed():
    with pytest.raises(KeyringError, match="command failed"):
        Keyring.from_command("false")


def test_what_is_derived_differs_by_purpose_and_hides_the_root():
    root = Root(fresh_line())

    assert root.wrap_key != root.session_key
    assert root.wrap_key.hex() not in repr(root)

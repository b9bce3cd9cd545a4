"""The keyring: its sources, its changes, and what it rejects."""

import os
from datetime import date

import pytest

from crypto import Keyring, KeyringError, credentials, keyring, keyring_file
from crypto.keyring import LENGTH, PREFIX, RootKey


def new_line():
    return credentials.generate(PREFIX, LENGTH)


def test_a_new_keyring_is_private_and_has_one_root_key(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")

    assert os.stat(tmp_path / "keyring").st_mode & 0o777 == 0o600
    assert [root.id for root in ring] == [ring.primary.id]


def test_an_existing_keyring_is_never_overwritten(tmp_path):
    Keyring.create(tmp_path / "keyring")

    with pytest.raises(FileExistsError):
        Keyring.create(tmp_path / "keyring")


def test_the_first_root_key_is_the_primary_and_all_are_available():
    one, two = new_line(), new_line()

    ring = Keyring(text=f"# a comment\n{one}  # newest\n{two}\n")

    assert ring.primary.id == RootKey(one).id
    assert ring[RootKey(two).id].wrap_key == RootKey(two).wrap_key


def test_a_line_damaged_in_copying_is_refused():
    line = new_line()
    with pytest.raises(KeyringError, match="damaged"):
        Keyring(text=line[:-10] + ("A" if line[-10] != "A" else "B") + line[-9:])


@pytest.mark.parametrize("text", ["", "# only a comment", "\n\n"])
def test_a_keyring_without_a_root_key_is_refused(text):
    with pytest.raises(KeyringError, match="no root key"):
        Keyring(text=text)


def test_a_keyring_that_others_can_read_is_refused_with_the_remedy(tmp_path):
    Keyring.create(tmp_path / "keyring")
    (tmp_path / "keyring").chmod(0o644)

    with pytest.raises(KeyringError, match="chmod 600"):
        Keyring(tmp_path / "keyring")


def test_a_missing_keyring_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(KeyringError, match="Put its copy back there; no new one is made"):
        Keyring(tmp_path / "keyring")
    assert not (tmp_path / "keyring").exists()


def test_a_changed_file_is_seen_without_a_restart(tmp_path):
    ring, line = Keyring.create(tmp_path / "keyring"), new_line()

    (tmp_path / "keyring").write_text(f"{line}\n")

    assert ring.primary.id == RootKey(line).id


def test_the_id_of_a_missing_root_key_is_given():
    with pytest.raises(KeyringError, match="0123456789abcdef"):
        Keyring(text=new_line())["0123456789abcdef"]


def test_a_command_may_print_the_keyring(tmp_path):
    line = new_line()
    (tmp_path / "ring").write_text(line)

    assert Keyring.from_command(f"cat {tmp_path / 'ring'}").primary.id == RootKey(line).id


def test_the_error_of_a_failed_command_does_not_contain_its_output():
    with pytest.raises(KeyringError, match="command failed"):
        Keyring.from_command("false")


def test_derived_keys_differ_by_purpose_and_are_not_printed():
    root = RootKey(new_line())

    assert not root.wrap_key.hex().startswith(root.id)
    assert root.wrap_key.hex() not in repr(root)


def test_a_new_root_key_comes_first_and_the_old_ones_are_kept(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")
    old = ring.primary.id

    new = ring.add()

    assert [root.id for root in ring] == [new.id, old]
    assert [root.id for root in Keyring(tmp_path / "keyring")] == [new.id, old]
    assert new.made_on
    assert (tmp_path / "keyring").read_text().startswith("# Document Service keyring")
    assert [path.name for path in tmp_path.iterdir()] == ["keyring"]
    assert os.stat(tmp_path / "keyring").st_mode & 0o777 == 0o600


def test_a_removed_root_key_takes_only_its_own_line_with_it(tmp_path):
    one, two, three = new_line(), new_line(), new_line()
    path = tmp_path / "keyring"
    path.write_text(f"# ours\n{one} {two}  # both\n{three}  # 2020-01-01\n")
    path.chmod(0o600)
    ring = Keyring(path)

    ring.remove(RootKey(two).id)
    assert path.read_text() == f"# ours\n{one}  # both\n{three}  # 2020-01-01\n"
    ring.remove(RootKey(three).id)

    assert path.read_text() == f"# ours\n{one}  # both\n"
    assert [root.id for root in ring] == [RootKey(one).id]


def test_the_content_of_the_replaced_file_is_overwritten(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")
    with (tmp_path / "keyring").open() as old:
        ring.add()

        assert set(old.read()) == {"\0"}


def test_a_hard_link_to_the_replaced_file_keeps_its_content(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")
    text = (tmp_path / "keyring").read_text()
    os.link(tmp_path / "keyring", tmp_path / "copy")

    ring.add()

    assert (tmp_path / "copy").read_text() == text


def test_a_symbolic_link_to_a_keyring_stays_one(tmp_path):
    Keyring.create(tmp_path / "elsewhere")
    (tmp_path / "keyring").symlink_to("elsewhere")

    added = Keyring(tmp_path / "keyring").add()

    assert (tmp_path / "keyring").is_symlink()
    assert Keyring(tmp_path / "elsewhere").primary.id == added.id


def test_a_file_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    ring, path = Keyring.create(tmp_path / "keyring"), tmp_path / "keyring"
    check = keyring_file._require_private

    def slow(path, status):
        monkeypatch.setattr(keyring_file, "_require_private", check)
        Keyring(path).add()  # and the file just opened is overwritten
        check(path, status)

    monkeypatch.setattr(keyring_file, "_require_private", slow)

    assert [root.id for root in Keyring(path)] == [root.id for root in ring]


def test_changing_a_keyring_that_is_no_file_fails_with_the_remedy():
    with pytest.raises(KeyringError, match="keys make"):
        Keyring(text=new_line()).add()


def test_a_command_is_run_again_for_an_unknown_root_key_after_a_pause(tmp_path, monkeypatch):
    one, two, path = new_line(), new_line(), tmp_path / "ring"
    path.write_text(one)
    ring = Keyring.from_command(f"cat {path}")
    path.write_text(f"{two}\n{one}")

    assert ring.find(RootKey(two).id) is None
    monkeypatch.setattr(keyring, "COMMAND_PAUSE_SECONDS", 0)

    assert ring.find(RootKey(two).id).wrap_key == RootKey(two).wrap_key
    assert ring.primary.id == RootKey(two).id


@pytest.mark.parametrize(
    ("comment", "made_on"),
    [
        ("2026-01-31", date(2026, 1, 31)),
        ("by hand", None),
        ("2026-02-31, 2026-03-01", date(2026, 3, 1)),
    ],
)
def test_the_comment_of_a_root_key_gives_its_date(comment, made_on):
    (root,) = Keyring(text=f"{new_line()}  # {comment}")

    assert root.made_on == made_on

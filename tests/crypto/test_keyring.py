"""The keyring: where roots come from, and what is refused before it can do harm."""

import os
from datetime import date

import pytest

from crypto import Keyring, KeyringError, credentials, keyring, keyring_file
from crypto.keyring import LENGTH, PREFIX, RootKey


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

    assert ring.primary.id == RootKey(one).id
    assert ring[RootKey(two).id].wrap_key == RootKey(two).wrap_key


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


def test_a_keyring_that_is_not_there_is_refused_with_the_mend(tmp_path):
    with pytest.raises(KeyringError, match="Put its copy back there; no new one is made"):
        Keyring(tmp_path / "keyring")
    assert not (tmp_path / "keyring").exists()


def test_a_changed_file_is_seen_without_a_restart(tmp_path):
    ring, line = Keyring.create(tmp_path / "keyring"), fresh_line()

    (tmp_path / "keyring").write_text(f"{line}\n")

    assert ring.primary.id == RootKey(line).id


def test_a_root_that_is_not_there_is_named():
    with pytest.raises(KeyringError, match="0123456789abcdef"):
        Keyring(text=fresh_line())["0123456789abcdef"]


def test_a_command_may_print_the_keyring(tmp_path):
    line = fresh_line()
    (tmp_path / "ring").write_text(line)

    assert Keyring.from_command(f"cat {tmp_path / 'ring'}").primary.id == RootKey(line).id


def test_a_command_that_fails_does_not_show_what_it_printed():
    with pytest.raises(KeyringError, match="command failed"):
        Keyring.from_command("false")


def test_what_is_derived_differs_by_purpose_and_hides_the_root():
    root = RootKey(fresh_line())

    assert not root.wrap_key.hex().startswith(root.id)
    assert root.wrap_key.hex() not in repr(root)


def test_a_new_root_stands_first_and_the_former_ones_stay(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")
    former = ring.primary.id

    new = ring.add()

    assert [root.id for root in ring] == [new.id, former]
    assert [root.id for root in Keyring(tmp_path / "keyring")] == [new.id, former]
    assert new.made_on
    assert (tmp_path / "keyring").read_text().startswith("# Document Service keyring")
    assert [path.name for path in tmp_path.iterdir()] == ["keyring"]
    assert os.stat(tmp_path / "keyring").st_mode & 0o777 == 0o600


def test_a_removed_root_leaves_its_file_and_its_line_alone_goes(tmp_path):
    one, two, three = fresh_line(), fresh_line(), fresh_line()
    path = tmp_path / "keyring"
    path.write_text(f"# ours\n{one} {two}  # both\n{three}  # 2020-01-01\n")
    path.chmod(0o600)
    ring = Keyring(path)

    ring.remove(RootKey(two).id)
    assert path.read_text() == f"# ours\n{one}  # both\n{three}  # 2020-01-01\n"
    ring.remove(RootKey(three).id)

    assert path.read_text() == f"# ours\n{one}  # both\n"
    assert [root.id for root in ring] == [RootKey(one).id]


def test_what_the_replaced_file_held_is_overwritten(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")
    with (tmp_path / "keyring").open() as former:
        ring.add()

        assert set(former.read()) == {"\0"}


def test_a_copy_made_by_a_hard_link_is_left_alone(tmp_path):
    ring = Keyring.create(tmp_path / "keyring")
    text = (tmp_path / "keyring").read_text()
    os.link(tmp_path / "keyring", tmp_path / "copy")

    ring.add()

    assert (tmp_path / "copy").read_text() == text


def test_a_keyring_behind_a_link_stays_behind_it(tmp_path):
    Keyring.create(tmp_path / "elsewhere")
    (tmp_path / "keyring").symlink_to("elsewhere")

    added = Keyring(tmp_path / "keyring").add()

    assert (tmp_path / "keyring").is_symlink()
    assert Keyring(tmp_path / "elsewhere").primary.id == added.id


def test_a_file_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    ring, path = Keyring.create(tmp_path / "keyring"), tmp_path / "keyring"
    opened = keyring_file._opened

    def slow(path):
        file = opened(path)
        monkeypatch.setattr(keyring_file, "_opened", opened)
        Keyring(path).add()  # and the file just opened is overwritten
        return file

    monkeypatch.setattr(keyring_file, "_opened", slow)

    assert [root.id for root in Keyring(path)] == [root.id for root in ring]


def test_a_keyring_that_is_no_file_says_how_it_is_changed():
    with pytest.raises(KeyringError, match="keys make"):
        Keyring(text=fresh_line()).add()


def test_a_command_is_run_again_for_a_root_it_did_not_print_but_not_each_time(
    tmp_path, monkeypatch
):
    one, two, path = fresh_line(), fresh_line(), tmp_path / "ring"
    path.write_text(one)
    ring = Keyring.from_command(f"cat {path}")
    path.write_text(f"{two}\n{one}")

    assert ring.find(RootKey(two).id) is None
    monkeypatch.setattr(keyring, "ASKED_AGAIN_SECONDS", 0)

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
def test_a_root_is_dated_by_its_comment(comment, made_on):
    (root,) = Keyring(text=f"{fresh_line()}  # {comment}")

    assert root.made_on == made_on

"""The keyring: its sources, its changes, and what it rejects."""

import os
from datetime import date

import pytest

from crypto import Keyring, KeyringError, credentials, keyring
from crypto.keyring import LENGTH, PREFIX, RootKey


def new_line():
    return credentials.generate(PREFIX, LENGTH)


def id_of(line):
    return RootKey(line).id


@pytest.fixture
def path(tmp_path):
    return tmp_path / "keyring"


@pytest.fixture
def ring(path):
    """A new keyring in the file."""
    return Keyring.create(path)


def ids(ring):
    return [root.id for root in ring]


def mode(path):
    return path.stat().st_mode & 0o777


def test_a_new_keyring_is_private_has_one_root_key_and_overwrites_none(ring, path):
    assert (mode(path), ids(ring)) == (0o600, [ring.primary.id])
    with pytest.raises(FileExistsError):
        Keyring.create(path)


def test_the_first_root_key_is_the_primary_and_all_are_available():
    one, two = new_line(), new_line()

    ring = Keyring(text=f"# a comment\n{one}  # newest\n{two}\n")

    assert ring.primary.id == id_of(one)
    assert ring[id_of(two)].wrap_key == RootKey(two).wrap_key
    with pytest.raises(KeyringError, match="0123456789abcdef"):
        ring["0123456789abcdef"]


def test_a_text_that_is_no_keyring_is_refused():
    line = new_line()
    damaged = line[:-10] + ("A" if line[-10] != "A" else "B") + line[-9:]
    texts = {"": "no root key", "# only a comment": "no root key", "\n\n": "no root key"}
    for text, sentence in (texts | {damaged: "damaged"}).items():
        with pytest.raises(KeyringError, match=sentence):
            Keyring(text=text)


def test_a_file_that_is_missing_readable_by_others_or_binary_is_refused_with_the_remedy(path):
    with pytest.raises(KeyringError, match="Put its copy back there; no new one is made"):
        Keyring(path)
    assert not path.exists()
    Keyring.create(path)
    path.chmod(0o644)
    with pytest.raises(KeyringError, match="chmod 600"):
        Keyring(path)
    path.chmod(0o600)
    path.write_bytes(b"\xff")
    with pytest.raises(KeyringError, match="damaged in copying"):
        Keyring(path)


def test_a_changed_file_is_seen_without_a_restart(ring, path):
    line = new_line()
    path.write_text(f"{line}\n")

    assert ring.primary.id == id_of(line)


def test_a_file_replaced_while_it_is_read_is_read_again(ring, path, monkeypatch):
    check = keyring._require_private

    def slow(path, status):
        monkeypatch.setattr(keyring, "_require_private", check)
        Keyring(path).add()  # and the file just opened is overwritten
        check(path, status)

    monkeypatch.setattr(keyring, "_require_private", slow)

    assert ids(Keyring(path)) == ids(ring)


def test_a_command_prints_the_keyring_and_is_run_again_for_an_unknown_root_key_after_a_pause(
    path, monkeypatch
):
    one, two = new_line(), new_line()
    path.write_text(one)
    ring = Keyring(command=f"cat {path}")
    assert ring.primary.id == id_of(one)
    path.write_text(f"{two}\n{one}")

    assert ring.find(id_of(two)) is None
    monkeypatch.setattr(keyring, "COMMAND_PAUSE_SECONDS", 0)
    assert ring.find(id_of(two)).wrap_key == RootKey(two).wrap_key
    assert ring.primary.id == id_of(two)


def test_the_error_of_a_failed_command_does_not_contain_its_output():
    with pytest.raises(KeyringError, match=r"^The keyring command failed: it ended with 1\.$"):
        Keyring(command="sh -c 'echo docroot_secret; false'")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("/nowhere/vault docroot_secret", "No such file or directory: /nowhere/vault"),
        ("printf '\\377'", "it printed something else than text"),
        ("echo 'docroot_secret", "No closing quotation"),
    ],
)
def test_the_error_of_a_command_says_why_it_failed_and_nothing_that_it_was_given(command, why):
    with pytest.raises(KeyringError) as raised:
        Keyring(command=command)
    assert str(raised.value) == f"The keyring command failed: {why}."


def test_derived_keys_differ_by_purpose_and_are_not_printed():
    root = RootKey(new_line())

    assert not root.wrap_key.hex().startswith(root.id)
    assert root.wrap_key.hex() not in repr(root)


def test_the_keys_derived_from_a_line_never_change():
    root = RootKey("docroot_A1bA1bA1bA1bA1bA1bA1bA1bA1bA1bA1bA1bA1bA1bz28kBgJ")

    assert root.id == "4a76cda2023fbcfb"
    assert root.wrap_key.hex() == "60ece101e9e190fa19724a987980a1fdc34fbeddda9481a408621fa453c23e41"


def test_a_new_root_key_comes_first_and_the_old_ones_are_kept(ring, path):
    old = ring.primary.id

    new = ring.add()

    assert ids(ring) == ids(Keyring(path)) == [new.id, old]
    assert new.made_on
    assert path.read_text().startswith("# Document Service keyring")
    assert [one.name for one in path.parent.iterdir()] == ["keyring"]
    assert mode(path) == 0o600


def test_a_removed_root_key_takes_only_its_own_line_with_it(path):
    one, two, three = new_line(), new_line(), new_line()
    path.write_text(f"# ours\n{one} {two}  # both\n{three}  # 2020-01-01\n")
    path.chmod(0o600)
    ring = Keyring(path)

    ring.remove(id_of(two))
    assert path.read_text() == f"# ours\n{one}  # both\n{three}  # 2020-01-01\n"
    ring.remove(id_of(three))

    assert path.read_text() == f"# ours\n{one}  # both\n"
    assert ids(ring) == [id_of(one)]


def test_the_content_of_the_replaced_file_is_overwritten_unless_it_has_another_name(ring, path):
    with path.open() as old:
        ring.add()
        assert set(old.read()) == {"\0"}
    text = path.read_text()
    os.link(path, copy := path.with_name("copy"))

    ring.add()

    assert copy.read_text() == text


def test_a_symbolic_link_to_a_keyring_stays_one(ring, path):
    (link := path.with_name("link")).symlink_to(path.name)

    added = Keyring(link).add()

    assert link.is_symlink()
    assert ring.primary.id == added.id


def test_changing_a_keyring_that_is_no_file_fails_with_the_remedy():
    with pytest.raises(KeyringError, match="keys make"):
        Keyring(text=new_line()).add()


def test_the_comment_of_a_root_key_gives_its_date():
    comments = {
        "2026-01-31": date(2026, 1, 31),
        "by hand": None,
        "2026-02-31, 2026-03-01": date(2026, 3, 1),
    }
    for comment, made_on in comments.items():
        (root,) = Keyring(text=f"{new_line()}  # {comment}")
        assert root.made_on == made_on, comment


@pytest.fixture
def looks(monkeypatch):
    """The paths that were looked at."""
    paths = []
    stamp = keyring._stamp

    def look(path):
        paths.append(path)
        return stamp(path)

    monkeypatch.setattr(keyring, "_stamp", look)
    return paths


def test_a_request_looks_at_the_file_once_for_all_that_it_finds(ring, looks):
    root_id = ring.primary.id
    looks.clear()
    for _ in range(2):
        ring.begin_request()
        for _ in range(3):
            assert ring.find(root_id).id == root_id
        ring.end_request()
    assert len(looks) == 2
    for _ in range(3):
        ring.find(root_id)
    assert len(looks) == 5


def test_a_request_looks_again_for_a_root_key_that_is_unknown_and_for_the_primary(ring, path):
    first = ring.primary.id
    ring.begin_request()
    assert ring.find(first)
    second = Keyring(path).add().id
    assert ring.find(second).id == second
    third = Keyring(path).add().id
    assert ring.primary.id == third
    Keyring(path).remove(first)
    ring.end_request()
    ring.begin_request()
    assert ring.find(first) is None
    ring.end_request()

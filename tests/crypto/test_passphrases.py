"""A key opens with its passphrase, and with nothing else."""

import unicodedata

import pytest

from crypto import DecryptionError, passphrases

KEY = bytes(range(32))


def test_the_passphrase_opens_the_key_however_its_accents_are_typed():
    wrapped = passphrases.wrap(KEY, unicodedata.normalize("NFC", "päßphrase"), "test")
    typed = unicodedata.normalize("NFD", "päßphrase")
    assert passphrases.unwrap(wrapped, typed, "test") == KEY


def test_another_passphrase_purpose_or_parameter_does_not_open_it(monkeypatch):
    monkeypatch.setattr(passphrases, "MEMORY_KIB", 64)
    monkeypatch.setattr(passphrases, "PASSES", 1)
    wrapped = passphrases.wrap(KEY, "a long passphrase", "test")
    changed = [{"memory": 128}, {"passes": 2}, {"lanes": 2}, {"salt": "AAAA"}, {"more": 1}]
    malformed = [{"memory": 1 << 40}, {"kdf": "none"}, {"key": "?"}, {"key": None}, {"lanes": "x"}]
    with pytest.raises(DecryptionError):
        passphrases.unwrap(wrapped, "another passphrase", "test")
    with pytest.raises(DecryptionError):
        passphrases.unwrap(wrapped, "a long passphrase", "other")
    for change in changed + malformed:
        with pytest.raises(DecryptionError):
            passphrases.unwrap(wrapped | change, "a long passphrase", "test")
    with pytest.raises(DecryptionError):
        passphrases.unwrap({}, "a long passphrase", "test")


def test_a_passphrase_costs_what_the_rfc_recommends():
    wrapped = passphrases.wrap(KEY, "a long passphrase", "test")
    assert (wrapped["kdf"], wrapped["memory"], wrapped["passes"]) == ("Argon2id", 64 << 10, 3)

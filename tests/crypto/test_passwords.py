"""Argon2id with OWASP's parameters."""

import pytest
from passlib.hash import argon2

from crypto import passwords


@pytest.fixture
def quick_passwords():
    """Hash them as the service does."""


def test_a_password_matches_its_own_hash_only():
    hash = passwords.hash_password("correct horse battery")

    assert hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert passwords.verify_password("correct horse battery", hash)
    for wrong in ("correct horse battery!", "", "\ud800"):  # the last one is a lone surrogate
        assert not passwords.verify_password(wrong, hash)


def test_no_password_matches_a_missing_hash_not_even_that_of_the_decoy():
    assert not passwords.verify_password("no account has this password", None)


def test_composed_and_decomposed_accents_match():
    hash = passwords.hash_password("cafe\u0301 au lait")

    assert passwords.verify_password("caf\u00e9 au lait", hash)


def test_a_password_above_the_maximum_length_never_matches():
    hash = passwords.hash_password("x" * passwords.MAX_LENGTH)

    assert passwords.verify_password("x" * passwords.MAX_LENGTH, hash)
    assert not passwords.verify_password("x" * (passwords.MAX_LENGTH + 1), hash)


def test_a_hash_with_other_parameters_needs_a_rehash():
    cheap = argon2.using(type="ID", memory_cost=8192, rounds=1, parallelism=1)

    assert passwords.needs_rehash(cheap.hash("pw"))
    assert not passwords.needs_rehash(passwords.hash_password("pw"))

"""A password that is changed stays changed."""

import pytest
from passlib.hash import argon2

from crypto import passwords
from models import User
from models.core import WrongCredentials


@pytest.fixture
def quick_passwords():
    """Hash them as the service does."""


def test_a_login_that_renews_an_old_digest_does_not_bring_an_old_password_back(alice, monkeypatch):
    def outdated(_digest):  # meanwhile its owner changes it
        User.get_by_id(alice.id).change_password("another password", kept_session_id="")
        return True

    with monkeypatch.context() as old:
        old.setattr(passwords, "needs_rehash", outdated)
        with pytest.raises(WrongCredentials):
            User.identify(alice.email, "correct horse battery", "192.0.2.1")

    assert User.identify(alice.email, "another password", "192.0.2.1") == alice
    with pytest.raises(WrongCredentials):
        User.identify(alice.email, "correct horse battery", "192.0.2.1")


def test_a_login_renews_an_old_digest(alice, monkeypatch):
    before = alice.password_digest
    with monkeypatch.context() as old:
        old.setattr(passwords, "needs_rehash", lambda _digest: True)
        User.identify(alice.email, "correct horse battery", "192.0.2.1")

    assert User.get_by_id(alice.id).password_digest != before
    assert User.identify(alice.email, "correct horse battery", "192.0.2.1") == alice


def test_an_unknown_email_costs_one_password_hash_too(alice, monkeypatch):
    hashes = []
    monkeypatch.setattr(passwords, "_decoy_hash", passwords._decoy_hash.__wrapped__)  # none kept
    verify = argon2.verify
    monkeypatch.setattr(argon2, "verify", lambda *of: hashes.append(of[1]) or verify(*of))

    for email in ("nobody@example.org", alice.email):
        with pytest.raises(WrongCredentials):
            User.identify(email, "wrong password", "192.0.2.1")

    parameters = [one.rpartition("$")[0].rpartition("$")[0] for one in hashes]
    assert parameters == ["$argon2id$v=19$m=19456,t=2,p=1"] * 2

"""Passwords: Argon2id at OWASP's cost, one answer for every mistake, a line that ends."""

import threading

import pytest

from crypto import Busy, passwords


def test_a_password_matches_its_own_digest_only():
    digest = passwords.digest("correct horse battery")

    assert digest.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert passwords.matches("correct horse battery", digest)
    assert not passwords.matches("correct horse battery!", digest)


def test_a_missing_digest_is_never_matched_not_even_by_the_decoys_password():
    assert not passwords.matches("no account has this password", None)


def test_the_same_keys_pressed_on_two_systems_match():
    digest = passwords.digest("cafe\u0301 au lait")

    assert passwords.matches("caf\u00e9 au lait", digest)


def test_a_password_longer_than_the_longest_never_matches():
    digest = passwords.digest("x" * passwords.LONGEST)

    assert passwords.matches("x" * passwords.LONGEST, digest)
    assert not passwords.matches("x" * (passwords.LONGEST + 1), digest)


def test_a_lone_surrogate_is_a_wrong_password_not_an_error():
    assert not passwords.matches("\ud800", passwords.digest("correct horse battery"))


def test_a_digest_of_other_parameters_is_outdated():
    cheap = passwords.argon2.using(type="ID", memory_cost=8192, rounds=1, parallelism=1)

    assert passwords.is_outdated(cheap.hash("pw"))
    assert not passwords.is_outdated(passwords.digest("pw"))


def test_beyond_the_line_one_is_told_to_come_back():
    hold, waiting = threading.Event(), []
    for _ in range(passwords.THREADS + passwords.LINE):
        waiting.append(threading.Thread(target=passwords.run_queued, args=(hold.wait,)))
        waiting[-1].start()
    try:
        with pytest.raises(Busy):
            passwords.digest("one too many")
    finally:
        hold.set()
        for one in waiting:
            one.join()

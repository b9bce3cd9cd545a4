"""Argon2id with OWASP's parameters, and the queue of expensive work on passwords."""

import threading

import pytest

from crypto import PasswordQueueFull, passwords
from crypto.passwords import ACCOUNTS, LINKS, PasswordQueue
from tests.waiting import join_threads, start_threads, until


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
    cheap = passwords.argon2.using(type="ID", memory_cost=8192, rounds=1, parallelism=1)

    assert passwords.needs_rehash(cheap.hash("pw"))
    assert not passwords.needs_rehash(passwords.hash_password("pw"))


@pytest.fixture
def queue():
    return PasswordQueue("test", threads=1, slots=3, share=2)


@pytest.fixture
def hold(queue):
    """A function that takes slots in a queue for a caller, until the test has ended."""
    released, waiting = threading.Event(), []

    def hold(caller, slots, queue=queue):
        held = queue._held[caller]
        for _ in range(slots):
            waiting.extend(start_threads(lambda: queue.run(caller, released.wait)))
        until(lambda: queue._held[caller] == held + slots)

    yield hold
    released.set()
    join_threads(waiting)


def test_one_caller_gets_only_a_share_and_leaves_places_to_others(queue, hold):
    hold("one", 2)
    with pytest.raises(PasswordQueueFull):
        queue.run("one", bool)
    hold("two", 1)
    with pytest.raises(PasswordQueueFull):
        queue.run("three", bool)


def test_a_place_is_free_again_after_the_work_and_after_its_error(queue):
    for _ in range(5):
        assert queue.run("one", lambda: "result") == "result"
        with pytest.raises(ZeroDivisionError):
            queue.run("one", lambda: 1 / 0)
    assert not queue._held


def test_work_for_links_takes_no_place_from_logins(hold):
    hold("a link", 4, LINKS)
    hold("another link", 2, LINKS)

    assert ACCOUNTS.run("someone", lambda: "result") == "result"

"""Kept answers: once, alike, and sealed."""

import pytest

from models import StoredResponse
from models.errors import IdempotencyInProgress, IdempotencyMismatch


def test_an_answer_is_given_again_for_the_same_request(instance):
    StoredResponse.store("usr_1", "ans_1", "fingerprint", {"text": "pk_live_secret"})

    assert StoredResponse.replayed("ans_1", "fingerprint") == {"text": "pk_live_secret"}
    assert StoredResponse.replayed("ans_2", "fingerprint") is None


def test_another_body_under_the_same_key_is_a_mismatch(instance):
    StoredResponse.store("usr_1", "ans_1", "fingerprint", {})

    with pytest.raises(IdempotencyMismatch):
        StoredResponse.replayed("ans_1", "other")


def test_a_second_request_is_told_that_the_first_still_runs(instance):
    with (
        StoredResponse.exclusive("ans_1"),
        pytest.raises(IdempotencyInProgress),
        StoredResponse.exclusive("ans_1"),
    ):
        pass
    with StoredResponse.exclusive("ans_1"):
        pass


def test_a_one_time_secret_is_never_kept_in_clear(instance):
    StoredResponse.store("usr_1", "ans_1", "fingerprint", {"text": "pk_live_secret"})

    assert not any(b"pk_live_secret" in path.read_bytes() for path in instance.iterdir())

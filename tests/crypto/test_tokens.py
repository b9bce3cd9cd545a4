"""Tokens: only an unaltered, unexpired token of the same key and purpose decrypts."""

import json
import os
import random

import pyseto
import pytest

from crypto import DecryptionError, TokenClaims
from crypto.tokens import PasetoCodec, _footer

OLD, NEW = os.urandom(32), os.urandom(32)
CODEC = PasetoCodec(lambda: [OLD])
ALICE = TokenClaims("ses_1", "usr_alice")
LATER = "2999-01-01T00:00:00+00:00"


def token_with(claims):
    key = pyseto.Key.new(4, "local", OLD)
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    padded = payload + b" " * 80
    return pyseto.encode(
        key, padded, footer=_footer(key), implicit_assertion=CODEC._assertion
    ).decode()


def test_a_token_returns_its_claims():
    token = CODEC.issue(ALICE, 60)

    assert token.startswith("v4.local.")
    assert CODEC.open(token) == ALICE


def test_an_expired_token_is_rejected():
    with pytest.raises(DecryptionError):
        CODEC.open(CODEC.issue(ALICE, -1))


def test_a_token_is_valid_as_long_as_its_key_is_known():
    token = CODEC.issue(ALICE, 60)

    assert PasetoCodec(lambda: [NEW, OLD]).open(token) == ALICE
    with pytest.raises(DecryptionError):
        PasetoCodec(lambda: [NEW]).open(token)


def test_a_key_added_later_is_used_without_a_restart():
    keys = [OLD]
    codec = PasetoCodec(lambda: keys)
    token = codec.issue(ALICE, 60)
    keys.insert(0, NEW)

    assert codec.open(token) == ALICE
    assert PasetoCodec(lambda: [NEW]).open(codec.issue(ALICE, 60)) == ALICE


def test_an_expired_token_is_rejected_after_a_key_rotation_too():
    with pytest.raises(DecryptionError):
        PasetoCodec(lambda: [NEW, OLD]).open(CODEC.issue(ALICE, -1))


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "u", "jti": "j"},
        {"sub": "u", "exp": LATER},
        {"jti": "j", "exp": LATER},
        {"sub": 5, "jti": "j", "exp": LATER},
        {"sub": "u", "jti": "j", "exp": 4102444800},
        b"5",
        b"null",
        b"[]",
        b"{",
        b"\xff\xff",
        b"[" * 300,
    ],
)
def test_a_token_with_missing_or_wrong_claims_is_rejected(claims):
    with pytest.raises(DecryptionError):
        CODEC.open(token_with(claims))


def test_a_token_for_another_purpose_is_rejected():
    with pytest.raises(DecryptionError):
        CODEC.open(PasetoCodec(lambda: [OLD], b"ticket").issue(ALICE, 60))


def test_a_token_with_one_changed_character_is_rejected():
    token, accepted = CODEC.issue(ALICE, 60), []
    for place in range(len(token)):
        for other in "A-.= \0é":
            if other != token[place]:
                try:
                    CODEC.open(token[:place] + other + token[place + 1 :])
                    accepted.append(place)
                except DecryptionError:
                    pass
    assert len(accepted) <= 1  # the unused low bits of the last base64 character


def test_arbitrary_strings_are_rejected_and_raise_nothing_else():
    draw, good = random.Random(2), CODEC.issue(ALICE, 60)
    starts = ["", "v4.local.", "v4.public.", good[:50], good]
    for _ in range(2_000):
        junk = "".join(draw.choice("AZaz09-_.=!é\n\ud800") for _ in range(draw.randrange(1, 80)))
        with pytest.raises(DecryptionError):
            CODEC.open(draw.choice(starts) + junk)


def test_the_claims_are_encrypted():
    assert "usr_alice" not in CODEC.issue(ALICE, 60)

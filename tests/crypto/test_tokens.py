"""Session tokens: nothing opens but a token of ours, whole and not past its end."""

import json
import os
import random

import pyseto
import pytest

from crypto import DecryptionError, TokenClaims
from crypto.tokens import PasetoCodec, _footer

OLD, NEW = os.urandom(32), os.urandom(32)
SESSIONS = PasetoCodec(lambda: [OLD])
ALICE = TokenClaims("ses_1", "usr_alice")
LATER = "2999-01-01T00:00:00+00:00"


def token_with(claims):
    key = pyseto.Key.new(4, "local", OLD)
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    padded = payload + b" " * 80
    return pyseto.encode(
        key, padded, footer=_footer(key), implicit_assertion=SESSIONS._assertion
    ).decode()


def test_a_token_says_whose_session_it_is():
    token = SESSIONS.issue(ALICE, 60)

    assert token.startswith("v4.local.")
    assert SESSIONS.open(token) == ALICE


def test_an_expired_token_does_not_open():
    with pytest.raises(DecryptionError):
        SESSIONS.open(SESSIONS.issue(ALICE, -1))


def test_a_token_opens_as_long_as_its_key_is_known():
    token = SESSIONS.issue(ALICE, 60)

    assert PasetoCodec(lambda: [NEW, OLD]).open(token) == ALICE
    with pytest.raises(DecryptionError):
        PasetoCodec(lambda: [NEW]).open(token)


def test_a_key_that_came_later_opens_and_seals_without_a_restart():
    keys = [OLD]
    sessions = PasetoCodec(lambda: keys)
    token = sessions.issue(ALICE, 60)
    keys.insert(0, NEW)

    assert sessions.open(token) == ALICE
    assert PasetoCodec(lambda: [NEW]).open(sessions.issue(ALICE, 60)) == ALICE


def test_an_expired_token_does_not_open_after_a_rotation_either():
    with pytest.raises(DecryptionError):
        PasetoCodec(lambda: [NEW, OLD]).open(SESSIONS.issue(ALICE, -1))


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
def test_a_token_of_ours_with_other_claims_does_not_open(claims):
    with pytest.raises(DecryptionError):
        SESSIONS.open(token_with(claims))


def test_a_token_for_another_purpose_does_not_open():
    with pytest.raises(DecryptionError):
        SESSIONS.open(PasetoCodec(lambda: [OLD], b"ticket").issue(ALICE, 60))


def test_one_changed_character_anywhere_does_not_open():
    token, accepted = SESSIONS.issue(ALICE, 60), []
    for place in range(len(token)):
        for other in "A-.= \0é":
            if other != token[place]:
                try:
                    SESSIONS.open(token[:place] + other + token[place + 1 :])
                    accepted.append(place)
                except DecryptionError:
                    pass
    assert len(accepted) <= 1  # the unused low bits of the last base64 character


def test_junk_is_refused_and_never_an_error():
    draw, good = random.Random(2), SESSIONS.issue(ALICE, 60)
    starts = ["", "v4.local.", "v4.public.", good[:50], good]
    for _ in range(2_000):
        junk = "".join(draw.choice("AZaz09-_.=!é\n\ud800") for _ in range(draw.randrange(1, 80)))
        with pytest.raises(DecryptionError):
            SESSIONS.open(draw.choice(starts) + junk)


def test_the_claims_cannot_be_read_from_the_token():
    assert "usr_alice" not in SESSIONS.issue(ALICE, 60)

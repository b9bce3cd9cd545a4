"""Session tokens: nothing opens but a token of ours, whole and not past its end."""

import json
import random

import pyseto
import pytest

from crypto import Keyring, Refused, Session, credentials
from crypto.keyring import LENGTH, PREFIX
from crypto.sessions import Sessions

OLD, NEW = credentials.fresh(PREFIX, LENGTH), credentials.fresh(PREFIX, LENGTH)
RING = Keyring(text=OLD)
SESSIONS = Sessions(RING)
ALICE = Session("ses_1", "usr_alice")
LATER = "2999-01-01T00:00:00+00:00"


def token_with(claims):
    key, footer = SESSIONS._key(RING.primary)
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    padded = payload + b" " * 80
    return pyseto.encode(
        key, padded, footer=footer, implicit_assertion=SESSIONS._assertion
    ).decode()


def test_a_token_says_whose_session_it_is():
    token = SESSIONS.issue(ALICE, 60)

    assert token.startswith("v4.local.")
    assert SESSIONS.open(token) == ALICE


def test_an_expired_token_does_not_open():
    with pytest.raises(Refused):
        SESSIONS.open(SESSIONS.issue(ALICE, -1))


def test_a_token_outlives_a_rotation_until_its_root_is_retired():
    token = SESSIONS.issue(ALICE, 60)

    assert Sessions(Keyring(text=f"{NEW}\n{OLD}")).open(token) == ALICE
    with pytest.raises(Refused):
        Sessions(Keyring(text=NEW)).open(token)


def test_an_expired_token_does_not_open_after_a_rotation_either():
    with pytest.raises(Refused):
        Sessions(Keyring(text=f"{NEW}\n{OLD}")).open(SESSIONS.issue(ALICE, -1))


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
    with pytest.raises(Refused):
        SESSIONS.open(token_with(claims))


def test_a_token_for_another_purpose_does_not_open():
    key, footer = SESSIONS._key(RING.primary)
    claims = {"sub": "u", "jti": "j", "exp": LATER}
    token = pyseto.encode(key, claims, footer=footer, implicit_assertion=b"other").decode()

    with pytest.raises(Refused):
        SESSIONS.open(token)


def test_one_changed_character_anywhere_does_not_open():
    token, accepted = SESSIONS.issue(ALICE, 60), []
    for place in range(len(token)):
        for other in "A-.= \0é":
            if other != token[place]:
                try:
                    SESSIONS.open(token[:place] + other + token[place + 1 :])
                    accepted.append(place)
                except Refused:
                    pass
    assert len(accepted) <= 1  # the unused low bits of the last base64 character


def test_junk_is_refused_and_never_an_error():
    draw, good = random.Random(2), SESSIONS.issue(ALICE, 60)
    starts = ["", "v4.local.", "v4.public.", good[:50], good]
    for _ in range(2_000):
        junk = "".join(draw.choice("AZaz09-_.=!é\n\ud800") for _ in range(draw.randrange(1, 80)))
        with pytest.raises(Refused):
            SESSIONS.open(draw.choice(starts) + junk)


def test_the_claims_cannot_be_read_from_the_token():
    assert "usr_alice" not in SESSIONS.issue(ALICE, 60)

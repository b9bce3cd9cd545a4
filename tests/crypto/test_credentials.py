"""Credentials are random, carry a checksum, and are masked for display."""

import random
from collections import Counter

from crypto import credentials


def test_a_new_credential_has_the_documented_form():
    key = credentials.generate(credentials.API_KEY)

    assert len(key) == len("pk_live_") + 32 + 6
    assert credentials.well_formed(key, credentials.API_KEY)
    assert credentials.generate(credentials.API_KEY) != key


def test_each_random_character_is_as_likely_as_every_other():
    bytes_of = Counter(bytes(range(256)).translate(credentials._OF_BYTE, credentials._UNEVEN))

    assert len(bytes_of) == 62
    assert set(bytes_of.values()) == {4}


def test_a_changed_character_and_junk_are_not_well_formed():
    key, draw = credentials.generate(credentials.API_KEY), random.Random(1)
    changed = {key[:at] + other + key[at + 1 :] for at in range(len(key)) for other in "0Zz_é"}
    junk = {"pk_live_" + "".join(draw.choices("abcXYZ019", k=38)) for _ in range(10_000)}
    odd = {"", "pk_live_", "dt_", "pk_live_" + "é" * 38}

    for text in (changed | junk | odd) - {key}:
        assert not credentials.well_formed(text, credentials.API_KEY), text


def test_a_mask_shows_four_characters_at_each_end():
    assert credentials.mask("pk_live_9fQ2aaaaaaaax7Kd") == "pk_live_9fQ2…x7Kd"

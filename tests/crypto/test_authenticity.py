"""The hash of an event: vectors that were computed by other code, and never change."""

import hashlib

from crypto import FIRST_PREVIOUS, event_hash

OWNER = "usr_01h455vb4pex5vsknk084sn02q"
BODIES = (
    '{"id": "evt_01h455vb4pex5vsknk084sn02r", "type": "webhook.test", '
    '"createdAt": "2026-01-31T09:30:00.000Z", "data": {"via": "session"}}',
    "",
    "Grüße 🙂",
)
HASHES = [
    "fec4410830e7ee9b23a61de45869ecdd4e90c304c67f97793068d58edfaf6b62",
    "558e471e4f66eabb8a124c66ecb00bf5a7e7e3cd6ad57d598c2811db23b5fe3f",
    "010e6f6847b7f39c9c750a749afa8fc33df9a18126749a0a06e60e0d2bc06514",
]


def test_the_hashes_of_a_chain_are_those_of_the_frozen_vectors():
    previous, found = FIRST_PREVIOUS, []
    for number, body in enumerate(BODIES, 1):
        previous = event_hash(OWNER, number, previous, body)
        found.append(previous.hex())

    assert found == HASHES


def test_the_sequence_is_decimal_and_the_previous_hash_32_bytes():
    frozen = "e0958c1d3f47e2b4a2d159ce0e61801d6bf9c443ca407f8de907251142a958eb"

    assert event_hash("service", 1_234_567_890, b"\xff" * 32, "{}").hex() == frozen


def test_the_encoding_is_that_of_paseto_with_the_count_and_lengths_in_64_bits_little_endian():
    encoded = b"\5" + bytes(7)
    for piece in (b"event/1", b"service", b"1", bytes(32), b"{}"):
        encoded += bytes([len(piece)]) + bytes(7) + piece

    assert event_hash("service", 1, FIRST_PREVIOUS, "{}") == hashlib.sha256(encoded).digest()

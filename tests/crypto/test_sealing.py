"""Sealing agrees with the published vectors and the library; altered messages do not decrypt."""

import base64
import hashlib
import json
import os
import random
import zlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes

from crypto import DecryptionError, sealing

CHUNK, STEP = sealing.CHUNK_BYTES, sealing.CHUNK_BYTES + sealing.TAG_BYTES
HEADER = sealing.HEADER_BYTES
KEY, CONTEXT = bytes(range(32)), sealing.context("payload/1", "doc_1")


def sealed(plaintext, key=KEY, context=CONTEXT):
    sealer = sealing.Sealer(key, context)
    return sealer.header + sealer.update(plaintext) + sealer.finish()


def opened(message, key=KEY, context=CONTEXT):
    """Decrypts a message with our reader, and checks its length as the service does."""
    plaintext = sealing.ChunkReader(key, context, message[:HEADER]).open(0, message[HEADER:])
    if sealing.sealed_bytes(len(plaintext)) != len(message) - HEADER:
        raise DecryptionError
    return plaintext


def published():
    folders = [Path(__file__).parents[2] / ".." / "shared" / "study" / "vectors"]
    try:
        import cryptography_vectors  # noqa: PLC0415

        folders.append(Path(cryptography_vectors.__file__).parent / "chunked-encryption")
    except ImportError:
        pass
    for folder in folders:
        for path in sorted(folder.glob("*chunked*encryption*.json")):
            vectors = json.loads(path.read_text())["vectors"]
            return [one for one in vectors if one["aead"] == "AEAD_AES_256_GCM"]
    return [pytest.param(None, marks=pytest.mark.skip("the published vectors are not here"))]


@pytest.mark.parametrize("vector", published(), ids=lambda one: one["name"] if one else "none")
def test_our_reader_agrees_with_the_published_vectors(vector, monkeypatch):
    monkeypatch.setattr(sealing, "_HASH", hashes.SHA256())
    message = base64.b64decode(vector["ciphertext"] or "")
    message = zlib.decompress(message) if vector.get("compressed") else message

    try:
        found = opened(message, bytes.fromhex(vector["key"]), vector["context"].encode())
    except DecryptionError:
        found = None

    assert (found is not None) == (vector["expect"] == "success")
    if found is not None:
        assert hashlib.sha256(found).hexdigest() == vector["payload_sha256"]


def test_a_message_decrypts_with_our_reader_and_with_the_library():
    for size in (0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 100_000):
        plaintext = os.urandom(size)
        message = sealed(plaintext)
        assert opened(message) == plaintext == sealing.unseal(KEY, CONTEXT, message), size
        assert len(message) == HEADER + sealing.sealed_bytes(size)


def test_any_consecutive_chunks_decrypt_alone():
    plaintext = os.urandom(3 * CHUNK + 5)
    message = sealed(plaintext)
    reader = sealing.ChunkReader(KEY, CONTEXT, message[:HEADER])
    for first, last in ((0, 1), (1, 2), (2, 3), (1, 3), (3, 4)):
        chunks = message[HEADER + first * STEP : HEADER + last * STEP]
        assert reader.open(first, chunks) == plaintext[first * CHUNK : last * CHUNK]


def test_a_message_of_the_first_version_still_decrypts():
    message = bytes.fromhex(FROZEN)

    assert sealing.unseal(KEY, CONTEXT, message) == b"hello" == opened(message)


def test_a_message_with_a_flipped_bit_does_not_decrypt():
    short, long = sealed(os.urandom(40)), sealed(os.urandom(70_000))
    some = random.Random(3).sample(range(len(long) * 8), 300)
    for message, bits in ((short, range(len(short) * 8)), (long, some)):
        for bit in bits:
            altered = bytearray(message)
            altered[bit // 8] ^= 1 << bit % 8
            refused(bytes(altered))


def test_a_truncated_or_extended_message_does_not_decrypt():
    message = sealed(os.urandom(3 * CHUNK))
    cuts = {*range(0, len(message), 997), *(HEADER + STEP * n for n in range(4)), len(message) - 16}
    for length in cuts:
        refused(message[:length])
    for more in (1, 16, STEP):
        refused(message + bytes(more))


def test_swapped_repeated_dropped_or_foreign_chunks_do_not_decrypt():
    message, other = sealed(os.urandom(3 * CHUNK + 5)), sealed(os.urandom(3 * CHUNK + 5))
    header, foreign = message[:HEADER], other[HEADER : HEADER + STEP]
    a, b, c, d = (message[HEADER + n * STEP : HEADER + (n + 1) * STEP] for n in range(4))
    for chunks in ((b, a, c, d), (a, a, c, d), (b, c, d), (a, c, d), (foreign, b, c, d), (a, b, c)):
        refused(header + b"".join(chunks))
    refused(header + other[HEADER:])


def test_another_key_or_context_does_not_decrypt():
    message = sealed(b"secret")
    contexts = sealing.context("payload/1", "doc_2"), sealing.context("meta/1", "doc_1")
    for key, context in ((bytes(32), CONTEXT), *((KEY, context) for context in contexts)):
        refused(message, key, context)


def test_different_lists_of_pieces_give_different_contexts():
    lists = [(), ("",), ("", ""), ("ab",), ("a", "b"), ("", "ab"), ("ab", ""), ("é",)]

    assert len({sealing.context(*pieces) for pieces in lists}) == len(lists)


def test_a_wrapped_key_is_104_bytes():
    assert len(sealing.seal(KEY, CONTEXT, sealing.generate_key())) == 104


def refused(message, key=KEY, context=CONTEXT):
    """Neither our reader nor the library decrypts it."""
    with pytest.raises(DecryptionError):
        opened(message, key, context)
    with pytest.raises(DecryptionError):
        sealing.unseal(key, context, message)


FROZEN = (
    "79bd60131424ba57643f15b5181e89f22ec0235ab3b267db6845600814305dae3ef8b42153a91296"
    "bf4f5b5afe771d82d2713c36de471de8b15de443d305f03b0eaf516ac7c35f7c13a6b5a306"
)


def test_a_stream_opens_however_it_is_cut_and_only_as_a_whole():
    plaintext = os.urandom(3 * CHUNK + 7)
    message = sealed(plaintext)
    for step in (1000, STEP, len(message)):
        unsealer = sealing.Unsealer(KEY, CONTEXT)
        parts = [unsealer.update(message[at : at + step]) for at in range(0, len(message), step)]
        assert b"".join(parts) + unsealer.finish() == plaintext
    short = sealing.Unsealer(KEY, CONTEXT)
    short.update(message[: HEADER + STEP])
    with pytest.raises(DecryptionError):
        short.finish()
    with pytest.raises(DecryptionError):
        sealing.Unsealer(KEY, CONTEXT + b"x").update(message)

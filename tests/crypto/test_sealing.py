"""Sealing agrees with the published vectors and the library; altered messages do not decrypt."""

import base64
import hashlib
import json
import os
import random
import zlib
from pathlib import Path

import pytest
from cryptography.cobblestone import Cobblestone256Decryptor
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes

from crypto import DecryptionError, sealing

CHUNK, STEP, HEAD = sealing.CHUNK_BYTES, sealing.CHUNK_BYTES + sealing.TAG_BYTES, sealing.HEAD_BYTES
KEY, CONTEXT = bytes(range(32)), sealing.context("payload/1", "doc_1")
SIZES = [0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 100_000]


def sealed(plaintext, key=KEY, context=CONTEXT):
    sealer = sealing.Sealer(key, context)
    return sealer.head + sealer.update(plaintext) + sealer.finish()


def opened(message, key=KEY, context=CONTEXT):
    """Decrypts a message with our reader, and checks its length as the service does."""
    plaintext = sealing.Reader(key, context, message[:HEAD]).open(0, message[HEAD:])
    if sealing.sealed_bytes(len(plaintext)) != len(message) - HEAD:
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


@pytest.mark.parametrize("size", SIZES)
def test_a_message_decrypts_with_our_reader_and_with_the_library(size):
    plaintext = os.urandom(size)

    message = sealed(plaintext)

    library = Cobblestone256Decryptor(KEY, CONTEXT)
    assert opened(message) == plaintext == library.update(message) + library.finalize()
    assert len(message) == HEAD + sealing.sealed_bytes(size)


@pytest.mark.parametrize("first", [0, 1, 2])
def test_any_consecutive_chunks_decrypt_alone(first):
    plaintext = os.urandom(3 * CHUNK + 5)
    message = sealed(plaintext)
    reader = sealing.Reader(KEY, CONTEXT, message[:HEAD])

    run = message[HEAD + first * STEP : HEAD + (first + 1) * STEP]

    assert reader.open(first, run) == plaintext[first * CHUNK : (first + 1) * CHUNK]


def test_a_message_of_the_first_version_still_decrypts():
    message = bytes.fromhex(FROZEN)

    assert sealing.unseal(KEY, CONTEXT, message) == b"hello" == opened(message)


def test_a_message_with_a_flipped_bit_does_not_decrypt():
    message = sealed(os.urandom(40))
    for bit in range(len(message) * 8):
        altered = bytearray(message)
        altered[bit // 8] ^= 1 << bit % 8
        refused(bytes(altered))


def test_a_long_message_with_a_flipped_bit_does_not_decrypt():
    message, draw = sealed(os.urandom(70_000)), random.Random(3)
    for _ in range(300):
        altered = bytearray(message)
        altered[draw.randrange(len(message))] ^= 1 << draw.randrange(8)
        refused(bytes(altered))


def test_a_truncated_or_extended_message_does_not_decrypt():
    message = sealed(os.urandom(3 * CHUNK))
    cuts = {*range(0, len(message), 997), *(HEAD + STEP * n for n in range(4)), len(message) - 16}
    for length in cuts:
        refused(message[:length])
    for more in (1, 16, STEP):
        refused(message + bytes(more))


def test_swapped_repeated_dropped_or_foreign_chunks_do_not_decrypt():
    message, other = sealed(os.urandom(3 * CHUNK + 5)), sealed(os.urandom(3 * CHUNK + 5))
    head, foreign = message[:HEAD], other[HEAD : HEAD + STEP]
    a, b, c, d = (message[HEAD + n * STEP : HEAD + (n + 1) * STEP] for n in range(4))
    for chunks in ((b, a, c, d), (a, a, c, d), (b, c, d), (a, c, d), (foreign, b, c, d), (a, b, c)):
        refused(head + b"".join(chunks))
    refused(head + other[HEAD:])


def test_another_key_or_context_does_not_decrypt():
    message = sealed(b"secret")
    with pytest.raises(DecryptionError):
        opened(message, key=bytes(32))
    with pytest.raises(DecryptionError):
        opened(message, context=sealing.context("payload/1", "doc_2"))
    with pytest.raises(DecryptionError):
        sealing.unseal(KEY, sealing.context("meta/1", "doc_1"), message)


def test_different_lists_of_pieces_give_different_contexts():
    lists = [(), ("",), ("", ""), ("ab",), ("a", "b"), ("", "ab"), ("ab", ""), ("é",)]

    assert len({sealing.context(*pieces) for pieces in lists}) == len(lists)


def test_a_wrapped_key_is_104_bytes():
    assert len(sealing.seal(KEY, CONTEXT, sealing.generate_key())) == 104


def refused(message):
    """Neither our reader nor the library decrypts it."""
    with pytest.raises(DecryptionError):
        opened(message)
    library = Cobblestone256Decryptor(KEY, CONTEXT)
    with pytest.raises((InvalidTag, ValueError)):
        library.update(message) + library.finalize()


FROZEN = (
    "79bd60131424ba57643f15b5181e89f22ec0235ab3b267db6845600814305dae3ef8b42153a91296"
    "bf4f5b5afe771d82d2713c36de471de8b15de443d305f03b0eaf516ac7c35f7c13a6b5a306"
)

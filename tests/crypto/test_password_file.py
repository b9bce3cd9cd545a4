"""Files encrypted with a password: pieces decrypt in their place only; the format is frozen."""

import base64
import hashlib
import unicodedata

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from crypto.password_file import PIECE_BYTES, ROUNDS, TAG_BYTES, PasswordSeal

FEW = 1000  # rounds, so that the tests are fast


@pytest.fixture
def seal():
    return PasswordSeal("correct horse", rounds=FEW)


def opened(parameters, sealed, number, *, last, header, password="correct horse"):
    """Decrypts a piece as a reader does, from the parameters in the file."""
    secret = unicodedata.normalize("NFC", password).encode()
    salt, prefix = (base64.b64decode(parameters[name]) for name in ("salt", "nonce"))
    key = hashlib.pbkdf2_hmac("sha512", secret, salt, parameters["rounds"], 32)
    nonce = prefix + number.to_bytes(4, "big") + bytes([last])
    return AESGCM(key).decrypt(nonce, sealed, header)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 4096, PIECE_BYTES])
def test_a_piece_decrypts_and_grows_by_the_tag(seal, size):
    sealed = seal.seal(bytes(size), 3, last=False, header=b"h")

    assert len(sealed) == size + TAG_BYTES
    assert opened(seal.parameters(), sealed, 3, last=False, header=b"h") == bytes(size)


@pytest.mark.parametrize(
    "change",
    [{"number": 1}, {"last": True}, {"header": b"other"}, {"number": 256}],
    ids=["moved", "made the last", "under another header", "moved far"],
)
def test_a_piece_decrypts_only_in_its_place(seal, change):
    place = {"number": 0, "last": False, "header": b"h"}
    sealed = seal.seal(b"words", **place)

    with pytest.raises(InvalidTag):
        opened(seal.parameters(), sealed, **(place | change))


def test_every_flipped_bit_is_detected(seal):
    sealed = seal.seal(b"words", 0, last=True, header=b"h")
    parameters = seal.parameters()

    for position in range(len(sealed) * 8):
        changed = bytearray(sealed)
        changed[position // 8] ^= 1 << position % 8
        with pytest.raises(InvalidTag):
            opened(parameters, bytes(changed), 0, last=True, header=b"h")


@pytest.mark.parametrize("password", ["", "correct hors", "Correct horse", "correct horse "])
def test_another_password_decrypts_nothing(seal, password):
    sealed = seal.seal(b"words", 0, last=True, header=b"h")

    with pytest.raises(InvalidTag):
        opened(seal.parameters(), sealed, 0, last=True, header=b"h", password=password)


def test_another_number_of_rounds_gives_another_key(seal):
    sealed = seal.seal(b"words", 0, last=True, header=b"h")
    fewer = seal.parameters() | {"rounds": FEW - 1}

    with pytest.raises(InvalidTag):
        opened(fewer, sealed, 0, last=True, header=b"h")


def test_composed_and_decomposed_accents_are_the_same_password():
    composed = PasswordSeal("h\u00e9llo", rounds=FEW)
    sealed = composed.seal(b"words", 0, last=True, header=b"h")

    place = {"number": 0, "last": True, "header": b"h", "password": "he\u0301llo"}
    assert opened(composed.parameters(), sealed, **place) == b"words"


def test_two_files_with_one_password_differ_in_salt_and_nonce():
    first, second = PasswordSeal("x", rounds=FEW), PasswordSeal("x", rounds=FEW)

    assert first.parameters()["salt"] != second.parameters()["salt"]
    assert first.parameters()["nonce"] != second.parameters()["nonce"]


def test_the_header_has_the_number_of_rounds():
    assert ROUNDS == 600_000
    assert PasswordSeal("x").parameters()["rounds"] == 600_000


def test_a_file_of_format_1_still_decrypts():
    """The key of the frozen vector was derived with the standard library."""
    seal = PasswordSeal("password", salt=bytes(16), prefix=bytes(7), rounds=FEW)
    key = hashlib.pbkdf2_hmac("sha512", b"password", bytes(16), FEW, 32)

    assert key.hex() == KEY
    assert seal.seal(b"abc", 0, last=True, header=b"{}").hex() == SEALED


KEY = "10448ebb80d2c914c15a97fcd858af9995e24d87e450b40ba198e1ea718e0866"
SEALED = "d9170f0c7609b1821671827df762fea1296de0"

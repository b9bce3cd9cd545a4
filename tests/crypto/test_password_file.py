"""Files encrypted with a password: pieces decrypt in their place only; the format is frozen."""

import base64
import hashlib
import unicodedata

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from crypto.password_file import PIECE_BYTES, TAG_BYTES, PasswordSeal

FEW = 1000  # rounds, so that the tests are fast
PLACE = {"number": 0, "last": True, "header": b"h"}


@pytest.fixture
def seal():
    return PasswordSeal("correct horse", rounds=FEW)


def opened(seal, sealed, number, *, last, header, password="correct horse", **others):
    """Decrypts a piece as a reader does, from the parameters in the file."""
    parameters = seal.parameters() | others
    secret = unicodedata.normalize("NFC", password).encode()
    salt, prefix = (base64.b64decode(parameters[name]) for name in ("salt", "nonce"))
    key = hashlib.pbkdf2_hmac("sha512", secret, salt, parameters["rounds"], 32)
    nonce = prefix + number.to_bytes(4, "big") + bytes([last])
    return AESGCM(key).decrypt(nonce, sealed, header)


def test_a_piece_decrypts_and_grows_by_the_tag(seal):
    for size in (0, 1, 15, 16, 17, 4096, PIECE_BYTES):
        sealed = seal.seal(bytes(size), **PLACE)
        assert len(sealed) == size + TAG_BYTES
        assert opened(seal, sealed, **PLACE) == bytes(size)


@pytest.mark.parametrize(
    "change",
    [
        {"number": 1},
        {"number": 256},
        {"last": False},
        {"header": b"other"},
        *({"password": text} for text in ("", "correct hors", "Correct horse", "correct horse ")),
        {"rounds": FEW - 1},
    ],
    ids=str,
)
def test_a_piece_decrypts_only_in_its_place_with_its_password_and_rounds(seal, change):
    sealed = seal.seal(b"words", **PLACE)

    with pytest.raises(InvalidTag):
        opened(seal, sealed, **(PLACE | change))


def test_every_flipped_bit_is_detected(seal):
    sealed = seal.seal(b"words", **PLACE)

    for position in range(len(sealed) * 8):
        changed = bytearray(sealed)
        changed[position // 8] ^= 1 << position % 8
        with pytest.raises(InvalidTag):
            opened(seal, bytes(changed), **PLACE)


def test_composed_and_decomposed_accents_are_the_same_password():
    composed = PasswordSeal("h\u00e9llo", rounds=FEW)
    sealed = composed.seal(b"words", **PLACE)

    assert opened(composed, sealed, **PLACE, password="he\u0301llo") == b"words"


def test_two_files_with_one_password_differ_in_salt_and_nonce(seal):
    first, second = seal.parameters(), PasswordSeal("correct horse", rounds=FEW).parameters()

    assert first["salt"] != second["salt"]
    assert first["nonce"] != second["nonce"]


def test_the_header_has_the_number_of_rounds():
    assert PasswordSeal("x").parameters()["rounds"] == 600_000


def test_a_file_of_format_1_still_decrypts():
    """The key of the frozen vector was derived with the standard library."""
    seal = PasswordSeal("password", salt=bytes(16), prefix=bytes(7), rounds=FEW)
    key = hashlib.pbkdf2_hmac("sha512", b"password", bytes(16), FEW, 32)

    assert key.hex() == "10448ebb80d2c914c15a97fcd858af9995e24d87e450b40ba198e1ea718e0866"
    sealed = seal.seal(b"abc", 0, last=True, header=b"{}")
    assert sealed.hex() == "d9170f0c7609b1821671827df762fea1296de0"

"""The sealed text of a row, which is bound to the columns of the row.

    sealed  = nonce(12) || AES-256-GCM(row_key, nonce, text, columns)
    row_key = HMAC-SHA-512(key, PAE("row/1", scope))[:32]

PAE is PASETO's encoding (`sealing.pae`). `key` is a data key, or the key of the service, which has
a scope for each of its rows: so no row key seals anything like 2**32 texts, up to which random
nonces are safe. `columns` is a line of the format, one of the table, and one for each bound column
that is not NULL: its name, `=` and its value as ASCII text of Python, which tells texts, numbers
and bytes apart and has no end of line.
"""

import hmac
import os
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .sealing import DecryptionError, context

REMEMBERED = 1024  # ciphers of keys that seal many rows
_NONCE_BYTES = 12


@lru_cache(REMEMBERED)
def _scope_context(scope: str) -> bytes:
    return context("row/1", scope)


class RowCipher:
    """The cipher of the texts of rows under one key."""

    def __init__(self, key: bytes, scope: str = "") -> None:
        row_key = hmac.digest(key, _scope_context(scope), "sha512")[:32]
        self._cipher = AESGCM(row_key)

    def seal(self, text: bytes, columns: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, text, columns)

    def open(self, sealed: bytes, columns: bytes) -> bytes:
        """Return the text. Raise DecryptionError if it, or a bound column, was altered."""
        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], columns)
        except InvalidTag:
            raise DecryptionError from None


@lru_cache(REMEMBERED)
def remembered_cipher(key: bytes, scope: str = "") -> RowCipher:
    """Return the cipher of a key that seals many rows; those in use are remembered."""
    return RowCipher(key, scope)

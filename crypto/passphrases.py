"""Keys wrapped under a passphrase that a person remembers, for files that leave the machine.

    wrapping key = Argon2id(passphrase in NFC, 16 bytes of random salt) -> 32 bytes       RFC 9106
    wrapped      = sealing.seal(wrapping key, PAE("passphrase/1", purpose, parameters), key)

Three passes over 64 MiB in four lanes are the RFC's second recommended option (section 4). The
parameters stand beside the wrapped key, so that they can be raised later; those that somebody else
has written are bounded, so that they take neither all of the memory nor hours.
"""

import base64
import binascii
import os
import unicodedata
from contextlib import suppress
from typing import Any, Final

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from . import sealing
from .sealing import DecryptionError
from .typed import as_meant

SHORTEST: Final = 12  # characters: whoever has the file may try as many passphrases as they like
SALT_BYTES: Final = 16
MEMORY_KIB: Final = 64 << 10
PASSES: Final = 3
LANES: Final = 4
_MOST = {"memory": 1 << 20, "passes": 16, "lanes": 16}


def wrap(key: bytes, passphrase: str, purpose: str) -> dict[str, Any]:
    """Return the wrapped key with the parameters by which `unwrap` finds its wrapping key."""
    parameters = {
        "kdf": "Argon2id",
        "salt": base64.b64encode(os.urandom(SALT_BYTES)).decode(),
        "memory": MEMORY_KIB,
        "passes": PASSES,
        "lanes": LANES,
    }
    wrapping_key = _derive(passphrase, parameters)
    wrapped = sealing.seal(wrapping_key, _context(purpose, parameters), key)
    return {**parameters, "key": base64.b64encode(wrapped).decode()}


def unwrap(wrapped: dict[str, Any], passphrase: str, purpose: str) -> bytes:
    """Return the key. Raises DecryptionError for another passphrase or altered parameters.

    A passphrase that does not open as typed is tried once more without blanks at its ends.
    """
    try:
        parameters = {name: value for name, value in wrapped.items() if name != "key"}
        _require_bounds(parameters)
        sealed = base64.b64decode(wrapped["key"], validate=True)
        keys = [_derive(meant, parameters) for meant in as_meant(passphrase)]
    except (AttributeError, KeyError, TypeError, ValueError, binascii.Error):
        raise DecryptionError from None
    for wrapping_key in keys[:-1]:
        with suppress(DecryptionError):
            return sealing.unseal(wrapping_key, _context(purpose, parameters), sealed)
    return sealing.unseal(keys[-1], _context(purpose, parameters), sealed)


def _require_bounds(parameters: dict[str, Any]) -> None:
    """Raise ValueError for parameters that no version of this service writes."""
    if parameters["kdf"] != "Argon2id":
        raise ValueError(parameters["kdf"])
    for name, most in _MOST.items():
        if not 1 <= int(parameters[name]) <= most:
            raise ValueError(name)


def _context(purpose: str, parameters: dict[str, Any]) -> bytes:
    words = [f"{name} {value}" for name, value in sorted(parameters.items())]
    return sealing.context("passphrase/1", purpose, *words)


def _derive(passphrase: str, parameters: dict[str, Any]) -> bytes:
    """Derive the key from NFC: some systems type accents composed, others decomposed."""
    kdf = Argon2id(
        salt=base64.b64decode(parameters["salt"], validate=True),
        length=sealing.KEY_BYTES,
        iterations=parameters["passes"],
        lanes=parameters["lanes"],
        memory_cost=parameters["memory"],
    )
    normalized = unicodedata.normalize("NFC", passphrase)
    return kdf.derive(normalized.encode("utf-8", "surrogatepass"))

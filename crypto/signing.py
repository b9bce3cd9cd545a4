"""Signatures of webhook deliveries: Standard Webhooks 1.0, symmetric.

    secret    = "whsec_" + base64(32 random bytes)
    signature = "v1," + base64(HMAC-SHA-256(secret's bytes, id "." timestamp "." body))

While a secret is being rotated there are two signatures, separated by a space.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Iterable

PREFIX = "whsec_"
SECRET_BYTES = 32


def generate_secret() -> str:
    return PREFIX + base64.b64encode(os.urandom(SECRET_BYTES)).decode()


def signature(secrets: Iterable[str], id: str, timestamp: int, body: bytes) -> str:
    """Return the value of the header `webhook-signature`; `timestamp` is in seconds."""
    message = f"{id}.{timestamp}.".encode() + body
    return " ".join(_sign(secret, message) for secret in secrets)


def _sign(secret: str, message: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, message, hashlib.sha256)).decode()

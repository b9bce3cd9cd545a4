"""Signatures of what is sent to webhooks: Standard Webhooks 1.0, symmetric.

    secret    = "whsec_" + base64(32 random bytes)
    signature = "v1," + base64(HMAC-SHA-256(secret's bytes, id "." timestamp "." body))

While a secret is being replaced there are two signatures, with a space between.
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
    """The header `webhook-signature`; `timestamp` in seconds."""
    signed = f"{id}.{timestamp}.".encode() + body
    return " ".join(_by(secret, signed) for secret in secrets)


def _by(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()

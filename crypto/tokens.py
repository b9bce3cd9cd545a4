"""Encrypted tokens: PASETO v4.local (paseto-spec, docs/01-Protocol-Versions/Version4.md).

A token holds ids and an expiry; whether it was revoked is stored in its row. pyseto only decrypts
here: it accepts tokens without `exp` and non-canonical base64, compares `exp` with the machine's
clock alone, and raises exceptions of six families. So the shape is checked first, the key is chosen
by comparing the whole footer, all claims are required and read here, and every failure is a
DecryptionError.
"""

import base64
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .keyring import KeyringError
from .sealing import DecryptionError

if TYPE_CHECKING:
    from pyseto import KeyInterface

_SHAPE = re.compile(r"v4\.local\.[A-Za-z0-9_-]{90,700}\.([A-Za-z0-9_-]{20,120})")
_ASSERTION = b"document-service/1/"  # with the purpose: authenticated but not transmitted


@dataclass(frozen=True)
class TokenClaims:
    """The content of a token. `id` names the session, or the document token.

    In a ticket `user_id` names the target it was made for, and `scope` the part of it that it
    opens.
    """

    id: str
    user_id: str
    scope: str = ""


def _now() -> int:
    return time.time_ns() // 1_000_000


class PasetoCodec:
    """Tokens of one purpose. `keys` returns 32-byte keys: the first one encrypts, all of them
    decrypt.

    `now` returns milliseconds since 1970, UTC. It is the only clock that decides when a token
    expires.
    """

    def __init__(
        self,
        keys: Callable[[], Sequence[bytes]],
        purpose: bytes = b"session",
        *,
        now: Callable[[], int] = _now,
    ) -> None:
        self._keys = keys
        self._assertion = _ASSERTION + purpose
        self._now = now
        self._known: dict[str, KeyInterface] = {}  # by their encoded footers

    def issue(self, claims: TokenClaims, seconds: int) -> str:
        """Return a token that expires in `seconds`. Raises KeyringError if there is no key."""
        import pyseto  # noqa: PLC0415  the first token imports it, not the start

        key, footer = _key_and_footer(first_of(self._keys()))
        now = self._moment()
        payload = {
            "sub": claims.user_id,
            "jti": claims.id,
            **({"scope": claims.scope} if claims.scope else {}),
            "iat": now.isoformat(timespec="seconds"),
            "exp": (now + timedelta(seconds=seconds)).isoformat(timespec="seconds"),
        }
        token = pyseto.encode(key, payload, footer=footer, implicit_assertion=self._assertion)
        return token.decode()

    def open(self, token: str) -> TokenClaims:
        """Return the claims of a valid token. Raises DecryptionError."""
        shape = _SHAPE.fullmatch(token)
        key = shape and self._key_of(shape[1])
        if not key:
            raise DecryptionError
        claims = {"scope": "", **self._claims(key, token)}
        if not all(isinstance(claims.get(name), str) for name in ("sub", "jti", "exp", "scope")):
            raise DecryptionError
        if _moment_of(claims["exp"]) < self._moment():
            raise DecryptionError
        return TokenClaims(claims["jti"], claims["sub"], claims["scope"])

    def _moment(self) -> datetime:
        """The present, in whole seconds, as tokens have it."""
        return datetime.fromtimestamp(self._now() // 1000, UTC)

    def _key_of(self, footer: str) -> "KeyInterface | None":
        """Return the key with this footer, which is compared and not parsed."""
        if footer not in self._known:
            keys = map(_key_and_footer, self._keys())
            encode = base64.urlsafe_b64encode
            self._known = {encode(footer).rstrip(b"=").decode(): key for key, footer in keys}
        return self._known.get(footer)

    def _claims(self, key: "KeyInterface", token: str) -> dict[str, str]:
        import pyseto  # noqa: PLC0415

        try:
            opened: Any = pyseto.decode(key, token, implicit_assertion=self._assertion)
            claims = json.loads(opened.payload)
        except Exception:  # noqa: BLE001  binascii, Unicode, Type, Value errors and its own
            raise DecryptionError from None
        return claims if isinstance(claims, dict) else {}


def first_of(keys: Sequence[bytes]) -> bytes:
    """Return the key that encrypts. Raises KeyringError if there is none."""
    if not keys:
        raise KeyringError("No key of tokens opens. `document-service doctor` says more.")
    return keys[0]


def _moment_of(text: str) -> datetime:
    """Return the time that a claim tells by RFC 3339. Raises DecryptionError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise DecryptionError from None
    if moment.tzinfo is None:
        raise DecryptionError
    return moment


@lru_cache(4)
def _key_and_footer(key: bytes) -> "tuple[KeyInterface, bytes]":
    import pyseto  # noqa: PLC0415

    made = pyseto.Key.new(4, "local", key)
    return made, json.dumps({"kid": made.to_paserk_id()}, separators=(",", ":")).encode()

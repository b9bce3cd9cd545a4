"""Session tokens: PASETO v4.local (paseto-spec, docs/01-Protocol-Versions/Version4.md).

The token says who and until when; the session's row says whether it still counts. pyseto is
wrapped once, here, because it checks less than it seems: without a deserializer `exp` is not
looked at, a token without `exp` never ends, base64 is read leniently, and its errors are of six
families. So: exact shape first, the footer matched whole, one key, claims demanded, one refusal.
"""

import base64
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyseto

from .sealing import DecryptionError

_SHAPE = re.compile(r"v4\.local\.[A-Za-z0-9_-]{90,700}\.([A-Za-z0-9_-]{20,120})")
_ASSERTION = b"document-service/1/"  # with the purpose: bound to the token, never in it


@dataclass(frozen=True)
class TokenClaims:
    """What an opened token says."""

    id: str
    user_id: str


class PasetoCodec:
    """`keys` are 32 bytes each: the first one seals, all of them open."""

    def __init__(self, keys: Callable[[], Sequence[bytes]], purpose: bytes = b"session") -> None:
        self._keys, self._assertion = keys, _ASSERTION + purpose
        self._known: dict[str, pyseto.KeyInterface] = {}  # by their footers, as a token has them

    def issue(self, session: TokenClaims, seconds: int) -> str:
        """A token that ends `seconds` from now."""
        key = pyseto.Key.new(4, "local", self._keys()[0])
        now = datetime.now(UTC)
        claims = {
            "sub": session.user_id,
            "jti": session.id,
            "iat": now.isoformat(timespec="seconds"),
            "exp": (now + timedelta(seconds=seconds)).isoformat(timespec="seconds"),
        }
        token = pyseto.encode(key, claims, footer=_footer(key), implicit_assertion=self._assertion)
        return token.decode()

    def open(self, token: str) -> TokenClaims:
        """What a token says that is ours and not past its end; otherwise `Refused`."""
        shape = _SHAPE.fullmatch(token)
        key = shape and self._key_of(shape[1])
        if not key:
            raise DecryptionError
        claims = self._claims(key, token)
        if not all(isinstance(claims.get(name), str) for name in ("sub", "jti", "exp")):
            raise DecryptionError
        return TokenClaims(claims["jti"], claims["sub"])

    def _key_of(self, footer: str) -> pyseto.KeyInterface | None:
        """The key whose footer this is. The footer is compared, never parsed."""
        if footer not in self._known:
            keys = [pyseto.Key.new(4, "local", key) for key in self._keys()]
            self._known = {_encoded(_footer(key)): key for key in keys}
        return self._known.get(footer)

    def _claims(self, key: pyseto.KeyInterface, token: str) -> dict[str, str]:
        try:
            opened = pyseto.decode(
                key, token, implicit_assertion=self._assertion, deserializer=json
            )
        except Exception:  # noqa: BLE001  binascii, Unicode, Type, Value errors and its own
            raise DecryptionError from None
        return opened.payload if isinstance(opened.payload, dict) else {}


def _footer(key: pyseto.KeyInterface) -> bytes:
    return json.dumps({"kid": key.to_paserk_id()}, separators=(",", ":")).encode()


def _encoded(footer: bytes) -> str:
    return base64.urlsafe_b64encode(footer).rstrip(b"=").decode()

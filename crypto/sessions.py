"""Session tokens: PASETO v4.local (paseto-spec, docs/01-Protocol-Versions/Version4.md).

The token says who and until when; the session's row says whether it still counts. pyseto is
wrapped once, here, because it checks less than it seems: without a deserializer `exp` is not
looked at, a token without `exp` never ends, base64 is read leniently, and its errors are of six
families. So: exact shape first, the footer matched whole, one key, claims demanded, one refusal.
"""

import base64
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyseto

from .keyring import Keyring, Root
from .sealing import Refused

_SHAPE = re.compile(r"v4\.local\.[A-Za-z0-9_-]{90,700}\.([A-Za-z0-9_-]{20,120})")
_ASSERTION = b"document-service/1/"  # with the purpose: bound to the token, never in it


@dataclass(frozen=True)
class Session:
    """What an opened token says."""

    id: str
    user_id: str


class Sessions:
    def __init__(self, keyring: Keyring, purpose: bytes = b"session") -> None:
        self._keyring, self._assertion = keyring, _ASSERTION + purpose
        self._known: dict[str, tuple[pyseto.KeyInterface, bytes]] = {}

    def issue(self, session: Session, seconds: int) -> str:
        """A token that ends `seconds` from now."""
        key, footer = self._key(self._keyring.primary)
        now = datetime.now(UTC)
        claims = {
            "sub": session.user_id,
            "jti": session.id,
            "iat": now.isoformat(timespec="seconds"),
            "exp": (now + timedelta(seconds=seconds)).isoformat(timespec="seconds"),
        }
        token = pyseto.encode(key, claims, footer=footer, implicit_assertion=self._assertion)
        return token.decode()

    def open(self, token: str) -> Session:
        """What a token says that is ours and not past its end; otherwise `Refused`."""
        shape = _SHAPE.fullmatch(token)
        key = shape and self._key_of(shape[1])
        if not key:
            raise Refused
        claims = self._claims(key, token)
        if not all(isinstance(claims.get(name), str) for name in ("sub", "jti", "exp")):
            raise Refused
        return Session(claims["jti"], claims["sub"])

    def _key_of(self, footer: str) -> pyseto.KeyInterface | None:
        """The key whose footer this is. The footer is compared, never parsed."""
        for key, known in map(self._key, self._keyring):
            if base64.urlsafe_b64encode(known).rstrip(b"=").decode() == footer:
                return key
        return None

    def _key(self, root: Root) -> tuple[pyseto.KeyInterface, bytes]:
        if root.id not in self._known:
            key = pyseto.Key.new(4, "local", root.session_key)
            footer = json.dumps({"kid": key.to_paserk_id()}, separators=(",", ":")).encode()
            self._known[root.id] = key, footer
        return self._known[root.id]

    def _claims(self, key: pyseto.KeyInterface, token: str) -> dict[str, str]:
        try:
            opened = pyseto.decode(
                key, token, implicit_assertion=self._assertion, deserializer=json
            )
        except Exception:  # noqa: BLE001  binascii, Unicode, Type, Value errors and its own
            raise Refused from None
        return opened.payload if isinstance(opened.payload, dict) else {}

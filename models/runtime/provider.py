"""The OpenID Connect provider: its documents, which are kept for a day, and what it is asked.

While a document is read a few wait for it, and others are told to try again, so that a provider
that hangs holds few workers.

Nothing is asked before somebody wants to log in, so a provider that is away delays no start.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from settings import PREFIX, Settings, WrongSetting, is_confidential

from ..core import Busy, installing, now
from .json_client import NoAnswerError, get_json, post_form
from .slots import Slots

DOCUMENT_KEPT_MS = 24 * 60 * 60 * 1000
NEW_KEYS_AFTER_MS = 60_000  # the least time between two questions for keys
TRIED_AGAIN_MS = 5_000  # after a provider gave no usable answer
MOST_EXCHANGES = 4  # of codes at once, and so many that wait; of one caller half of the former
EXCHANGE_WAIT_SECONDS = 5
MOST_WAITING_READERS = 2  # for a document that is being read
READ_WAIT_SECONDS = 5
_WELL_KNOWN = "/.well-known/openid-configuration"
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderAway(Busy):
    """The provider gave no usable answer; `reason` is for the log and the operator."""

    sentence = "The provider of your login does not answer now. Try again in a moment."
    retry_after_seconds = 10

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class ProviderIsAsked(ProviderAway):
    """Others ask the provider just now, and it does not answer."""

    def __init__(self) -> None:
        super().__init__("The provider is being asked, and has not answered yet.")


class AnswerRefusedError(Exception):
    """An answer of the provider that proves nothing; the message says why in our own words."""


@dataclass
class _Document:
    """A document of the provider, and when it was read; in milliseconds."""

    content: Mapping[str, Any]
    read_at: int


class Provider:
    """The provider of the settings. One request at a time reads its documents."""

    def __init__(self, settings: Settings, clock: Callable[[], int] = now) -> None:
        try:
            from crypto import id_tokens  # noqa: PLC0415  PyJWT may be missing
        except ImportError:
            sentence = f"{PREFIX}OIDC_ISSUER needs PyJWT: {installing('oidc')}"
            raise WrongSetting(sentence) from None
        self._id_tokens = id_tokens
        self.issuer = settings.oidc_issuer or ""
        self.name = settings.oidc_name or urlsplit(self.issuer).netloc
        self._client_id = settings.oidc_client_id or ""
        self._client_secret = settings.oidc_client_secret or ""
        self._base_url = settings.base_url or ""
        allowed = settings.sign_in_allow or ()
        has_groups = any(one.startswith("group:") for one in allowed)
        self._scope = "openid email profile groups" if has_groups else "openid email profile"
        self._clock = clock
        self._readers = Slots(1, waiting=Slots(MOST_WAITING_READERS))
        self._kept: dict[str, _Document] = {}  # by what they are: discovery, keys
        self._failed_at: int | None = None
        waiting = Slots(MOST_EXCHANGES)
        self._exchanges = Slots(MOST_EXCHANGES, MOST_EXCHANGES // 2, waiting=waiting)

    @property
    def _redirect_uri(self) -> str:
        return f"{self._base_url}/app/oidc/callback"

    def authorization_url(self, state: str, nonce: str, verifier: str) -> str:
        """Return the address at which somebody logs in. Raises `ProviderAway`."""
        endpoint = self._discovered()["authorization_endpoint"]
        digest = hashlib.sha256(verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self._client_id,
                "redirect_uri": self._redirect_uri,
                "scope": self._scope,
                "state": state,
                "nonce": nonce,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"

    def logout_url(self) -> str | None:
        """Return the address at which somebody logs out of the provider, if it says one."""
        try:
            endpoint = self._discovered().get("end_session_endpoint")
        except ProviderAway:
            return None
        if not isinstance(endpoint, str) or not is_confidential(endpoint):
            return None
        back = f"{self._base_url}/app/login"
        query = urlencode({"client_id": self._client_id, "post_logout_redirect_uri": back})
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"

    def claims(self, answer: Mapping[str, str], verifier: str, nonce: str) -> dict[str, Any]:
        """Return the claims of the ID token that the code of an answer brings.

        Raises `AnswerRefusedError`, `ProviderAway`, and `Busy` while the caller has the share of
        answers that may be judged at once.
        """
        self._judge_answer(answer)
        with self._exchanges.held(seconds=EXCHANGE_WAIT_SECONDS):
            tokens = self._exchanged(answer["code"], verifier)
        token = tokens.get("id_token")
        if not isinstance(token, str):
            raise AnswerRefusedError("the provider sent no ID token")
        expected = self._id_tokens.Expected(
            self.issuer, self._client_id, nonce, self._clock() / 1000
        )
        try:
            return self._verified(token, self._known_keys(), expected)
        except self._id_tokens.UnknownKeyError:
            keys = self._newer_keys()
        return self._verified(token, keys, expected, is_last=True)

    def _verified(
        self, token: str, keys: list[Mapping[str, Any]], expected: Any, *, is_last: bool = False
    ) -> dict[str, Any]:
        """Return the claims of an ID token.

        Raises `AnswerRefusedError`, and for an unknown key `UnknownKeyError`, unless it `is_last`.
        """
        try:
            claims: dict[str, Any] = self._id_tokens.verified_claims(token, keys, expected)
        except self._id_tokens.TokenRefusedError as error:
            if isinstance(error, self._id_tokens.UnknownKeyError) and not is_last:
                raise
            raise AnswerRefusedError(f"the ID token is refused: {error}") from None
        return claims

    def problem(self) -> str | None:
        """Return why nobody can log in by the provider; None if they can, as far as it shows."""
        try:
            self._discovered()
            self._known_keys()
        except ProviderAway as error:
            return error.reason
        return None

    def _judge_answer(self, answer: Mapping[str, str]) -> None:
        """Refuse an answer without a code, or of another issuer (RFC 9207)."""
        says_issuer = self._discovered().get("authorization_response_iss_parameter_supported")
        if says_issuer is True and "iss" not in answer:
            raise AnswerRefusedError("the answer names no issuer")
        if answer.get("iss", self.issuer) != self.issuer:
            raise AnswerRefusedError("another issuer has answered")
        if "error" in answer or not answer.get("code"):
            raise AnswerRefusedError("the provider let nobody in")

    def _exchanged(self, code: str, verifier: str) -> dict[str, Any]:
        """Return the tokens of a code."""
        discovery = self._discovered()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": verifier,
        }
        basic: tuple[str, str] | None = (self._client_id, self._client_secret)
        methods = discovery.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        if "client_secret_basic" not in methods and "client_secret_post" in methods:
            fields |= {"client_id": self._client_id, "client_secret": self._client_secret}
            basic = None
        try:
            return post_form(discovery["token_endpoint"], fields, basic)
        except NoAnswerError as error:
            raise AnswerRefusedError(f"the token endpoint gave no tokens: {error}") from None

    def _discovered(self) -> Mapping[str, Any]:
        """Return the discovery document, read at most a day ago."""
        address = self.issuer.rstrip("/") + _WELL_KNOWN
        return self._document("discovery", address, self._complete, DOCUMENT_KEPT_MS).content

    def _complete(self, document: Mapping[str, Any]) -> None:
        """Refuse a discovery document of another issuer, or without the addresses."""
        if document.get("issuer") != self.issuer:
            raise NoAnswerError("it names itself otherwise than OIDC_ISSUER")
        for name in _ENDPOINTS:
            address = document.get(name)
            if not isinstance(address, str) or not is_confidential(address):
                raise NoAnswerError(f"its {name} is no address by https")
        methods = document.get("token_endpoint_auth_methods_supported", [])
        if not isinstance(methods, list):
            raise NoAnswerError("its methods of authentication are no list")

    def _known_keys(self, most_age_ms: int = DOCUMENT_KEPT_MS) -> list[Mapping[str, Any]]:
        address = self._discovered()["jwks_uri"]
        return list(self._document("keys", address, _has_keys, most_age_ms).content["keys"])

    def _newer_keys(self) -> list[Mapping[str, Any]]:
        """Return the keys, read again unless they were read in the last minute."""
        return self._known_keys(NEW_KEYS_AFTER_MS)

    def _document(
        self,
        name: str,
        address: str,
        judge: Callable[[Mapping[str, Any]], None],
        most_age_ms: int,
    ) -> _Document:
        """Return a document that was read in the last so many milliseconds.

        Raises `ProviderAway`, also if others read it, and too many wait for it already.
        """
        if known := self._fresh(name, most_age_ms):
            return known
        with self._readers.held(seconds=READ_WAIT_SECONDS, refusal=ProviderIsAsked):
            known = self._fresh(name, most_age_ms)  # somebody else has read it meanwhile
            if known is None:
                known = self._kept[name] = self._read(address, judge)
        return known

    def _fresh(self, name: str, most_age_ms: int) -> _Document | None:
        known = self._kept.get(name)
        is_old = known is None or self._clock() - known.read_at >= most_age_ms
        return None if is_old else known

    def _read(self, address: str, judge: Callable[[Mapping[str, Any]], None]) -> _Document:
        """Return a document; a provider that has just failed is not asked again at once."""
        moment = self._clock()
        if self._failed_at is not None and 0 <= moment - self._failed_at < TRIED_AGAIN_MS:
            raise ProviderAway("The provider gave no usable answer a moment ago.")
        try:
            content = get_json(address)
            judge(content)
        except NoAnswerError as error:
            self._failed_at = self._clock()
            raise ProviderAway(f"The provider of OIDC_ISSUER gave no answer: {error}.") from None
        self._failed_at = None
        return _Document(content, moment)


def _has_keys(document: Mapping[str, Any]) -> None:
    if not isinstance(document.get("keys"), list):
        raise NoAnswerError("it lists no keys")

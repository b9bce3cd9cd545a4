"""ID tokens of OpenID Connect (Core 1.0, 3.1.3.7): the signature and every claim that is judged.

PyJWT verifies the signature alone. The algorithm is one of ours that fits the key, whatever the
token names; no key that the token holds or points to is ever used.
"""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt
from jwt.algorithms import OKPAlgorithm

LEEWAY_SECONDS = 60
_MOST_KEYS = 50  # of a provider that are looked at
_LEAST_RSA_BITS = 2048
_ALGORITHMS = {  # by the type and the curve of a JSON Web Key (RFC 7517)
    ("RSA", None): "RS256",
    ("EC", "P-256"): "ES256",
    ("OKP", "Ed25519"): "EdDSA",
}
_OTHER_NAMES = {"Ed25519": "EdDSA"}  # RFC 9864, 2.2, which has it in place of `EdDSA`
_JWS = jwt.PyJWS(algorithms=list(_ALGORITHMS.values()))
for _name in _OTHER_NAMES:
    _JWS.register_algorithm(_name, OKPAlgorithm())


class TokenRefusedError(Exception):
    """An ID token that proves nothing; the message says why in our own words."""


class UnknownKeyError(TokenRefusedError):
    """An ID token that names a key which is not among the provider's."""


@dataclass(frozen=True)
class Expected:
    """The values that the claims of an ID token must have; `moment` is in seconds since 1970."""

    issuer: str
    client_id: str
    nonce: str
    moment: float


def verified_claims(
    token: str, keys: Iterable[Mapping[str, Any]], expected: Expected
) -> dict[str, Any]:
    """Return the claims of an ID token that one of these JSON Web Keys has signed.

    Raises `UnknownKeyError`, and `TokenRefusedError`.
    """
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, TypeError):
        raise TokenRefusedError("it is no signed token") from None
    named = header.get("alg", "")
    algorithm = _algorithm_of(named)
    if algorithm is None:
        raise TokenRefusedError("its algorithm is not one of ours")
    if "crit" in header:
        raise TokenRefusedError("it asks for something unknown")
    key = _key_of(header.get("kid"), algorithm, _usable(keys))
    try:
        claims = json.loads(_JWS.decode(token, key, algorithms=[named]))
    except (jwt.PyJWTError, ValueError, TypeError):
        raise TokenRefusedError("its signature is wrong") from None
    if not isinstance(claims, dict):
        raise TokenRefusedError("it holds no claims")
    _judge(claims, expected)
    return claims


def _algorithm_of(name: object) -> str | None:
    """Return the algorithm of ours that a token or a key names; None for any other one."""
    if not isinstance(name, str):
        return None
    algorithm = _OTHER_NAMES.get(name, name)
    return algorithm if algorithm in _ALGORITHMS.values() else None


def _usable(keys: Iterable[Mapping[str, Any]]) -> list[tuple[Any, str, Any]]:
    """Return the id, the algorithm and the key of each that signs by an algorithm of ours."""
    found = []
    for given in list(keys)[:_MOST_KEYS]:
        if not isinstance(given, Mapping) or given.get("use", "sig") != "sig":
            continue
        kind, curve = given.get("kty"), given.get("crv")
        algorithm = _ALGORITHMS.get((str(kind), str(curve) if curve else None))
        if algorithm is None or _algorithm_of(given.get("alg", algorithm)) != algorithm:
            continue
        try:
            key = jwt.PyJWK(dict(given), algorithm).key
        except (jwt.PyJWTError, ValueError, TypeError, KeyError):
            continue
        if getattr(key, "key_size", _LEAST_RSA_BITS) < _LEAST_RSA_BITS and kind == "RSA":
            continue
        found.append((given.get("kid"), algorithm, key))
    return found


def _key_of(kid: object, algorithm: str, keys: Sequence[tuple[Any, str, Any]]) -> Any:  # noqa: ANN401
    """Return the key of this id and algorithm; a token without an id needs the only such key."""
    of_algorithm = [(id, key) for id, works_by, key in keys if works_by == algorithm]
    fitting = [key for id, key in of_algorithm if kid is None or kid == id]
    if len(fitting) != 1:
        raise UnknownKeyError("its key is not one of the provider's")
    return fitting[0]


def _judge(claims: Mapping[str, Any], expected: Expected) -> None:
    """Raise `TokenRefusedError` unless every claim is as expected."""
    if claims.get("iss") != expected.issuer:
        raise TokenRefusedError("another issuer made it")
    if claims.get("aud") not in (expected.client_id, [expected.client_id]):
        raise TokenRefusedError("it is not for this service alone")
    if claims.get("azp", expected.client_id) != expected.client_id:
        raise TokenRefusedError("it was made for another service")
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or not hmac.compare_digest(
        nonce.encode(errors="replace"), expected.nonce.encode()
    ):
        raise TokenRefusedError("it is not of this login")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= 255:
        raise TokenRefusedError("it names nobody")
    if _moment(claims, "exp") + LEEWAY_SECONDS <= expected.moment:
        raise TokenRefusedError("it has expired")
    if _moment(claims, "iat") - LEEWAY_SECONDS > expected.moment:
        raise TokenRefusedError("it is of the future")
    if "nbf" in claims and _moment(claims, "nbf") - LEEWAY_SECONDS > expected.moment:
        raise TokenRefusedError("it is of the future")


def _moment(claims: Mapping[str, Any], name: str) -> float:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TokenRefusedError(f"its {name} is missing")
    return value

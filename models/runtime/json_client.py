"""JSON from a provider of logins: a small client that a hostile or slow one cannot abuse.

One deadline covers the whole exchange, the answer has a limit, redirects and proxies are not
followed, and certificates are those that the system trusts.
"""

import base64
import http.client
import json
import socket
import ssl
import time
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote_plus, urlencode, urlsplit

from settings import is_confidential

from ..core import will_wait
from .deadlines import DeadlineStream, resolved, seconds_left

DEADLINE_SECONDS = 5.0
MOST_ANSWER_BYTES = 256 << 10
ADDRESSES_TRIED = 3
_HEADERS = {"Accept": "application/json", "Connection": "close", "User-Agent": "Document Service"}
_tls = cache(ssl.create_default_context)


class NoAnswerError(Exception):
    """A server that gave no usable answer; the message says why in our own words."""


def get_json(url: str) -> dict[str, Any]:
    """Return the JSON object at an address; raise `NoAnswerError`."""
    return _exchange("GET", url, {}, None)


def post_form(
    url: str, fields: Mapping[str, str], basic: tuple[str, str] | None = None
) -> dict[str, Any]:
    """Return the JSON object with which a form is answered; raise `NoAnswerError`.

    `basic` are a name and a secret, sent as RFC 6749, 2.3.1 has it.
    """
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    if basic:
        pair = ":".join(map(quote_plus, basic))
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return _exchange("POST", url, headers, urlencode(fields).encode())


def _exchange(
    method: str, url: str, headers: Mapping[str, str], body: bytes | None
) -> dict[str, Any]:
    if not is_confidential(url):
        raise NoAnswerError("its address is not by https")
    try:
        will_wait()
        status, answer = _sent(method, url, {**_HEADERS, **headers}, body)
    except TimeoutError:
        raise NoAnswerError(f"there was no answer within {DEADLINE_SECONDS:g} s") from None
    except ssl.SSLError:
        raise NoAnswerError("its certificate is not good") from None
    except (OSError, http.client.HTTPException, UnicodeError):
        raise NoAnswerError("it cannot be reached") from None
    if len(answer) > MOST_ANSWER_BYTES:
        raise NoAnswerError(f"its answer is longer than {MOST_ANSWER_BYTES:,} bytes")
    if status != 200:
        raise NoAnswerError(f"it answered {status}")
    try:
        content = json.loads(answer)
    except (ValueError, RecursionError):
        raise NoAnswerError("its answer is no JSON") from None
    if not isinstance(content, dict):
        raise NoAnswerError("its answer is no JSON object")
    return content


def _sent(
    method: str, url: str, headers: Mapping[str, str], body: bytes | None
) -> tuple[int, bytes]:
    """Return the status and the body, of which one byte more than the limit is read."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    parts = urlsplit(url)
    host = parts.hostname or ""
    with _connection(host, parts.port or (443 if parts.scheme == "https" else 80), deadline) as raw:
        raw.settimeout(seconds_left(deadline))
        secure = _tls().wrap_socket(raw, server_hostname=host) if parts.scheme == "https" else raw
        stream = DeadlineStream(secure, deadline)
        request = http.client.HTTPConnection(host, parts.port)
        request.sock = stream
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request.request(method, target, body, {"Host": parts.netloc, **headers})
        response = http.client.HTTPResponse(stream, method=method)  # type: ignore[arg-type]
        response.begin()
        return response.status, response.read(MOST_ANSWER_BYTES + 1)


def _connection(host: str, port: int, deadline: float) -> socket.socket:
    """Return a connection to the first address of the host that accepts one."""
    failure: OSError = socket.gaierror("no address")
    found = resolved(socket.getaddrinfo, host, port).result(seconds_left(deadline))
    for *_, address in found[:ADDRESSES_TRIED]:
        try:
            return socket.create_connection(address[:2], seconds_left(deadline))
        except OSError as error:
            failure = error
    raise failure

"""A POST to the URL of a user, and never to an address that is not allowed (SSRF).

The name is resolved once, all its addresses must be allowed, and the connection is made to one of
them, so a changed DNS record has no effect (DNS rebinding). The certificate is checked against the
name. Redirects and proxies are not followed. One deadline covers the whole exchange.
"""

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from models.events import Networks, Outcome, WebhookUrl, failure_of, may_reach
from models.runtime import DeadlineStream, resolved, seconds_left

DEADLINE_SECONDS = 15
CONNECT_SECONDS = 5
ADDRESSES_TRIED = 3
RESPONSE_BYTES = 1024

Addresses = list[tuple[str, int]]
_default_tls = cache(ssl.create_default_context)


class AddressNotAllowedError(Exception):
    """An address that nothing is sent to; the message says why."""


class SafeHttpClient:
    def __init__(
        self,
        allowed: Networks = (),
        *,
        resolve: Callable[..., Iterable[tuple[Any, ...]]] = socket.getaddrinfo,
        connect: Callable[[tuple[str, int], float], socket.socket] = socket.create_connection,
        tls: Callable[[], ssl.SSLContext] = _default_tls,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._allowed = allowed
        self._resolve = resolve
        self._connect = connect
        self._tls = tls
        self._deadline_seconds = deadline_seconds

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Post a body. A failure is an outcome with an error, not an exception."""
        started_at = time.monotonic()
        try:
            result = self._exchange(url, headers, body, started_at + self._deadline_seconds)
        except AddressNotAllowedError as error:
            result = {"error": str(error)}
        except (OSError, http.client.HTTPException) as error:
            result = {"error": failure_of(error, self._deadline_seconds)}
        return Outcome(duration_ms=round((time.monotonic() - started_at) * 1000), **result)

    def _exchange(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline: float
    ) -> dict[str, Any]:
        destination = WebhookUrl.of(url)
        if destination is None:
            raise AddressNotAllowedError("This is no address to send to.")
        with self._connect_first(self._addresses(destination, deadline), deadline) as plain:
            stream = DeadlineStream(self._secure(plain, destination, deadline), deadline)
            request = http.client.HTTPConnection(destination.host, destination.port)
            request.sock = stream
            own = {"Host": destination.authority, "Connection": "close"}
            request.request("POST", destination.target, body, own | dict(headers))
            response = http.client.HTTPResponse(stream, method="POST")  # type: ignore[arg-type]
            response.begin()
            return _read(response)

    def _addresses(self, destination: WebhookUrl, deadline: float) -> Addresses:
        """Return the addresses of a name. Raise AddressNotAllowedError if any is not allowed."""
        found = resolved(self._resolve, destination.host, destination.port)
        resolved_to = found.result(seconds_left(deadline))
        addresses = [(host, port) for *_, (host, port, *_) in resolved_to]
        for host, _ in addresses:
            address = ipaddress.ip_address(host.partition("%")[0])
            if not may_reach(destination, address, self._allowed):
                raise AddressNotAllowedError(
                    "The name leads to an address that is not public, or not by https. "
                    "The setting WEBHOOK_ALLOW has to name its network."
                )
        return addresses[:ADDRESSES_TRIED]

    def _connect_first(self, addresses: Addresses, deadline: float) -> socket.socket:
        """Return a connection to the first address that accepts one."""
        failure: OSError = socket.gaierror("no address")
        for address in addresses:
            try:
                return self._connect(address, min(CONNECT_SECONDS, seconds_left(deadline)))
            except OSError as error:
                failure = error
        raise failure

    def _secure(
        self, plain: socket.socket, destination: WebhookUrl, deadline: float
    ) -> socket.socket:
        if not destination.tls:
            return plain
        plain.settimeout(seconds_left(deadline))
        return self._tls().wrap_socket(plain, server_hostname=destination.host)


def _read(response: http.client.HTTPResponse) -> dict[str, Any]:
    """Return the status, and the beginning of the body if it arrives in time."""
    try:
        body = response.read(RESPONSE_BYTES)
    except (OSError, http.client.HTTPException):
        body = b""
    retry_after = response.headers.get("Retry-After", "")
    is_seconds = retry_after.isdecimal() and len(retry_after) < 9
    return {
        "status": response.status,
        "answer": body.decode(errors="replace"),
        "retry_after_seconds": int(retry_after) if is_seconds else 0,
    }

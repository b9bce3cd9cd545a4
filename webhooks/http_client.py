"""The guard: one POST to an address that a user gave, and to nowhere it should not go.

The name is looked up once, and every address it has must be allowed; the connection goes to one
of these very addresses, so an answer that changes a moment later changes nothing. The certificate
is checked against the name. No redirect is followed, no proxy asked, and all of it ends at one
moment, however slowly the other side drips; only the look-up takes as long as the system lets it.
"""

import http.client
import io
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from models.delivery import Outcome
from models.webhook_url import Networks, WebhookUrl, may_reach

DEADLINE_SECONDS = 15
CONNECT_SECONDS = 5
ADDRESSES_TRIED = 3
KEPT_BYTES = 1024

Resolve = Callable[..., Iterable[tuple[Any, ...]]]


class AddressNotAllowed(Exception):
    """Not sent: the sentence says why."""


class SafeHttpClient:
    def __init__(
        self,
        allowed: Networks = (),
        resolve: Resolve = socket.getaddrinfo,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._allowed, self._resolve = allowed, resolve
        self._deadline_seconds = deadline_seconds

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Never raises: whatever goes wrong is the outcome."""
        began = time.monotonic()
        try:
            answered = self._exchange(url, headers, body, began + self._deadline_seconds)
        except AddressNotAllowed as refused:
            answered = {"error": str(refused)}
        except ssl.SSLCertVerificationError as error:
            answered = {"error": f"The certificate is not good: {error.verify_message}."}
        except TimeoutError:
            answered = {"error": f"There was no answer within {self._deadline_seconds:g} s."}
        except socket.gaierror:
            answered = {"error": "The name is not known."}
        except (OSError, http.client.HTTPException) as error:
            answered = {"error": f"The connection failed: {type(error).__name__}."}
        return Outcome(duration_ms=round((time.monotonic() - began) * 1000), **answered)

    def _exchange(
        self, url: str, headers: Mapping[str, str], body: bytes, ends_at: float
    ) -> dict[str, Any]:
        destination = WebhookUrl.of(url)
        if destination is None:
            raise AddressNotAllowed("This is no address to send to.")
        addresses = self._addresses(destination)
        with _connected(addresses, ends_at) as plain:
            wire = _Wire(self._secured(plain, destination, ends_at), ends_at)
            wire.send(_request(destination, headers, body))
            answer = http.client.HTTPResponse(wire, method="POST")  # type: ignore[arg-type]
            answer.begin()
            return _read(answer)

    def _addresses(self, destination: WebhookUrl) -> list[tuple[Any, ...]]:
        """One that is not allowed is enough to send nothing."""
        found = list(self._resolve(destination.host, destination.port, type=socket.SOCK_STREAM))
        for *_, (host, *_) in found:
            address = ipaddress.ip_address(host.partition("%")[0])
            if not may_reach(destination, address, self._allowed):
                raise AddressNotAllowed(
                    "The name leads to an address that is not public, or not by https. "
                    "The setting WEBHOOK_ALLOW has to name its network."
                )
        return found[:ADDRESSES_TRIED]

    def _secured(
        self, plain: socket.socket, destination: WebhookUrl, ends_at: float
    ) -> socket.socket:
        if not destination.tls:
            return plain
        plain.settimeout(_left(ends_at))
        return self._certificates.wrap_socket(plain, server_hostname=destination.host)

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        return ssl.create_default_context()


class _Wire(io.RawIOBase):
    """A connection as what http.client reads from."""

    def __init__(self, connection: socket.socket, ends_at: float) -> None:
        self._connection, self._ends_at = connection, ends_at

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401
        self._connection.settimeout(_left(self._ends_at))
        return self._connection.recv_into(buffer)

    def send(self, data: bytes) -> None:
        self._connection.settimeout(_left(self._ends_at))
        self._connection.sendall(data)

    def close(self) -> None:
        super().close()
        self._connection.close()


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connected(addresses: list[tuple[Any, ...]], ends_at: float) -> socket.socket:
    """To the first of the addresses that takes it."""
    failure: OSError = socket.gaierror("no address")
    for family, *_, address in addresses:
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(min(CONNECT_SECONDS, _left(ends_at)))
            connection.connect(address)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    raise failure


def _request(destination: WebhookUrl, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [
        f"POST {destination.target} HTTP/1.1",
        f"Host: {destination.authority}",
        "Connection: close",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _read(answer: http.client.HTTPResponse) -> dict[str, Any]:
    """The status decides; of the body the beginning is kept, if it comes."""
    try:
        kept = answer.read(KEPT_BYTES)
    except (OSError, http.client.HTTPException):
        kept = b""
    wait = answer.headers.get("Retry-After", "")
    return {
        "status": answer.status,
        "answer": kept.decode(errors="replace"),
        "retry_after_seconds": int(wait) if wait.isdecimal() and len(wait) < 9 else 0,
    }

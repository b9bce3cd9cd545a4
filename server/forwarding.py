"""The headers of a trusted proxy: who the client is, and by which address it has called.

There is no standard of `X-Forwarded-For`, `-Proto` and `-Host`; each proxy appends to the lists of
those before it, so values from the right are the nearer ones, and a client may have written all
that stands left of them. A value that cannot be read counts as none.
"""

import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from .request_parser import is_host

LOGGED_AFTER_SECONDS = 60  # of one header
SCHEMES = {"https": "https", "wss": "https", "http": "http", "ws": "http"}
_REMOVED = frozenset(
    f"HTTP_{name}"
    for name in (
        "FORWARDED",
        "X_FORWARDED_FOR",
        "X_FORWARDED_PROTO",
        "X_FORWARDED_HOST",
        "X_FORWARDED_PORT",
        "X_FORWARDED_PREFIX",
        "X_FORWARDED_BY",
    )
)
_WITH_PORT = re.compile(r"\[(?P<ipv6>[^\]]*)\](?::[0-9]{1,5})?|(?P<ipv4>[0-9.]+):[0-9]{1,5}")
_UNREADABLE = "The proxy sent a header %s that cannot be read: it counts as none."


@dataclass(frozen=True)
class TrustedProxy:
    """The proxies in front, by their networks, and what they say.

    `all_clients` are trusted on a Unix socket, whose clients have no address. `public_url` is
    scheme and host by which people call the service, whatever the proxy says, and None if it is
    for the proxy to say. `identity_header` is the header in which it names who has logged in there.
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    all_clients: bool = False
    public_url: str | None = None
    forwards_host: bool = False
    identity_header: str | None = None


class Forwarding:
    """Reads what the trusted proxies say of a request. Nothing is read of anybody else."""

    def __init__(
        self, proxy: TrustedProxy | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._proxy = proxy or TrustedProxy()
        self._clock = clock
        self._logged_at: dict[str, float] = {}
        self._is_trusted = lru_cache(maxsize=4096)(self._is_in_networks)
        self._public = urlsplit(self._proxy.public_url) if self._proxy.public_url else None
        header = self._proxy.identity_header
        self._identity = f"HTTP_{header.upper().replace('-', '_')}" if header else None

    def trusts(self, address: str) -> bool:
        """Return whether the client at an address, or of a Unix socket, is a trusted proxy."""
        return self._proxy.all_clients or self._is_trusted(address)

    def around(self, application: Any) -> Any:
        """Return an application (PEP 3333) that sees requests as the proxy has received them.

        It sees no forwarding header. The value of the identity header, which only a trusted proxy
        may send, is `server.identity` in its environment.
        """

        removed = _REMOVED - {self._identity}

        def serve(environ: dict[str, Any], start_response: Any) -> Any:
            if self.trusts(environ["REMOTE_ADDR"]):
                self._read(environ)
            for name in removed & environ.keys():
                del environ[name]
            return application(environ, start_response)

        return serve

    def _read(self, environ: dict[str, Any]) -> None:
        if self._identity and self._identity in environ:
            environ["server.identity"] = environ[self._identity]
        client = self.client(environ["REMOTE_ADDR"], environ.get("HTTP_X_FORWARDED_FOR"))
        environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = client
        if self._public:
            environ["wsgi.url_scheme"] = self._public.scheme
            environ["HTTP_HOST"] = self._public.netloc
            return
        scheme = self._last_value(environ, "X-Forwarded-Proto", lambda value: value in SCHEMES)
        if scheme:
            environ["wsgi.url_scheme"] = SCHEMES[scheme]
        if self._proxy.forwards_host:
            host = self._last_value(environ, "X-Forwarded-Host", is_host)
            environ["HTTP_HOST"] = host or environ.get("HTTP_HOST", "localhost")

    def client(self, address: str, forwarded_for: str | None) -> str:
        """Return the address of the client of a connection and the header `X-Forwarded-For`.

        Of a trusted proxy it is from the right the first that is no trusted proxy.
        """
        if forwarded_for is None or not self.trusts(address):
            return address
        client = address
        for value in reversed(forwarded_for.split(",")):
            known = address_in(value)
            if known is None:
                self._log_unreadable("X-Forwarded-For")
                break
            client = known
            if not self._is_trusted(client):
                break
        return client

    def _last_value(
        self, environ: dict[str, Any], header: str, is_readable: Callable[[str], bool]
    ) -> str | None:
        """Return the last value of a list; None if there is none that can be read."""
        given = environ.get(f"HTTP_{header.upper().replace('-', '_')}")
        if given is None:
            return None
        value: str = given.rpartition(",")[2].strip(" \t").lower()
        if is_readable(value):
            return value
        self._log_unreadable(header)
        return None

    def _is_in_networks(self, text: str) -> bool:
        found = address_in(text)
        if found is None:
            return False
        address = ip_address(found)
        return any(address in network for network in self._proxy.networks)

    def _log_unreadable(self, header: str) -> None:
        now = self._clock()
        if now - self._logged_at.get(header, -LOGGED_AFTER_SECONDS) >= LOGGED_AFTER_SECONDS:
            self._logged_at[header] = now
            logging.getLogger("docservice").warning(_UNREADABLE, header)


def address_in(text: str) -> str | None:
    """Return the address in a value, perhaps with a port; None if it is none.

    An address of IPv4 that is written in IPv6 is one of IPv4 (RFC 4291, 2.5.5.2).
    """
    text = text.strip(" \t").strip('"')
    with_port = _WITH_PORT.fullmatch(text)
    if with_port:
        text = with_port["ipv6"] or with_port["ipv4"] or ""
    try:
        address: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.scope_id is not None:  # which may be any text
        return None
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return str(address)

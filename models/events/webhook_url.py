"""URLs of webhooks, and the addresses that they may reach (SSRF policy)."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Self

from ..core import Invalid
from ..runtime import current_runtime
from .mail import is_mail_address

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Networks = tuple[Network, ...]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

MAIL_SCHEME = "mailto:"  # of the address of a webhook that sends mail
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = rf"(?:{_LABEL}\.)*[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?"  # the last label is no number
_IN_PATH = r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]"
_URL = re.compile(
    rf"(?P<scheme>https?)://(?P<host>{_NAME}|[0-9.]+|\[[0-9a-f:.]+\])"
    rf"(?::(?P<port>[0-9]{{1,5}}))?(?P<target>(?:/{_IN_PATH}*)?(?:\?(?:{_IN_PATH}|\?)*)?)",
    re.I | re.A,
)
_LOCAL_NAME = re.compile(r"[^.]+|.*\.(?:localhost|localdomain|local|internal|home\.arpa)")

# The IANA special-purpose address registries, and Azure's host (168.63.129.16). Of IPv6 only
# 2000::/3 is allocated, so that special networks outside it need not be listed
_RESERVED = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
    2001::/23 2001:db8::/32 2002::/16 3fff::/20
"""
_RESERVED_NETWORKS = tuple(ipaddress.ip_network(text) for text in _RESERVED.split())
_ALLOCATED_IPV6 = ipaddress.ip_network("2000::/3")


@dataclass(frozen=True)
class WebhookUrl:
    """A parsed URL. `target` is path and query."""

    tls: bool
    host: str
    port: int
    target: str

    @classmethod
    def of(cls, url: str) -> Self | None:
        """Return the URL in parts, or None if it is invalid.

        It is judged more strictly than by RFC 3986, so that all parsers agree on the host: no
        percent-encoding in it, and IP addresses in their usual notation only.
        """
        match = _URL.fullmatch(url)
        if not match:
            return None
        tls = match["scheme"].lower() == "https"
        port = int(match["port"] or (443 if tls else 80))
        target = "/" + match["target"].removeprefix("/")
        parsed = cls(tls, match["host"].strip("[]").lower(), port, target)
        return parsed if 0 < port < 65536 and parsed._has_valid_host() else None

    @property
    def literal(self) -> Address | None:
        """The address, if the host is one or is `localhost`; None if it is a name."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return ipaddress.ip_address("127.0.0.1")
        return ipaddress.ip_address(self.host) if self._is_ip_address() else None

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    def may_be_reached(self, allowed: Networks) -> bool:
        """Return whether it could be allowed, judged without a DNS query."""
        if (address := self.literal) is not None:
            return may_reach(self, address, allowed)
        return bool(allowed) or (self.tls and not _LOCAL_NAME.fullmatch(self.host))

    def _is_ip_address(self) -> bool:
        return ":" in self.host or not re.search("[a-z]", self.host)

    def _has_valid_host(self) -> bool:
        try:
            return self.literal is not None or len(self.host) <= 253
        except ValueError:
            return False


def sends_notices() -> bool:
    """Return whether notices go out by mail: the pages are needed, where an address agrees."""
    settings = current_runtime().settings
    return settings.smtp_url is not None and settings.console == "on"


def require_reachable(url: str) -> None:
    """Raise `Invalid` for an address that nothing may be sent to."""
    if url.startswith(MAIL_SCHEME):
        if not sends_notices():
            raise Invalid("#/url", "This service sends no notices by mail. Use an https address.")
        if not is_mail_address(url.removeprefix(MAIL_SCHEME)):
            raise Invalid("#/url", "This is no address for mail: one is mailto:me@example.org.")
        return
    destination = WebhookUrl.of(url)
    if destination is None:
        raise Invalid(
            "#/url",
            "Use an address like https://example.org/hook: https, a name in ASCII or a usual IP "
            "address, no user, no fragment.",
        )
    if not destination.may_be_reached(current_runtime().settings.webhook_allow or ()):
        raise Invalid(
            "#/url",
            "Webhooks reach public addresses by https. For another network, or http, the setting "
            "WEBHOOK_ALLOW has to name it.",
        )


def may_reach(url: WebhookUrl, address: Address, allowed: Networks) -> bool:
    """Return whether an address is in an allowed network, or public and the URL is `https`."""
    address = getattr(address, "ipv4_mapped", None) or address
    is_allowed = any(address in network for network in allowed)
    return is_allowed or (url.tls and _is_public(address))


def _is_public(address: Address) -> bool:
    is_allocated = address.version == 4 or address in _ALLOCATED_IPV6
    return is_allocated and not any(address in network for network in _RESERVED_NETWORKS)

"""Where a webhook may lead: what its address looks like, and which networks it may reach."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Self

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Networks = tuple[Network, ...]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = rf"(?:{_LABEL}\.)*[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?"  # ends in no number
_IN_PATH = r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]"
_URL = re.compile(
    rf"(?P<scheme>https?)://(?P<host>{_NAME}|[0-9.]+|\[[0-9a-f:.]+\])"
    rf"(?::(?P<port>[0-9]{{1,5}}))?(?P<target>(?:/{_IN_PATH}*)?(?:\?(?:{_IN_PATH}|\?)*)?)",
    re.I | re.A,
)
_LOCAL_NAME = re.compile(r"[^.]+|.*\.(?:localhost|localdomain|local|internal|home\.arpa)")

# IANA's special-purpose registries, and a cloud's host. Of IPv6 only 2000::/3 is given out, so the
# rest is not listed
_REGISTERED = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
    2001::/23 2001:db8::/32 2002::/16 3fff::/20
"""
_SPECIAL = tuple(ipaddress.ip_network(text) for text in _REGISTERED.split())
_GIVEN_OUT = ipaddress.ip_network("2000::/3")


@dataclass(frozen=True)
class WebhookUrl:
    """A webhook's address, taken apart. `target` is path and query."""

    tls: bool
    host: str
    port: int
    target: str

    @classmethod
    def of(cls, url: str) -> Self | None:
        """None for what is no such address. Stricter than RFC 3986: nothing in it can be read in
        two ways, so no escapes in the host, no numbers for addresses but the usual ones.
        """
        found = _URL.fullmatch(url)
        if not found:
            return None
        tls = found["scheme"].lower() == "https"
        port = int(found["port"] or (443 if tls else 80))
        target = found["target"] if found["target"].startswith("/") else f"/{found['target']}"
        destination = cls(tls, found["host"].strip("[]").lower(), port, target)
        return destination if 0 < port < 65536 and destination._is_spelled_well() else None

    @property
    def literal(self) -> Address | None:
        """The address the host stands for without asking anybody."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return ipaddress.ip_address("127.0.0.1")
        return ipaddress.ip_address(self.host) if self._is_number() else None

    @property
    def authority(self) -> str:
        """For the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    def may_be_reached(self, allowed: Networks) -> bool:
        """As far as it shows before its name is looked up."""
        if (address := self.literal) is not None:
            return may_reach(self, address, allowed)
        return bool(allowed) or (self.tls and not _LOCAL_NAME.fullmatch(self.host))

    def _is_number(self) -> bool:
        return ":" in self.host or not re.search("[a-z]", self.host)

    def _is_spelled_well(self) -> bool:
        try:
            return self.literal is not None or len(self.host) <= 253
        except ValueError:
            return False


def may_reach(destination: WebhookUrl, address: Address, allowed: Networks) -> bool:
    """A named network, or by TLS whatever is public: facts don't cross the internet in clear."""
    address = getattr(address, "ipv4_mapped", None) or address
    named = any(address in network for network in allowed)
    return named or (destination.tls and _is_public(address))


def _is_public(address: Address) -> bool:
    given_out = address.version == 4 or address in _GIVEN_OUT
    return given_out and not any(address in network for network in _SPECIAL)

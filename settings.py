"""The settings: one field each, read from the environment (`DOCSERVICE_` + name) or a mapping.

All are optional. A value that cannot be used raises `WrongSetting`, which stops the start. A value
that is refused is not shown: it may be a secret, or hold one where nobody expects it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from email.errors import MessageError
from email.headerregistry import Address
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    collapse_addresses,
    ip_address,
    ip_network,
)
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from environment import ENVIRONMENT_FILE, PREFIX, WrongSetting, secret_of

__all__ = ["PREFIX", "Settings", "SmtpServer", "WrongSetting", "read_settings"]
Network = IPv4Network | IPv6Network
_PROVIDER = ("oidc_issuer", "oidc_client_id", "oidc_client_secret")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HOST_NAME = re.compile(r"([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?\.)*[A-Za-z0-9_-]+\.?")
_HARMLESS = re.compile(r"[0-9.:/,*-]{1,24}")  # of a value that is refused: a number, an address


def _number(least: int, most: int = 2**40) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,13}", text) or not least <= int(text) <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return read


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(" or ".join(words))
        return text

    return read


def _matching(pattern: str, takes: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(takes)
        return text.rstrip("/")

    return read


def _text(text: str) -> str:
    if not text.strip() or _CONTROL.search(text):
        raise ValueError("one line of text")
    return text


def _keyring(text: str) -> str:
    """Read the lines of a keyring, whose content is judged when it is opened."""
    if not text.strip():
        raise ValueError("the lines of a keyring")
    return text


_NO_PATH = re.compile(  # a URL, also with a slip in its scheme; libpq's other form; a root key
    r"\A(?:postgres(?:ql)?:|[a-z]+:/)|://|\b(?:host|user|password|dbname)\s*=|docroot_\w{20}",
    re.IGNORECASE,
)


def _path(text: str) -> Path:
    """Read a path: no address with a password, and no line of a keyring, written there by mistake.

    Sentences about a path show it.
    """
    if text != text.strip() or not text or _CONTROL.search(text) or _is_address(text):
        raise ValueError("a path")
    return Path(text)


def _is_address(text: str) -> bool:
    """Return whether a text is an address or a root key, which may hold a secret, and no path."""
    behind_colon = text.partition(":")[2]
    return "@" in behind_colon or _NO_PATH.search(text) is not None


def is_host(text: str) -> bool:
    """Return whether a text is the name of a host, or its address, one of IPv6 in brackets."""
    if text.startswith("[") and text.endswith("]"):
        return ":" in text and _address(text[1:-1]) is not None
    if re.fullmatch(r"[0-9.]+", text):
        return _address(text) is not None
    return len(text) <= 253 and _HOST_NAME.fullmatch(text) is not None


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _listen(text: str) -> str:
    match = re.fullmatch(r"(.+):([0-9]{1,5})", text)
    if text.startswith("unix:/") and text != "unix:/" and not _CONTROL.search(text):
        return text
    host = match[1] if match else ""
    if (
        match is None
        or int(match[2]) > 65535
        or not (host == "*" or is_host(host) or _address(host))
    ):
        raise ValueError("address:port, with a port up to 65535, or unix:/path")
    return text


def _networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(network.strip()) for network in text.split(","))
    except ValueError:
        raise ValueError("networks with commas between, as in 10.1.0.0/16,127.0.0.0/8") from None


@dataclass(frozen=True)
class TrustedProxies:
    """The proxies whose forwarding headers count.

    `given` are their networks, of one address as a rule. `all` of a Unix socket are trusted, whose
    clients have no address.
    """

    given: tuple[Network, ...]
    all: bool = False

    @property
    def wide(self) -> list[Network]:
        """The networks of more than one address, in which others may be beside the proxy."""
        return [one for one in self.given if one.num_addresses > 1]


_PRIVATE = (
    *map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")),  # RFC 1918
    *map(ip_network, ("127.0.0.0/8", "::1/128", "169.254.0.0/16", "fe80::/10")),
    ip_network("fc00::/7"),  # RFC 4193
)
_ANYBODY = "Whoever connects from {} can log in as anybody: give the proxy a network of its own."
_PROXIES = "addresses or networks of proxies, with commas between, as in 10.1.0.2,172.18.0.0/16"


def _trusted_proxies(text: str) -> TrustedProxies:
    """Read addresses and networks, of which none is empty, all of a version, or no sender's."""
    entries = [entry.strip() for entry in text.split(",")]
    try:
        networks = tuple(_network(entry) for entry in entries if entry != "*")
    except ValueError:
        raise ValueError(_PROXIES) from None
    for version in (4, 6):
        of_version: Any = [one for one in networks if one.version == version]
        if any(one.prefixlen == 0 for one in collapse_addresses(of_version)):
            raise ValueError(f"{_PROXIES}, and not all that there are")
    if any(one.is_unspecified or one.is_multicast for one in networks):
        raise ValueError(_PROXIES)
    return TrustedProxies(networks, all="*" in entries)


def _network(text: str) -> Network:
    """Return a network; one of IPv4 that is written in IPv6 is one of IPv4 (RFC 4291, 2.5.5.2)."""
    if "%" in text:  # the zone of an address, which no client's has
        raise ValueError
    network = ip_network(text)
    if isinstance(network, IPv6Network) and network.subnet_of(IPv6Network("::ffff:0:0/96")):
        mapped = network.network_address.ipv4_mapped
        return IPv4Network((int(mapped or 0), network.prefixlen - 96))
    return network


def _is_private(network: Network) -> bool:
    return any(network.version == one.version and network.subnet_of(one) for one in _PRIVATE)  # type: ignore[arg-type]


_MEANT_FOR_OTHERS = re.compile(  # headers that say something else to the service, or to the server
    "(?:Cookie|Host|Authorization|X-API-Key|Forwarded|X-Forwarded-(?:For|Proto|Host|Port|Prefix)"
    "|Content-.*|Connection|Expect|Transfer-Encoding|Upgrade|Origin|Referer|Range|If-.*|Accept.*"
    "|User-Agent|Idempotency-Key|X-Request-Id|Sec-.*)",
    re.IGNORECASE,
)


def _auth_header(text: str) -> str:
    is_name = re.fullmatch("[A-Za-z0-9]+(-[A-Za-z0-9]+)*", text)
    if not is_name or _MEANT_FOR_OTHERS.fullmatch(text):
        raise ValueError(
            "the name of a header of the proxy's own, as in Remote-Email or X-Forwarded-Email"
        )
    return text


def _converter(text: str) -> str:
    if text != "off" and not (text.startswith("/") and Path(text).is_file()):
        raise ValueError("off, or the path of LibreOffice's program, as in /usr/bin/soffice")
    return text


_DATABASES = (
    "a path, sqlite:///path, or postgresql://user:password@host/name; in user and password, %40 "
    "stands for @, %3A for :, %2F for /, %3F for ?, %23 for #, %25 for %"
)
_POSTGRES_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w.%-]*)(?::[0-9]{0,5})?", re.ASCII)


def _database(text: str) -> str:
    try:
        if text.startswith(("postgresql://", "postgres://")):
            require_readable_address(text)
            return text
        path = text.removeprefix("sqlite:///")
        if re.match("postgres(ql)?:|[a-z]+:/", path, re.I) or re.search(
            r"\b(?:host|password|dbname)\s*=", path
        ):
            raise ValueError
        _path(path)
    except ValueError:
        raise ValueError(_DATABASES) from None
    return path


def require_readable_address(address: str) -> None:
    """Raise ValueError for an address of PostgreSQL that libpq would read otherwise than meant.

    A password whose special characters are not encoded would become a part of a host or of a query,
    which errors of libpq quote.
    """
    url = urlsplit(address)
    user, at, hosts = url.netloc.rpartition("@")
    is_odd = _CONTROL.search(address) or re.search(r"\s|#|%(?![0-9A-Fa-f]{2})|%00", address)
    if is_odd or "@" in user + url.path or user.count(":") > 1 or (at and not user):
        raise ValueError
    if not all(_POSTGRES_HOST.fullmatch(host) for host in hosts.split(",")):
        raise ValueError
    if url.query:
        parse_qsl(url.query, keep_blank_values=True, strict_parsing=True)
        if any(one.count("=") != 1 for one in url.query.split("&")):
            raise ValueError


def is_loopback(host: str) -> bool:
    """Return whether the host is this machine."""
    return host in {"localhost", "::1"} or host.startswith("127.")


def is_confidential(address: str) -> bool:
    """Return whether a URL is one by https, or by http to this machine."""
    try:
        url = urlsplit(address)
        port = url.port
    except ValueError:
        return False
    if url.hostname is None or port == 0 or not _has_plain_host(address):
        return False
    return url.scheme == "https" or (url.scheme == "http" and is_loopback(url.hostname))


def _has_plain_host(address: str) -> bool:
    """Return whether a URL names one host, perhaps with a port, and no user."""
    host = re.sub(r":[0-9]*\Z", "", urlsplit(address).netloc)
    return is_host(host)


def _base_url(text: str) -> str:
    """Read the public address: scheme, host and port, in the form of an origin (RFC 6454)."""
    try:
        url = urlsplit(text)
        port = url.port
        has_form = re.fullmatch(r"https?://[!-~]+", text, re.IGNORECASE) is not None
        is_plain = has_form and _has_plain_host(text) and "%" not in url.netloc
    except ValueError:
        is_plain, port = False, 0
    if not is_plain or port == 0 or "?" in text or "#" in text:
        raise ValueError("an address like https://docs.example.org")
    if url.path not in {"", "/"}:
        raise ValueError(
            "the address of a host alone. Other applications of this host could act for your "
            "users. Give the service a host name of its own"
        )
    host = _host_of_origin(url.hostname or "")
    usual_port = 443 if url.scheme == "https" else 80
    return (
        f"{url.scheme}://{host}" if port in {None, usual_port} else f"{url.scheme}://{host}:{port}"
    )


def _host_of_origin(host: str) -> str:
    """Return a host in the form in which browsers have it in `Origin`."""
    address = _address(host)
    if isinstance(address, IPv6Address):
        return f"[{address.compressed}]"
    return host.lower()


def _issuer(text: str) -> str:
    """Read the address of a provider as it names itself, perhaps with a slash at the end."""
    is_plain = re.fullmatch(r"[!-~]+", text) and not re.search(r"[?#@,]", text)
    if not is_plain or not is_confidential(text):
        raise ValueError("an address like https://login.example.org; http to this machine only")
    return text


_ALLOWED = re.compile(r"@[a-z0-9-]+(\.[a-z0-9-]+)*|group:[^\x00-\x20,]{1,100}")


def _sign_in_allow(text: str) -> tuple[str, ...]:
    """Read whom a provider or the proxy lets in: domains in lower case, and groups."""
    entries = tuple(one.strip() for one in text.split(","))
    entries = tuple(one.lower() if one.startswith("@") else one for one in entries)
    if not all(map(_ALLOWED.fullmatch, entries)):
        raise ValueError("domains and groups with commas between, as in @example.org,group:staff")
    return entries


@dataclass(frozen=True)
class SmtpServer:
    """The server that takes the service's mail; `tls` is `starttls`, `smtps` (at once) or `off`."""

    host: str
    port: int
    tls: str
    sender: str
    user: str | None
    password: str | None = field(repr=False)

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)


_SMTP_PORTS = {"smtp": 587, "smtps": 465}


def _smtp_server(text: str) -> SmtpServer:
    """Read `smtp://user:password@host:587?from=docs@example.org`, percent-encoded."""
    takes = (
        "smtp://user:password@host:587?from=docs@example.org, or smtps://…:465?from=…; in user and "
        "password, %40 stands for @, %2F for /, %3F for ?, %23 for #, %25 for %"
    )
    if _CONTROL.search(text):
        raise ValueError(takes)
    try:
        url = urlsplit(text)
        usual_port = _SMTP_PORTS[url.scheme]
        port = url.port or usual_port
        query = dict(parse_qsl(url.query, True, True))
        sender = query.pop("from")
        tls = query.pop("tls", "")
        Address(addr_spec=sender)  # each mail will have it in a header
        name = url.username and unquote(url.username)
        word = url.password and unquote(url.password)
    except (KeyError, ValueError, MessageError):
        raise ValueError(takes) from None
    how = tls or {"smtp": "starttls", "smtps": "smtps"}[url.scheme]
    server = SmtpServer(url.hostname or "", port, how, sender, name, word)
    fits = tls in ({"", "off"} if url.scheme == "smtp" else {""}) and url.path in {"", "/"}
    if query or not (
        fits
        and is_host(url.netloc.rpartition("@")[2].removesuffix(f":{port}"))
        and re.fullmatch(r"[!-;=?A-~]+@[\w.-]+", sender, re.ASCII)
    ):
        raise ValueError(takes)
    _refuse_contradictions(url.scheme, server)
    return server


def _refuse_contradictions(scheme: str, server: SmtpServer) -> None:
    other = {"smtp": "smtps", "smtps": "smtp"}[scheme]
    if server.port == _SMTP_PORTS[other]:
        right = f"{other}://…@{server.host}:{server.port}?from={server.sender}"
        raise ValueError(f"{other} at port {server.port}: {right}")
    if server.tls == "off" and server.password and not server.is_loopback:
        raise ValueError("tls=off without a password only, or to this machine: leave out &tls=off")


_READABLE = 0.183, 0.26  # relative luminance (WCAG 2.2): at most on white, at least on dark pages
_LOGOS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}


def _brand_color(text: str) -> tuple[str, str]:
    """Return the colour, and the shade of it for dark pages."""
    if not re.fullmatch("#[0-9a-fA-F]{6}", text) or _luminance(text) > _READABLE[0]:
        raise ValueError("#rrggbb, dark enough to be read on white: a contrast of 4.5 or more")
    parts = bytes.fromhex(text[1:])
    mixes = (bytes(one + (255 - one) * step // 20 for one in parts).hex() for step in range(21))
    return text, next(f"#{mix}" for mix in mixes if _luminance(f"#{mix}") >= _READABLE[1])


def _luminance(color: str) -> float:
    parts = [value / 255 for value in bytes.fromhex(color[1:])]
    red, green, blue = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _brand_logo(text: str) -> tuple[str, bytes]:
    """Return the media type and the bytes of a logo."""
    content = Path(text).read_bytes()[: (64 << 10) + 1] if Path(text).is_file() else b""
    for beginning, media_type in _LOGOS.items():
        if content.startswith(beginning) and len(content) <= 64 << 10:
            return media_type, content
    raise ValueError("the path of a PNG, JPEG or WebP file of at most 64 KiB")


def _field(
    default: Any, read: Callable[[str], Any], description: str, *, is_secret: bool = False
) -> Any:
    """Return a setting; `read` converts text, or raises ValueError with the valid values.

    One that `is_secret` may lie in a file, which the setting of the same name with `_FILE` names.
    """
    about = {"read": read, "description": description, "is_secret": is_secret}
    return field(default=default, metadata=about, repr=False)


@dataclass(frozen=True)
class Settings:
    """The value of every setting. A field's name in upper case is the setting's name."""

    listen: str = _field(
        "127.0.0.1:8000",
        _listen,
        "address and port, or `unix:/path`; port 0 is a free one, which the start line names",
    )
    instance_path: Path = _field(
        Path("instance"),
        _path,
        "the folder of keyring and database; `document-service` takes a relative one from the "
        "current folder",
    )
    database: str = _field(
        "documents.sqlite",
        _database,
        "a file, seen from that folder, or `postgresql://user:password@host/name`",
        is_secret=True,
    )
    payloads: str = _field(
        "rows",
        _matching(
            r"rows|s3://[a-z0-9][a-z0-9.-]{2,62}(/[\w.-]+)*/?", "rows, or s3://bucket/prefix"
        ),
        "where payloads above 192 KiB go: `rows` of the database, or `s3://bucket/prefix`",
    )
    keyring_file: Path | None = _field(None, _path, "a keyring elsewhere, e.g. a mounted secret")
    keyring: str | None = _field(None, _keyring, "the keyring itself")
    keyring_command: str | None = _field(None, _text, "a command that prints the keyring")
    base_url: str | None = _field(
        None,
        _base_url,
        "the address by which people reach the service, without a path and in ASCII (`xn--…`): "
        "links have it; if not set, the request's own",
    )
    smtp_url: SmtpServer | None = _field(
        None,
        _smtp_server,
        "the server that takes [mail](#mail), as `smtp://user:password@host:587?from=address`; "
        "without it there is no mail",
        is_secret=True,
    )
    mails_per_day: int = _field(
        5000,
        _number(1, 100_000),
        "how many mails all accounts together send in any 24 hours; new ones a fifth of it",
    )
    brand_name: str | None = _field(
        None,
        _matching(r"(?=.*\S)[^\x00-\x1f\x7f-\x9f]{1,60}", "1 to 60 characters"),
        "whose service it is, on prompts of links, notices, mails and in the head of the pages",
    )
    brand_color: tuple[str, str] | None = _field(
        None, _brand_color, "the colour of buttons there, as `#rrggbb`; that of dark pages follows"
    )
    brand_logo: tuple[str, bytes] | None = _field(
        None, _brand_logo, "the path of a logo: PNG, JPEG or WebP, at most 64 KiB"
    )
    max_document_bytes: int = _field(
        64 << 20, _number(1), "the largest original that comes in one request"
    )
    max_upload_bytes: int = _field(
        16 << 30,
        _number(1, 10**12),
        "the largest original that [comes in pieces](api.md#uploads-in-pieces); on PostgreSQL "
        "without S3 `MAX_DOCUMENT_BYTES` if not set",
    )
    upload_seconds: int = _field(
        7 * 86400,
        _number(60),
        "how long an unfinished upload is kept after its last byte; one by a link at most a day",
    )
    session_seconds: int = _field(12 * 3600, _number(1), "how long a session lives")
    token_seconds: int = _field(
        7 * 86400, _number(1), "how long a document token lives if not said"
    )
    password_min_length: int = _field(8, _number(1, 1024), "characters of a new password")
    registration: str = _field(
        "open",
        _one_of("open", "first", "closed"),
        "who may register: anyone (`open`), only the first account (`first`), nobody (`closed`)",
    )
    console: str = _field("on", _one_of("on", "off"), "whether `/app` has pages for people")
    inbound: str = _field("on", _one_of("on", "off"), "whether links take files; off: none does")
    rate_limits: str = _field(
        "on", _one_of("on", "off"), "whether wrong passwords, new accounts and uploads are limited"
    )
    trusted_proxy: TrustedProxies | None = _field(
        None,
        _trusted_proxies,
        "addresses and networks of the proxies whose forwarding headers count, with commas "
        "between; `*` where `LISTEN` is a Unix socket",
    )
    auth_header: str | None = _field(
        None,
        _auth_header,
        "the header in which the trusted proxy names the e-mail address of who "
        "[logged in there](#log-in-by-a-proxy-or-a-provider)",
    )
    oidc_issuer: str | None = _field(
        None,
        _issuer,
        "the address of an OpenID Connect [provider](#log-in-by-a-proxy-or-a-provider), as it "
        "names itself",
    )
    oidc_client_id: str | None = _field(None, _text, "the name of this service at the provider")
    oidc_client_secret: str | None = _field(
        None, _text, "the secret of this service at the provider", is_secret=True
    )
    oidc_name: str | None = _field(
        None,
        _matching(r"(?=.*\S)[^\x00-\x1f\x7f-\x9f]{1,60}", "1 to 60 characters"),
        "what the login page calls the provider; its host if not set",
    )
    sign_in_allow: tuple[str, ...] | None = _field(
        None,
        _sign_in_allow,
        "who gets an account by the proxy or the provider, as in `@example.org,group:staff`; "
        "if not set, only who has an invitation",
    )
    passwords: str = _field(
        "on",
        _one_of("on", "off"),
        "whether people log in, sign up and reset by password; off needs the proxy or a provider",
    )
    forwarded_host: str = _field(
        "off",
        _one_of("on", "off"),
        "whether links use the trusted proxy's `X-Forwarded-Host`, without `BASE_URL`",
    )
    threads: int = _field(16, _number(1, 256), "how many requests are worked on at once")
    reserve_bytes: int = _field(32 << 20, _number(0), "free space below which uploads are refused")
    quota_bytes: int | None = _field(
        None, _number(1), "how many bytes of originals one user may keep"
    )
    quota_documents: int | None = _field(None, _number(1), "how many documents one user may keep")
    preview_bytes: int = _field(
        1 << 30, _number(0), "how many bytes of previews are kept, those last used"
    )
    converter: str | None = _field(
        None,
        _converter,
        "the path of LibreOffice's `soffice`, or `off`; the one of the system if not set",
    )
    quota_links: int = _field(
        1000, _number(1), "how many links, live or off, one user may have beside those of uploads"
    )
    quota_collections: int = _field(1000, _number(1), "how many collections one user may have")
    quota_api_keys: int = _field(1000, _number(1), "how many live API keys one user may have")
    quota_sessions: int = _field(
        1000, _number(1), "how many sessions one user may have; a further login ends the oldest"
    )
    quota_spaces: int = _field(
        10, _number(0), "how many spaces one person may have made; each has the quotas of a user"
    )
    quota_webhooks: int = _field(20, _number(1), "how many webhooks one user may have")
    quota_events: int = _field(1_000_000, _number(1), "how many events of one user are kept")
    quota_deliveries: int = _field(
        20_000, _number(1), "how many deliveries of one webhook are kept"
    )
    metrics: str = _field("off", _one_of("off", "on"), "whether `/metrics` answers, to anyone")
    event_days: int = _field(90, _number(1, 36500), "how many days events are kept")
    webhook_allow: tuple[IPv4Network | IPv6Network, ...] | None = _field(
        None,
        _networks,
        "networks webhooks may reach though private or by http, as in `10.1.0.0/16,127.0.0.0/8`",
    )
    log: str = _field(
        "text", _one_of("text", "json"), "the form of each line on stderr: `text`, or `json`"
    )

    def notes(self) -> Iterator[str]:
        """Yield a sentence or two for each setting that works, and is dangerous."""
        if self.auth_header and self.trusted_proxy:
            yield from map(_ANYBODY.format, self.trusted_proxy.wide)

    @property
    def is_open_to_the_public(self) -> bool:
        """Whether the address is public, and anybody may register and store without a quota."""
        is_open = self.registration == "open" and self.passwords == "on"
        has_quota = self.quota_bytes is not None or self.quota_documents is not None
        return is_open and not has_quota and _is_public(self)


_NAMES = frozenset(setting.name.upper() for setting in fields(Settings))


def read_settings(
    environment: Mapping[str, str], config: Mapping[str, Any], home: Path
) -> Settings:
    """Return the settings from `config` (names without prefix), else from the environment.

    Relative paths are resolved: the instance folder against `home`, the database against it.
    """
    values = {setting.name: _value(setting, environment, config) for setting in fields(Settings)}
    values["instance_path"] = home / values["instance_path"]
    if "://" not in values["database"]:
        values["database"] = str(values["instance_path"] / values["database"])
    if values["smtp_url"] and not values["base_url"]:
        raise WrongSetting(
            f"{PREFIX}SMTP_URL needs {PREFIX}BASE_URL: mails hold addresses of pages."
        )
    values["max_upload_bytes"] = _max_upload_bytes(values, environment, config)
    _refuse_unusable_proxies(values)
    _refuse_unusable_sign_in(values)
    return Settings(**values)


def _max_upload_bytes(
    values: Mapping[str, Any], environment: Mapping[str, str], config: Mapping[str, Any]
) -> int:
    """Return the most bytes of an upload in pieces. Raise `WrongSetting` if one request may have
    more.

    The rows of a server are no place for gigabytes, unless somebody wants it so.
    """
    setting = next(one for one in fields(Settings) if one.name == "max_upload_bytes")
    is_given = bool(_given(setting, environment, config))
    is_in_rows = "://" in values["database"] and values["payloads"] == "rows"
    least: int = values["max_document_bytes"]
    most: int = values["max_upload_bytes"]
    if not is_given:
        return least if is_in_rows else max(least, most)
    if most < least:
        raise WrongSetting(
            f"{PREFIX}MAX_UPLOAD_BYTES is {most:,}, below {PREFIX}MAX_DOCUMENT_BYTES, {least:,}: "
            "what may come in one request may come in pieces."
        )
    return most


def unknown_names(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each name with our prefix that is no setting: a slip of the pen."""
    known = {ENVIRONMENT_FILE}
    for setting in fields(Settings):
        name = PREFIX + setting.name.upper()
        known |= {name, f"{name}_FILE"} if setting.metadata["is_secret"] else {name}
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known:
            yield f"{name} is no setting, and does nothing."


def _is_public(settings: Settings) -> bool:
    """Return whether the address by which people reach the service is one of the internet."""
    if settings.base_url is None and settings.listen.startswith("unix:"):
        return False
    host = settings.listen.rpartition(":")[0].strip("[]")
    if settings.base_url:
        host = urlsplit(settings.base_url).hostname or ""
    number = _address(host)
    if number:
        return not any(number in one for one in _PRIVATE if one.version == number.version)
    is_of_a_home = host.endswith((".local", ".localhost", ".internal", ".lan", ".home.arpa"))
    return host == "*" or ("." in host.rstrip(".") and not is_of_a_home)


def _refuse_unusable_proxies(values: Mapping[str, Any]) -> None:
    """Raise `WrongSetting` for trusted proxies that never match, or that anybody may be."""
    proxies: TrustedProxies | None = values["trusted_proxy"]
    if proxies is None:
        if values["auth_header"] is not None:
            raise WrongSetting(
                f"{PREFIX}AUTH_HEADER needs {PREFIX}TRUSTED_PROXY: only that proxy may send the "
                "header."
            )
        return
    is_socket = values["listen"].startswith("unix:")
    if proxies.all and not is_socket:
        raise WrongSetting(
            f"{PREFIX}TRUSTED_PROXY takes {_PROXIES}: with * anybody could send the headers. It "
            f"is for a Unix socket in {PREFIX}LISTEN."
        )
    if is_socket and not proxies.all:
        raise WrongSetting(
            f"{PREFIX}TRUSTED_PROXY takes * where {PREFIX}LISTEN is a Unix socket: whoever "
            "connects there has no address."
        )
    public = [one for one in proxies.wide if not _is_private(one)]
    if values["auth_header"] is not None and public:
        raise WrongSetting(
            f"{PREFIX}AUTH_HEADER needs a private network in {PREFIX}TRUSTED_PROXY. "
            + _ANYBODY.format(public[0])
        )


def _refuse_unusable_sign_in(values: Mapping[str, Any]) -> None:
    """Raise `WrongSetting` where the settings of sign-in contradict each other."""
    by_proxy = values["auth_header"] is not None
    provider = [name for name in _PROVIDER if values[name]]
    if provider and len(provider) < len(_PROVIDER):
        names = ", ".join(f"{PREFIX}{name.upper()}" for name in _PROVIDER)
        raise WrongSetting(f"{names} are set together, or none of them.")
    if provider and not values["base_url"]:
        raise WrongSetting(
            f"{PREFIX}OIDC_ISSUER needs {PREFIX}BASE_URL: the provider sends people back there."
        )
    if not (by_proxy or provider) and values["passwords"] == "off":
        raise WrongSetting(
            f"{PREFIX}PASSWORDS=off needs another way in: {PREFIX}AUTH_HEADER or "
            f"{PREFIX}OIDC_ISSUER."
        )
    if (by_proxy or provider) and values["console"] == "off":
        raise WrongSetting(
            f"{PREFIX}AUTH_HEADER and {PREFIX}OIDC_ISSUER need {PREFIX}CONSOLE=on: people log in "
            "on its pages."
        )


def _value(setting: Field[Any], environment: Mapping[str, str], config: Mapping[str, Any]) -> Any:
    name = setting.name.upper()
    text = _given(setting, environment, config)
    if not text:
        return setting.default
    try:
        text.encode()  # an environment may hold bytes that are no UTF-8
        if "\0" in text:
            raise ValueError("text")
        return setting.metadata["read"](text)
    except UnicodeEncodeError:
        raise WrongSetting(f"{PREFIX}{name} is not UTF-8.") from None
    except ValueError as error:
        shown = f"is {text!r}" if _HARMLESS.fullmatch(text) else "cannot be used as it is"
        raise WrongSetting(f"{PREFIX}{name} {shown}; it takes {error}.") from None


def _given(
    setting: Field[Any], environment: Mapping[str, str], config: Mapping[str, Any]
) -> str | None:
    """Return what is given for a setting, by `config` before the environment.

    Raises `WrongSetting` for a file where the setting is no secret.
    """
    name = setting.name.upper()
    in_file = f"{name}_FILE"
    is_in_config = name in config or in_file in config
    given = _texts(config, name, in_file) if is_in_config else environment
    if setting.metadata["is_secret"]:
        return secret_of(given, PREFIX + name)
    if given.get(PREFIX + in_file) and in_file not in _NAMES:
        raise WrongSetting(
            f"{PREFIX}{in_file} is no setting: {name} is no secret. Set {PREFIX}{name} itself."
        )
    return given.get(PREFIX + name)


def _texts(config: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return what `config` has for these names, as an environment would have it.

    Raises `WrongSetting` for a value that is neither a text nor a whole number nor a path.
    """
    texts = {}
    for name in names:
        given = config.get(name)
        if given is None:
            continue
        if isinstance(given, bool) or not isinstance(given, str | int | PurePath):
            raise WrongSetting(
                f"{PREFIX}{name} takes a text, a whole number or a path, and no "
                f"{type(given).__name__}."
            )
        texts[PREFIX + name] = str(given)
    return texts


def without_password(address: str) -> str:
    """Return the URL of a database without user, password and parameters, so it may be shown."""
    scheme, separator, rest = address.partition("?")[0].partition("://")
    user, at, host = rest.rpartition("@")
    return f"{scheme}{separator}{'…' if user else ''}{at}{host}"

"""The settings: one field each, read from the environment (`DOCSERVICE_` + name) or a mapping.

All are optional. A value that cannot be used raises `WrongSetting`, which stops the start.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from email.errors import MessageError
from email.headerregistry import Address
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import click

PREFIX = "DOCSERVICE_"
_PROVIDER = ("oidc_issuer", "oidc_client_id", "oidc_client_secret")


class WrongSetting(click.ClickException):
    """A setting that cannot be used; the message names the setting and its valid values.

    A click exception, so that a command prints the message without a traceback.
    """


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


def _listen(text: str) -> str:
    match = re.fullmatch(r"unix:/.+|.+:([0-9]{1,5})", text)
    if match is None or int(match[1] or 0) > 65535:
        raise ValueError("address:port, with a port up to 65535, or unix:/path")
    return text


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(network.strip()) for network in text.split(","))
    except ValueError:
        raise ValueError("networks with commas between, as in 10.1.0.0/16,127.0.0.0/8") from None


def _converter(text: str) -> str:
    if text != "off" and not (text.startswith("/") and Path(text).is_file()):
        raise ValueError("off, or the path of LibreOffice's program, as in /usr/bin/soffice")
    return text


def _database(text: str) -> str:
    if text.startswith(("postgresql://", "postgres://")):
        return text
    if "://" in text and not text.startswith("sqlite:///"):
        raise ValueError("a path, sqlite:///path, or postgresql://user:password@host/name")
    return text.removeprefix("sqlite:///")


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
    if url.hostname is None or port == 0:
        return False
    return url.scheme == "https" or (url.scheme == "http" and is_loopback(url.hostname))


def _issuer(text: str) -> str:
    """Read the address of a provider as it names itself, perhaps with a slash at the end."""
    is_plain = re.fullmatch(r"[!-~]+", text) and not re.search(r"[?#@]", text)
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
    try:
        url = urlsplit(text)
        port = url.port or _SMTP_PORTS[url.scheme]
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
        fits and server.host and re.fullmatch(r"[!-;=?A-~]+@[\w.-]+", sender, re.ASCII)
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


def _field(default: Any, read: Callable[[str], Any], description: str) -> Any:
    """Return a setting; `read` converts text, or raises ValueError with the valid values."""
    return field(default=default, metadata={"read": read, "description": description})


@dataclass(frozen=True)
class Settings:
    """The value of every setting. A field's name in upper case is the setting's name."""

    listen: str = _field(
        "127.0.0.1:8000",
        _listen,
        "address and port, or `unix:/path`; port 0 is a free one, which the start line names",
    )
    instance_path: Path = _field(Path("instance"), Path, "the folder of keyring and database")
    database: str = _field(
        "documents.sqlite",
        _database,
        "a file, seen from that folder, or `postgresql://user:password@host/name`",
    )
    payloads: str = _field(
        "rows",
        _matching(
            r"rows|s3://[a-z0-9][a-z0-9.-]{2,62}(/[\w.-]+)*/?", "rows, or s3://bucket/prefix"
        ),
        "where payloads above 192 KiB go: `rows` of the database, or `s3://bucket/prefix`",
    )
    keyring_file: Path | None = _field(None, Path, "a keyring elsewhere, e.g. a mounted secret")
    keyring: str | None = _field(None, str, "the keyring itself")
    keyring_command: str | None = _field(None, str, "a command that prints the keyring")
    base_url: str | None = _field(
        None,
        _matching(
            r"(?=[!-~]+\Z)https?://[^/?#]+(/[^?#]*)?", "an address like https://docs.example.org"
        ),
        "how links are written, in ASCII (`xn--…`); the request's own address if not set",
    )
    smtp_url: SmtpServer | None = _field(
        None,
        _smtp_server,
        "the server that takes [mail](#mail), as `smtp://user:password@host:587?from=address`; "
        "without it there is no mail",
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
    max_document_bytes: int = _field(64 << 20, _number(1), "the largest original")
    session_seconds: int = _field(12 * 3600, _number(1), "how long a session lives")
    token_seconds: int = _field(
        7 * 86400, _number(1), "how long a document token lives if not said"
    )
    password_min_length: int = _field(8, _number(1, 1024), "characters of a new password")
    registration: str = _field(
        "open",
        _one_of("open", "first", "closed"),
        "who may register: anyone, only the first account, nobody",
    )
    console: str = _field("on", _one_of("on", "off"), "whether `/app` has pages for people")
    inbound: str = _field("on", _one_of("on", "off"), "whether links take files; off: none does")
    rate_limits: str = _field(
        "on", _one_of("on", "off"), "whether wrong passwords, new accounts and uploads are limited"
    )
    trusted_proxy: str | None = _field(
        None, str, "address of the proxy whose forwarding headers count"
    )
    auth_header: str | None = _field(
        None,
        _matching("[A-Za-z0-9]+(-[A-Za-z0-9]+)*", "the name of a header, as in Remote-Email"),
        "the header in which the trusted proxy names the e-mail address of who "
        "[logged in there](#log-in-by-a-proxy-or-a-provider)",
    )
    oidc_issuer: str | None = _field(
        None,
        _issuer,
        "the address of an OpenID Connect [provider](#log-in-by-a-proxy-or-a-provider), as it "
        "names itself",
    )
    oidc_client_id: str | None = _field(None, str, "the name of this service at the provider")
    oidc_client_secret: str | None = _field(None, str, "the secret of this service at the provider")
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
        "off", _one_of("on", "off"), "whether links use the trusted proxy's `X-Forwarded-Host`"
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
    log: str = _field("text", _one_of("text", "json"), "the access line of each request, on stderr")


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
    _refuse_unusable_sign_in(values)
    return Settings(**values)


def _refuse_unusable_sign_in(values: Mapping[str, Any]) -> None:
    """Raise `WrongSetting` where the settings of sign-in contradict each other."""
    by_proxy = values["auth_header"] is not None
    provider = [name for name in _PROVIDER if values[name]]
    if by_proxy and values["trusted_proxy"] is None:
        raise WrongSetting(
            f"{PREFIX}AUTH_HEADER needs {PREFIX}TRUSTED_PROXY: only that proxy may send the header."
        )
    if by_proxy and values["trusted_proxy"] == "*" and not values["listen"].startswith("unix:"):
        raise WrongSetting(
            f"{PREFIX}AUTH_HEADER needs the address of the proxy in {PREFIX}TRUSTED_PROXY: with * "
            "anybody could send the header."
        )
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
    given = config.get(name, environment.get(PREFIX + name))
    if given is None or given == "":
        return setting.default
    try:
        return setting.metadata["read"](str(given))
    except ValueError as error:
        shown = without_password(str(given))
        raise WrongSetting(f"{PREFIX}{name} is {shown!r}; it takes {error}.") from None


def without_password(text: str) -> str:
    """Return a URL without its password, so that it may be shown."""
    return re.sub(r"(?<=://).+(?=@)|(?<=password=)[^&]+", "…", text)

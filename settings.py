"""The settings: one row each, read from the environment (`DOCSERVICE_` + name) or from a mapping.

All are optional. A wrong value stops the start with a sentence.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

import click

PREFIX = "DOCSERVICE_"


class WrongSetting(click.ClickException):
    """A setting that cannot be used; the sentence says which and what it takes.

    Of click's kind, so that a command line shows the sentence alone.
    """


@dataclass(frozen=True)
class Setting:
    """`read` turns text into the value, or raises ValueError saying what it takes."""

    name: str
    default: Any
    read: Callable[[str], Any]
    says: str


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


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(one.strip()) for one in text.split(","))
    except ValueError:
        raise ValueError("networks with commas between, as in 10.1.0.0/16,127.0.0.0/8") from None


def _database(text: str) -> str:
    if "://" in text and not text.startswith("sqlite:///"):
        raise ValueError("a path, or sqlite:///path")
    return text.removeprefix("sqlite:///")


SETTINGS = (
    Setting(
        "LISTEN",
        "127.0.0.1:8000",
        _matching(r"unix:/.+|.+:[0-9]{1,5}", "address:port, or unix:/path"),
        "address and port, or `unix:/path`",
    ),
    Setting("INSTANCE_PATH", "instance", str, "the folder of keyring and database"),
    Setting("DATABASE", "documents.sqlite", _database, "the database, seen from that folder"),
    Setting("KEYRING_FILE", None, str, "a keyring elsewhere, e.g. a mounted secret"),
    Setting("KEYRING", None, str, "the keyring itself"),
    Setting("KEYRING_COMMAND", None, str, "a command that prints the keyring"),
    Setting(
        "BASE_URL",
        None,
        _matching(r"https?://[^\s/?#]+(/[^\s?#]*)?", "an address like https://docs.example.org"),
        "how links are written; the request's own address if not set",
    ),
    Setting("MAX_DOCUMENT_BYTES", 64 << 20, _number(1), "the largest original"),
    Setting("SESSION_SECONDS", 12 * 3600, _number(1), "how long a session lives"),
    Setting("TOKEN_SECONDS", 7 * 86400, _number(1), "how long a document token lives if not said"),
    Setting("PASSWORD_MIN_LENGTH", 8, _number(1, 1024), "characters of a new password"),
    Setting(
        "REGISTRATION",
        "open",
        _one_of("open", "first", "closed"),
        "who may register: anyone, only the first account, nobody",
    ),
    Setting(
        "RATE_LIMITS",
        "on",
        _one_of("on", "off"),
        "whether wrong passwords, new accounts and uploads are limited",
    ),
    Setting("TRUSTED_PROXY", None, str, "address of the proxy whose forwarding headers count"),
    Setting("THREADS", 16, _number(1, 256), "how many requests are worked on at once"),
    Setting("RESERVE_BYTES", 32 << 20, _number(0), "free space below which uploads are refused"),
    Setting("QUOTA_BYTES", None, _number(1), "how many bytes of originals one user may keep"),
    Setting("QUOTA_DOCUMENTS", None, _number(1), "how many documents one user may keep"),
    Setting("METRICS", "off", _one_of("off", "on"), "whether `/metrics` answers, to anyone"),
    Setting("EVENT_DAYS", 90, _number(1, 36500), "how many days events are kept"),
    Setting(
        "WEBHOOK_ALLOW",
        None,
        _networks,
        "networks webhooks may reach though private or by http, as in `10.1.0.0/16,127.0.0.0/8`",
    ),
    Setting("LOG", "text", _one_of("text", "json"), "the access line of each request, on stderr"),
)


def read_settings(
    environment: Mapping[str, str], config: Mapping[str, Any], home: Path
) -> dict[str, Any]:
    """Every setting's value; `config` (names without prefix) goes before the environment.

    Paths come out absolute: the instance folder's from `home`, the database's from the instance.
    """
    values = {one.name: _value(one, environment, config) for one in SETTINGS}
    instance = home / values["INSTANCE_PATH"]
    values["INSTANCE_PATH"] = str(instance)
    values["DATABASE"] = str(instance / values["DATABASE"])
    return values


def _value(setting: Setting, environment: Mapping[str, str], config: Mapping[str, Any]) -> Any:
    given = config.get(setting.name, environment.get(PREFIX + setting.name))
    if given is None or given == "":
        return setting.default
    try:
        return setting.read(str(given))
    except ValueError as error:
        message = f"{PREFIX}{setting.name} is {given!r}; it takes {error}."
        raise WrongSetting(message) from None

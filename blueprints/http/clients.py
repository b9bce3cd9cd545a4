"""The client that sent a request: its name in words, and whether it fetches a page ahead."""

import re
from collections.abc import Iterable

from flask import request

from .caller import current_request

_PROGRAMS = (  # in order, as a browser also names the browsers that it is compatible with
    ("Edge", re.compile(r"\bEdg(e|A|iOS)?/")),
    ("Firefox", re.compile(r"\b(Firefox|FxiOS)/")),
    ("Chrome", re.compile(r"(Chrome|Chromium|CriOS)/")),
    ("Safari", re.compile(r"\bSafari/")),
    ("curl", re.compile(r"^curl/")),
)
_SYSTEMS = (
    ("Android", re.compile("Android")),
    ("iPhone", re.compile("iPhone|iPad")),
    ("Windows", re.compile("Windows")),
    ("macOS", re.compile("Macintosh")),
    ("Linux", re.compile("Linux|X11")),
)
_AHEAD_FIELDS = "Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"
_AHEAD = re.compile("prefetch|prerender|preview", re.I)
_PROGRAMS_THAT_PREVIEW = re.compile(
    r"(?<!cu)bot|crawl|spider|preview|facebookexternalhit|facebookcatalog|whatsapp|embedly"
    r"|iframely|vkshare|slack-imgproxy|google-read-aloud|chatgpt-user",
    re.I,
)


def is_fetched_ahead() -> bool:
    """Return whether a program asks for a page before, or without, a person who reads it.

    Browsers that prefetch say so in a header (`Sec-Purpose`, Fetch standard, 3.7; others before
    it). Link previews of chat programs and crawlers are known by their name; one with the name of a
    browser is taken for a person.
    """
    headers = current_request().headers
    if any(_AHEAD.search(headers.get(name, "")) for name in _AHEAD_FIELDS):
        return True
    return bool(_PROGRAMS_THAT_PREVIEW.search(headers.get("User-Agent", "")))


def client_of_request() -> str:
    """Return the client by the header `User-Agent`, whose text the client chooses."""
    agent = request.headers.get("User-Agent", "")[:500]
    program = _first_in(agent, _PROGRAMS)
    system = _first_in(agent, _SYSTEMS)
    if program is None:
        return "Another program"
    return f"{program} on {system}" if system else program


def _first_in(agent: str, marks: Iterable[tuple[str, re.Pattern[str]]]) -> str | None:
    return next((name for name, mark in marks if mark.search(agent)), None)

"""The client that sent a request, in words: `Firefox on Linux`."""

import re
from collections.abc import Iterable

from flask import request

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

"""What a request was sent by, in words: `Firefox on Linux`."""

import re

from flask import request

_PROGRAMS = (  # the first that is named: others claim to be what they are compatible with
    ("Edge", r"\bEdg(e|A|iOS)?/"),
    ("Firefox", r"\b(Firefox|FxiOS)/"),
    ("Chrome", r"\b(Chrome|Chromium|CriOS)/"),
    ("Safari", r"\bVersion/.+\bSafari/"),
    ("curl", r"^curl/"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone|iPad"),
    ("Windows", "Windows"),
    ("macOS", "Macintosh"),
    ("Linux", "Linux|X11"),
)


def client_of_request() -> str:
    """By the header `User-Agent`, which says what its sender likes."""
    agent = request.headers.get("User-Agent", "")[:500]
    program = next((name for name, mark in _PROGRAMS if re.search(mark, agent)), None)
    system = next((name for name, mark in _SYSTEMS if re.search(mark, agent)), None)
    if program is None:
        return "Another program"
    return f"{program} on {system}" if system else program

"""Runs in the child process. Takes the addresses out of an uploaded page's stylesheets.

The page's policy already forbids every request. This is a second line of defence, which holds
as well where a sanitized page is shown without our policy.

Source of the syntax: CSS Syntax Module Level 3, sections 4.3.4 (url tokens) and 4.3.7 (escapes).
"""

import re
from typing import Final

from ...markup.sanitizer import safe_image_source

ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|\s)?|([^\n]))")
# The sign before a name, the name with its escapes, the parenthesis and address of a function.
NAME: Final = re.compile(
    r"(@?)((?:[-\w]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}(?:\r\n|\s)?|\\[^\n])++)"
    r"(\((?:\s*+([\"']?)([^\"'()\s]*+)\4\s*+\))?)?",
    re.ASCII,
)
LOADING: Final = ("url", "src", "image", "image-set", "cross-fade")
REMOVED: Final = "removed"


def without_addresses(css: str) -> str:
    """Return the styles without `@import`, and without `url()` but for pictures in data: URIs.

    A function that loads gets a name that no browser knows, so that its declaration is ignored.
    Names are compared without their escapes, wherever they occur: also in texts and comments.
    """
    return NAME.sub(_allowed, css.replace("\0", "\ufffd"))


def _allowed(match: re.Match[str]) -> str:
    sign, written, call, _, address = match.groups()
    name = ESCAPE.sub(_character, written).lower()
    if sign and name.endswith("import"):
        return f"@{REMOVED}{call or ''}"
    if not call or not name.endswith(LOADING) or (address and safe_image_source(address)):
        return match.group()
    return f"{sign}{REMOVED}{call}"


def _character(escape: re.Match[str]) -> str:
    if not escape[1]:
        return escape[2]
    number = int(escape[1], 16)
    return chr(number) if 0 < number < 0x110000 else "\ufffd"

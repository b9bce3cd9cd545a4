"""The preview of a document: the HTML in the page's main part, and what the toolbar shows."""

from dataclasses import dataclass
from typing import Literal

Carrier = Literal["a", "img", "audio", "video"]


@dataclass(frozen=True, slots=True)
class Preview:
    """Safe HTML, and the texts and tools of the toolbar.

    The carrier is the element that holds the only copy of the original's bytes: a link, or
    for images, audio and video the element that shows them.
    """

    kind: str
    label: str
    body: bytes = b""
    carrier: Carrier = "a"
    facts: tuple[str, ...] = ()
    note: str = ""
    tools: frozenset[str] = frozenset()
    scripts: tuple[str, ...] = ()
    """Assets that the page runs after `viewer.js`."""
    styles: tuple[str, ...] = ()
    """Assets that follow `viewer.css`."""
    foreign_style: bool = False
    """The body has an iframe with styles of its own; only such pages allow inline styles."""

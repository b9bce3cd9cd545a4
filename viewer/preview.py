"""What a kind of document gives to the page around it."""

from dataclasses import dataclass
from typing import Literal

Carrier = Literal["a", "img", "audio", "video"]


@dataclass(frozen=True, slots=True)
class Preview:
    """Safe HTML, and what the toolbar says and offers.

    The carrier is the element that holds the one copy of the bytes: a link, or for
    images, audio and video the element that shows them.
    """

    kind: str
    label: str
    body: str = ""
    carrier: Carrier = "a"
    facts: tuple[str, ...] = ()
    note: str = ""
    tools: frozenset[str] = frozenset()
    foreign_style: bool = False
    """A framed document brings its own <style>; only such pages allow inline styles."""

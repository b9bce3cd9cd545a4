"""The preview of a document: the HTML in the page's main part, and what the toolbar shows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Carrier = Literal["a", "img", "audio", "video"]


class Streamed(Protocol):
    """A part of a page that is read while the page is sent, so that no copy of it is held."""

    def __len__(self) -> int:
        """Return the length in bytes."""

    def pieces(self) -> Iterable[bytes]: ...


Part = bytes | Streamed


@dataclass(frozen=True, slots=True)
class Preview:
    """Safe HTML, and the texts and tools of the toolbar.

    The carrier is the element that holds the only copy of the original's bytes: a link, or
    for images, audio and video the element that shows them.
    """

    kind: str
    label: str
    body: Part = b""
    carrier: Carrier = "a"
    facts: tuple[str, ...] = ()
    note: str = ""
    tools: frozenset[str] = frozenset()
    source: Mapping[str, str | int] = field(default_factory=dict)
    """Data attributes of the main element, for scripts that show more of the original."""
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    """Assets that follow those of every page."""
    foreign_style: bool = False
    """The body has an iframe with styles of its own; only such pages allow inline styles."""
    holds_files: bool = False
    """The body has links that save files inside the document."""
    frames_pdf: bool = False
    """A script shows a PDF of the page in the browser's own viewer, which the policy allows."""
    offline: "Callable[[], Preview] | None" = None
    """Makes the preview of a self-contained file, if it is another one."""

    def for_file(self) -> "Preview":
        return self.offline() if self.offline else self

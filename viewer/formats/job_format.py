"""Formats of which a job makes all that is shown: the HTML, and the texts of the toolbar."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from ..content.media_types import charset
from ..sandbox.process import Job, SandboxError
from . import card
from .original import Original
from .preview import Preview

Renderer = Callable[[Original, str], Preview]
ANY: Final = ""  # reason of a failure


def text_options(original: Original) -> dict[str, Any]:
    """Return the options of a job that reads a text: its encoding is detected if not declared."""
    return {"charset": charset(original.content_type)}


def card_saying(message: str) -> Renderer:
    """Return what shows a card with this message as its heading."""
    return lambda original, media_type: card.preview(original, media_type, message)


LOCKED: Final = {
    "locked": card_saying("This document is locked with a password. Save the original to open it.")
}


@dataclass(frozen=True)
class JobFormat:
    """The job sends one message: its facts are those of `shown_as`, its block is the HTML.

    A document of more than `most_bytes` fails for the reason "size", others as the job says. Then
    it is shown by what `otherwise` has for this reason, or for ANY; SandboxError if there is none.
    """

    kind: str
    job: Job
    most_bytes: int | None = None
    options: Callable[[Original], dict[str, Any]] = lambda _: {}
    otherwise: dict[str, Renderer] = field(default_factory=dict)
    tools: frozenset[str] = frozenset({"zoom"})
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    framed: Callable[[bytes], bytes] | None = None  # puts a page into an iframe, with its styles

    def preview(self, original: Original, media_type: str) -> Preview:
        try:
            if self.most_bytes is not None and original.size > self.most_bytes:
                raise SandboxError("size")
            facts, html = original.run_html_job(self.job, self.options(original))
        except SandboxError as error:
            renderer = self.otherwise.get(str(error)) or self.otherwise.get(ANY)
            if renderer is None:
                raise
            return renderer(original, media_type)
        return Preview(
            self.kind,
            facts["label"],
            self.framed(html) if self.framed else html,
            facts=tuple(facts["facts"]),
            note=facts["note"],
            tools=self.tools,
            styles=self.styles,
            scripts=self.scripts,
            foreign_style=self.framed is not None,
        )

"""A format: its media types, the job that makes all that is shown, and what a failure shows."""

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


def card_saying(message: str) -> Renderer:
    """Return what shows a card with this message as its heading."""
    return lambda original, media_type: card.preview(original, media_type, message)


@dataclass(frozen=True)
class JobFormat:
    """A format whose documents are shown by the HTML that a job makes of them.

    The job gets the first `read_bytes`. It sends one message: its block is the HTML, and its facts
    say how this is shown. A job may fail for a reason that it names; for a document of more than
    `most_bytes` the reason is "size", and the job does not run. `otherwise` has by reason what
    shows the document then, by ANY what shows it for each other reason.
    """

    kind: str
    job: Job
    types: tuple[str, ...] = ()
    most_bytes: int | None = None
    read_bytes: int | None = None
    otherwise: dict[str, Renderer] = field(default_factory=dict)
    tools: frozenset[str] = frozenset({"zoom"})
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()

    def preview(self, original: Original, media_type: str) -> Preview:
        """Return what the job makes of the document, or what is shown if it fails.

        Raise SandboxError if `otherwise` has nothing for the reason.
        """
        try:
            if self.most_bytes is not None and original.size > self.most_bytes:
                raise SandboxError("size")
            options = self._options(original, media_type)
            facts, html = original.run_html_job(self.job, options, most_bytes=self.read_bytes)
        except SandboxError as error:
            renderer = self.otherwise.get(str(error)) or self.otherwise.get(ANY)
            if renderer is None:
                raise
            return renderer(original, media_type)
        return Preview(
            facts.get("kind", self.kind),
            facts["label"],
            html,
            facts=tuple(facts["facts"]),
            note=facts["note"],
            tools=frozenset(facts.get("tools", self.tools)),
            source=facts.get("source", {}),
            styles=(*self.styles, *facts.get("styles", ())),
            scripts=(*self.scripts, *facts.get("scripts", ())),
            foreign_style=facts.get("foreign_style", False),
            holds_files=facts.get("holds_files", False),
        )

    def _options(self, original: Original, media_type: str) -> dict[str, Any]:
        """Return the facts about the document that each job gets."""
        return {
            "name": original.name[-120:],
            "type": media_type,
            "whole": self.read_bytes is None or original.size <= self.read_bytes,
            "charset": charset(original.content_type),
        }

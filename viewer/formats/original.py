"""The document as the viewer receives it: its properties and a way to read its bytes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..content.detection import FIRST_BYTES, UNCERTAIN, contradicts, detect
from ..content.media_types import UNKNOWN, canonical_type
from ..sandbox.converter import Converter
from ..sandbox.messages import KeptMessage
from ..sandbox.process import Job, RunJob, SandboxError, run_job


@dataclass(frozen=True)
class Original:
    """The document to show. Its name and content type come from the uploader: never trusted.

    `read(start, stop)` yields the bytes from `start` to before `stop`; `default_name` is shown
    when the name has no visible character. `named_type` is the media type that the name's extension
    says, or empty. `run` runs a job on the bytes in a child process; the caller may hand in its
    own, which keeps results and limits how many run at once. `password` opens an encrypted PDF.
    `converter` makes PDFs of office documents, if there is one. With a `watermark` nothing is shown
    but the pictures of pages, each marked with this text, and their text.
    """

    id: str
    name: str
    default_name: str
    content_type: str
    size: int
    sha256: str
    created_at: str
    read: Callable[[int, int], Iterable[bytes]]
    run: RunJob = run_job
    named_type: str = ""
    password: str | None = None
    converter: Converter | None = None
    watermark: str = ""

    @property
    def media_type(self) -> str:
        """Return the declared type, or the detected one if that says nothing certain."""
        return self.decided_type[0]

    @cached_property
    def decided_type(self) -> tuple[str, bool]:
        """Return the media type, and whether the first bytes are those of another binary type."""
        declared = canonical_type(self.content_type)
        if declared not in UNCERTAIN:
            return declared, contradicts(declared, self.beginning)
        found = self.detected_type
        return declared if found == UNKNOWN else found, False

    @cached_property
    def detected_type(self) -> str:
        """Return what the document is by its name and its first bytes alone."""
        return detect(self.named_type, self.beginning)

    @cached_property
    def beginning(self) -> bytes:
        """Return the first bytes, by which the type is detected."""
        return self.first(FIRST_BYTES)

    def first(self, limit: int) -> bytes:
        return b"".join(self.read(0, min(limit, self.size))) if self.size else b""

    def pieces(self) -> Iterable[bytes]:
        """Return all bytes, in pieces of any size."""
        return self.read(0, self.size) if self.size else ()

    def run_html_job(
        self, job: Job, options: dict[str, Any], *, most_bytes: int | None = None
    ) -> KeptMessage:
        """Run a job that sends one message; return its facts and its HTML in UTF-8.

        It gets the first `most_bytes`, or all. Raises SandboxError if it failed.
        """
        stop = self.size if most_bytes is None else min(self.size, most_bytes)
        result = self.run(job, self.read(0, stop), options)
        if result.failure or len(result.messages) != 1:
            raise SandboxError(result.failure or "not one message")
        return result.messages[0]

    def description(self) -> dict[str, str | int]:
        """Return what a page or a file says of the document, by names as in JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "contentType": self.content_type,
            "size": self.size,
            "sha256": self.sha256,
            "createdAt": self.created_at,
        }

"""The pages of a PDF, drawn in the sandbox a few at a time when they are wanted."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ...sandbox.messages import Block, KeptMessage, whole
from ...sandbox.process import Job, JobResult, SandboxError
from ..original import Original

JOB: Final = Job("viewer.formats.pdf.drawing", memory_mb=1024, cpu_seconds=25, seconds=30)
FILES_JOB: Final = Job("viewer.formats.archives.pdf_files", 1024, cpu_seconds=8, seconds=15)
TEXT_PAGES: Final = 128  # read at once: each time the child process takes all of the file
DRAWN_PAGES: Final = 4  # drawn at once for the screen
SAFE_ADDRESS: Final = re.compile(r"(?i)(?:https?://|mailto:)[^\s\x00-\x1f\x7f]+")
PICTURES: Final = frozenset({"image/png", "image/webp"})


class Drawing(NamedTuple):
    """A way to draw pages: pixels a point, numbers of colours to try for what is no photo, and the
    size that a picture may have.
    """

    scale: float
    palettes: tuple[int, ...]
    most_bytes: int


SCREEN: Final = Drawing(2.0, (64, 16), 200_000)
SHARP: Final = Drawing(4.0, (16, 8), 800_000)
FILE: Final = Drawing(1.0, (16, 8), 12_000)


class PdfLockedError(Exception):
    """The PDF has a password, and this is not it."""


class PdfPage(NamedTuple):
    """A page; coordinates are points from its upper left corner. Without a picture only a frame.

    `text` holds runs (left, top, width, height, text), `links` (left, top, width, height,
    target, distance): a page's number and how far from its upper edge it leads, or an address of
    the web or of mail.
    """

    number: int
    width: float
    height: float
    picture: str = ""  # a data: URI
    text: Sequence[Any] = ()
    links: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """The number of pages, and of those that are shown; the first page, drawn if that worked."""

    total: int
    count: int
    first: PdfPage
    attached: list[str]  # the names of the files in it, or of the first ones


class PageTexts(NamedTuple):
    """Pages as frames, the text of each, and if the first is among them the outline."""

    frames: list[PdfPage]
    texts: list[str]
    outline: list[tuple[int, str, int, float]]  # depth, title, page, points from its upper edge


class PdfPages:
    """The pages. Each method runs a job, and may raise PdfLockedError and SandboxError."""

    def __init__(self, original: Original) -> None:
        self._original = original

    def overview(self) -> Overview:
        facts, drawn = self._begun("overview", 1, 1, SCREEN)
        total = facts["total"]
        count = facts["count"]
        pages = [_page(*message, count) for message in drawn] or [PdfPage(1, *facts["size"])]
        return Overview(total, count, pages[0], facts["attached"])

    def drawn(self, first: int, count: int, drawing: Drawing, total: int) -> list[PdfPage]:
        """Return up to `count` pages from `first` on: fewer if one can't be drawn."""
        messages = self._run("pictures", first, count, drawing).messages
        return [_page(*message, total) for message in messages]

    def one(self, number: int, total: int, scale: int = 2) -> PdfPage:
        """Return a page: for the screen drawn with its neighbours, or alone if one of them fails.

        The first is alone: who reads on has it from `overview`. Raises SandboxError if it can't be
        drawn.
        """
        drawing = SCREEN if scale <= SCREEN.scale else SHARP._replace(scale=float(scale))
        attempts = [(number, 1)]
        if drawing is SCREEN and number > 1:
            first_neighbour = number - (number - 2) % DRAWN_PAGES
            attempts.insert(0, (first_neighbour, DRAWN_PAGES))
        for first, count in attempts:
            for page in self.drawn(first, count, drawing, total):
                if page.number == number:
                    return page
        raise SandboxError("page")

    def texts(self, first: int) -> PageTexts:
        """Return the sizes and texts of up to TEXT_PAGES pages from `first` on; of those after one
        that can't be read no text.
        """
        facts, read = self._begun("text", first, TEXT_PAGES)
        frames = [PdfPage(n, *size) for n, size in enumerate(facts["sizes"], first)]
        texts = [whole(block).decode("utf-8", "replace") for _, block in read]
        return PageTexts(frames, texts + [""] * (len(frames) - len(texts)), facts["outline"])

    def files(self) -> bytes:
        """Return a list of those that are attached; nothing if they can't be taken out."""
        options = {"password": self._original.password}
        result = self._original.run(FILES_JOB, self._original.pieces(), options)
        return b"".join(whole(html) for _, html in result.messages)

    def _begun(
        self, asked: str, first: int, count: int, drawing: Drawing | None = None
    ) -> tuple[dict[str, Any], list[KeptMessage]]:
        """Return the facts of the first message, and the others; SandboxError if there is none."""
        result = self._run(asked, first, count, drawing)
        if not result.messages:
            raise SandboxError(result.failure)
        return result.messages[0][0], result.messages[1:]

    def _run(self, asked: str, first: int, count: int, drawing: Drawing | None = None) -> JobResult:
        options: dict[str, Any] = {"asked": asked, "first": first, "count": count}
        options["password"] = self._original.password
        if drawing:
            options["drawing"] = drawing._asdict()
        if drawing and self._original.watermark:
            options["watermark"] = self._original.watermark
        pieces = self._original.pieces()
        result = self._original.run(JOB, pieces, options)
        if result.failure == "password":
            raise PdfLockedError
        if result.failure == "format":
            raise SandboxError("format")
        return result


def _page(facts: dict[str, Any], picture: bytes | Block, total: int) -> PdfPage:
    """Return the page with what is safe in an attribute and to click on."""
    if facts["type"] not in PICTURES:
        raise SandboxError("type")
    links = [tuple(link) for link in facts["links"] if _leads_somewhere(link[4], total)]
    uri = f"data:{facts['type']};base64,{base64.b64encode(whole(picture)).decode()}"
    return PdfPage(facts["page"], facts["width"], facts["height"], uri, facts["text"], links)


def _leads_somewhere(target: int | str, total: int) -> bool:
    if isinstance(target, str):
        return bool(SAFE_ADDRESS.fullmatch(target))
    return 1 <= target <= total

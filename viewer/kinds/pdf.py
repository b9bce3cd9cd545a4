"""PDF: pages drawn in the sandbox, with their text as a layer to select, copy and search.

A served page holds the first page; its script loads the others when they come into view. A file
holds all. The browser's own PDF viewer is not used: it does not work in a sandboxed page, runs the
document's scripts, and follows its links out of the page.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from ..formatting import format_count
from ..names import display_name
from ..original import Original
from ..pdf_html import outline_html, page_html
from ..pdf_pages import FILE, Overview, PdfLockedError, PdfPage, PdfPages
from ..preview import Preview
from ..sandbox.process import SandboxError
from ..templating import render
from . import card

MAX_FILE_PAGES: Final = 3_000
MAX_FAILED: Final = 2  # pages of a batch that can't be drawn, until no more are tried
NOT_READABLE: Final = "This file says it is a PDF, but it is not one that can be read."
_pdf: Final = partial(
    Preview,
    kind="pdf",
    label="PDF",
    tools=frozenset({"zoom", "pages"}),
    scripts=("outline.js", "pages.js"),
    styles=("outline.css", "pages.css"),
)


def preview(original: Original, media_type: str) -> Preview:
    """Return the first page and frames for the others; a card if the file is no PDF."""
    pages = PdfPages(original)
    try:
        overview = pages.overview()
    except PdfLockedError:
        return _pdf(body=render("kinds/pdf_locked.html").encode())
    except SandboxError as error:
        if str(error) != "format":
            raise
        return card.preview(original, media_type, NOT_READABLE)
    return _pdf(
        body=_outline(overview) + _html(overview.pages, overview.total),
        facts=(format_count(overview.total, "page"),),
        note=_note(len(overview.pages), overview),
        offline=partial(_for_file, pages, overview),
    )


def _for_file(pages: PdfPages, overview: Overview) -> Preview:
    """Return all pages, up to a bound, which are drawn when they are sent."""
    return _pdf(
        body=_outline(overview),
        facts=(format_count(overview.total, "page"),),
        note=_note(min(len(overview.pages), MAX_FILE_PAGES), overview),
        parts=partial(_file_pages, pages, overview),
    )


def _file_pages(pages: PdfPages, overview: Overview) -> Iterator[bytes]:
    """Yield HTML of the pages, a batch at a time; none is drawn after a batch that failed."""
    frames, failed = overview.pages[:MAX_FILE_PAGES], 0
    for first in range(0, len(frames), FILE.batch):
        batch = frames[first : first + FILE.batch]
        if failed < MAX_FAILED:
            batch, failed = _drawn(pages, batch, overview.total)
        yield _html(batch, overview.total, whole=True)


def _drawn(pages: PdfPages, frames: Sequence[PdfPage], total: int) -> tuple[list[PdfPage], int]:
    """Return these pages drawn, and how many could not be: they and the rest stay frames."""
    shown: list[PdfPage] = []
    failed = 0
    while len(shown) < len(frames) and failed < MAX_FAILED:
        left = frames[len(shown) :]
        drawn: list[PdfPage] = []
        with suppress(SandboxError):
            drawn = pages.drawn(left[0].number, len(left), FILE, total)
        failed += len(drawn) < len(left)
        shown += [*drawn, *left[len(drawn) : len(drawn) + 1]]
    return [*shown, *frames[len(shown) :]], failed


def _html(pages: Sequence[PdfPage], total: int, *, whole: bool = False) -> bytes:
    """Return the pages; `whole` says that those without a picture will get none."""
    html = "".join([page_html(page, total, whole=whole) for page in pages])
    return html.encode("utf-8", "replace")


def _outline(overview: Overview) -> bytes:
    entries = overview.outline if overview.total > 1 else []
    return outline_html(entries).encode("utf-8", "replace") if entries else b""


def _note(shown: int, overview: Overview) -> str:
    notes = []
    if shown < overview.total:
        pages = format_count(overview.total, "page")
        notes.append(f"Showing {shown:,} of {pages}. Save the original to read all of it.")
    if overview.attached:
        names = ", ".join(display_name(name, "without a name") for name in overview.attached)
        notes.append(f"Files in this PDF are not shown: {names}. Save the original to open them.")
    return " ".join(notes)

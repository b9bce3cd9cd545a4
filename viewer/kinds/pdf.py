"""PDF: pages drawn in the sandbox, with their text as a layer to select, copy and search.

A served page holds the first page; its script loads the others when they come into view. A file
holds all. The browser's own PDF viewer is not used: it does not work in a sandboxed page, runs the
document's scripts, and follows its links out of the page.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ..formatting import format_count
from ..original import Original
from ..pdf_pages import FILE, Overview, PdfLockedError, PdfPage, PdfPages
from ..preview import Part, Preview
from ..sandbox.process import SandboxError
from ..templating import render
from . import card

MAX_FILE_PAGES: Final = 3_000
MAX_FAILED: Final = 2  # pages of a batch that can't be drawn, until no more are tried
NOT_READABLE: Final = "This file says it is a PDF, but it is not one that can be read."
_PDF: Final = Preview(
    "pdf",
    "PDF",
    tools=frozenset({"zoom", "pages"}),
    scripts=("pages.js",),
    styles=("pages.css",),
)


def preview(original: Original, media_type: str) -> Preview:
    """Return the first page and frames for the others; a card if the file is no PDF."""
    pages = PdfPages(original)
    try:
        overview = pages.overview()
    except PdfLockedError:
        return replace(_PDF, body=render("kinds/pdf_locked.html").encode())
    except SandboxError as error:
        if str(error) != "format":
            raise
        return card.preview(original, media_type, NOT_READABLE)
    return replace(
        _PDF,
        body=_outline(overview) + _html(overview.pages, overview.total),
        facts=(format_count(overview.total, "page"),),
        note=_note(len(overview.pages), overview.total),
        offline=partial(_for_file, pages, overview),
    )


def _for_file(pages: PdfPages, overview: Overview) -> Preview:
    """Return all pages, up to a bound. Each is drawn now, and again read when it is sent."""
    parts, shown = _file_parts(pages, overview)
    return replace(
        _PDF,
        body=_outline(overview),
        facts=(format_count(overview.total, "page"),),
        note=_note(shown, overview.total),
        parts=parts,
    )


def _file_parts(pages: PdfPages, overview: Overview) -> tuple[list[Part], int]:
    """Return the parts, and the number of pages in them; no more after a batch that failed."""
    parts: list[Part] = []
    frames, first, failed = overview.pages[:MAX_FILE_PAGES], 0, 0
    while first < len(frames) and failed < MAX_FAILED:
        batch = frames[first : first + FILE.batch]
        html, failed = _batch(pages, batch, overview.total)
        parts.append(Part(len(html), partial(_batch_html, pages, batch, overview.total)))
        first += len(batch)
    return parts, first


def _batch(pages: PdfPages, frames: Sequence[PdfPage], total: int) -> tuple[bytes, int]:
    """Return HTML of these pages, and how many could not be drawn."""
    shown: list[PdfPage] = []
    failed = 0
    while len(shown) < len(frames) and failed < MAX_FAILED:
        left = frames[len(shown) :]
        drawn = pages.drawn(left[0].number, len(left), FILE, total)
        failed += len(drawn) < len(left)
        shown += [*drawn, *left[len(drawn) : len(drawn) + 1]]
    return _html([*shown, *frames[len(shown) :]], total, whole=True), failed


def _batch_html(*batch: Any) -> bytes:
    return _batch(*batch)[0]


def _html(pages: Sequence[PdfPage], total: int, *, whole: bool = False) -> bytes:
    """Return the pages; `whole` says that those without a picture will get none."""
    html = render("kinds/pdf.html", pages=pages, total=total, whole=whole)
    return html.encode("utf-8", "replace")


def _outline(overview: Overview) -> bytes:
    if not overview.outline:
        return b""
    html = render("kinds/pdf_outline.html", entries=overview.outline)
    return html.encode("utf-8", "replace")


def _note(shown: int, total: int) -> str:
    if shown >= total:
        return ""
    pages = format_count(total, "page")
    return f"Showing {shown:,} of {pages}. Save the original to read all of it."

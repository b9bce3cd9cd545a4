"""PDF: pages drawn in the sandbox, with their text as a layer to select, copy and search.

A served page holds the first page; its script makes a frame for each of the others, and loads
them when they come into view. The
browser's own PDF viewer is not used there: it does not work in a sandboxed page, runs the
document's scripts, and follows its links out of the page. It does show the PDF that a saved file
holds, as it would show the original; a browser without one shows a picture of the first page.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any, Final

from ...content.base64_text import base64_length, base64_pieces
from ...markup.formatting import format_count
from ...markup.names import display_name
from ...markup.templating import render
from ...sandbox.process import SandboxError
from .. import card
from ..original import Original
from ..preview import Preview
from .pages import FILE, Overview, PdfLockedError, PdfPage, PdfPages

NOT_READABLE: Final = "This file says it is a PDF, but it is not one that can be read."
COPY_BEFORE: Final = b'<script type="text/plain" id="copy">'
COPY_AFTER: Final = b"</script>"
SCRIPTS: Final = ("outline", "pages", "loading", "unlock", "layout", "find")
STYLES: Final = ("pdf/outline.css", "pdf/pages.css", "pdf/served.css")
SECTION_STYLES: Final = ("text/lines.css", "archives/files.css")
_pdf: Final = partial(Preview, kind="pdf", label="PDF")
_served: Final = partial(
    _pdf,
    tools=frozenset({"zoom", "pages", "find"}),
    scripts=tuple(f"pdf/{name}.js" for name in SCRIPTS),
    styles=STYLES,
)
_saved: Final = partial(_pdf, scripts=("pdf/saved.js",), styles=("pdf/pages.css",), frames_pdf=True)


def preview(original: Original, media_type: str, *, is_converted: bool = False) -> Preview:
    """Return the first page and frames for the others; a card if the file is no PDF.

    If it `is_converted` from the document, a saved file holds both.
    """
    pages = PdfPages(original)
    try:
        overview = pages.overview()
    except PdfLockedError:
        return _locked()
    except SandboxError as error:
        if str(error) != "format":
            raise
        return card.preview(original, media_type, NOT_READABLE)
    files = pages.files() if overview.attached and not original.watermark else b""
    return _served(
        body=_pages(overview) + files,
        facts=(format_count(overview.total, "page"),),
        note=_note(overview, are_below=bool(files)),
        source={"count": overview.count},
        styles=(*STYLES, *SECTION_STYLES) if files else STYLES,
        holds_files=bool(files),
        offline=partial(_file, original, pages, overview, is_converted=is_converted),
    )


def _locked() -> Preview:
    """Return the question for the password; in a file the browser's PDF viewer asks it."""
    served, saved = (render("pdf/locked.html", asks=asks).encode() for asks in (True, False))
    offline = partial(_saved, body=saved, styles=("pdf/pages.css", "card.css"))
    return _served(body=SIDES + served, offline=offline, styles=(*STYLES, "card.css"))


def _file(
    original: Original, pages: PdfPages, overview: Overview, *, is_converted: bool
) -> Preview:
    """Return the first page as a small picture, and the PDF that is shown if not the original."""
    drawn: list[PdfPage] = []
    with suppress(SandboxError):
        drawn = pages.drawn(1, 1, FILE, overview.total)
    count = format_count(overview.total, "page")
    html = render("pdf/saved.html", pages=drawn, total=overview.total, count=count)
    body = html.encode("utf-8", "replace")
    return _saved(
        body=WithCopy(body, original) if is_converted else body,
        facts=(count,),
        note=_attached_note(overview),
    )


@dataclass(frozen=True, slots=True)
class WithCopy:
    """The body of a saved file, with the PDF that is shown in base64 behind it."""

    body: bytes
    pdf: Original

    def __len__(self) -> int:
        around = len(self.body) + len(COPY_BEFORE) + len(COPY_AFTER)
        return around + base64_length(self.pdf.size)

    def pieces(self) -> Iterator[bytes]:
        yield self.body + COPY_BEFORE
        yield from base64_pieces(self.pdf.pieces())
        yield COPY_AFTER


def _pages(overview: Overview) -> bytes:
    if not overview.count:
        return b""
    first = page_html(overview.first, overview.total).encode("utf-8", "replace")
    return first if overview.count == 1 else SIDES + first + FIRST_ALONE


def _note(overview: Overview, *, are_below: bool) -> str:
    cut = ""
    if overview.count < overview.total:
        pages = format_count(overview.total, "page")
        cut = f"Showing {overview.count:,} of {pages}. Save the original to read all of it. "
    return (cut + _attached_note(overview, are_below=are_below)).rstrip()


def _attached_note(overview: Overview, *, are_below: bool = False) -> str:
    if not overview.attached:
        return ""
    names = ", ".join(display_name(name, "without a name") for name in overview.attached)
    if are_below:
        return f"Files in this PDF are below its pages: {names}."
    return f"Files in this PDF are not shown: {names}. Save the original to open them."


SIDES: Final = b"""\
<div class="sides">
<details class="outline js" id="thumbnails" name="side"><summary>Pages</summary>
<nav aria-label="Pages"><ol></ol></nav></details>
<details class="outline js" id="outline" name="side" hidden><summary>Contents</summary>
<nav aria-label="Contents"><ol></ol></nav></details>
</div>
"""
FIRST_ALONE: Final = b"""\
<noscript><p class="note">Scripts are off here, so only the first page is shown.</p></noscript>
"""
PAGE: Final = """\
<section class="page" id="p%d" aria-label="Page %d of %d"%s><svg viewBox="0 0 %.1f %.1f"%s>
%s</svg></section>
"""
DRAWN: Final = ' data-drawn="2"'
WITHOUT_TEXT: Final = ' role="img" aria-label="A picture without text"'
SHEET: Final = "<g>%s</g>"
IMAGE: Final = """\
<image width="%.1f" height="%.1f" href="%s"/>
"""
RUN: Final = """\
<text x="%.1f" y="%.1f" font-size="%.1f" textLength="%.1f">%s</text>
"""
LINK: Final = """\
<a %s><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></a>
"""
WITHIN: Final = 'href="#p%d"%s aria-label="Page %d"'
OUTSIDE: Final = 'href="%s" target="_blank" rel="noopener noreferrer" aria-label="%s"'
TOP: Final = ' data-top="%.1f"'


def page_html(page: PdfPage, total: int) -> str:
    """Return a page; without a picture only its frame."""
    number = page.number
    width = page.width
    height = page.height
    start = (number, number, total)
    if not page.picture:
        return PAGE % (*start, "", width, height, "", "")
    text = "".join(map(_run, page.text))
    links = "".join(map(_link, page.links))
    role = "" if text or links else WITHOUT_TEXT
    content = SHEET % (IMAGE % (width, height, page.picture) + text + links)
    return PAGE % (*start, DRAWN, width, height, role, content)


def _run(run: tuple[float, float, float, float, str]) -> str:
    x, y, width, height, text = run
    return RUN % (x, y + height * 0.8, max(height, 1), max(width, 0.1), escape(text))


def _link(link: tuple[Any, ...]) -> str:
    *box, target, top = link
    if isinstance(target, str):
        address = escape(target)
        return LINK % (OUTSIDE % (address, address), *box)
    return LINK % (WITHIN % (target, _top(top), target), *box)


def _top(top: float) -> str:
    return TOP % top if top else ""

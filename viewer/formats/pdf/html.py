"""HTML of the pages of a PDF and of its outline.

A view has thousands of these elements, so they are formatted and no template is rendered for each.
Where a format wants a number nothing else fits; all other values are escaped.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from ...markup.escaping import escape as visible
from .pages import PdfPage

PAGE: Final = """\
<section class="page" id="p%d" aria-label="Page %d of %d"%s><svg viewBox="0 0 %.1f %.1f"%s>
%s</svg></section>
"""
DRAWN: Final = ' data-drawn=""'
WITHOUT_TEXT: Final = ' role="img" aria-label="A picture without text"'
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
ENTRY: Final = """\
<li data-depth="%d"><a href="#p%d"%s>%s</a> <span class="dim">%d</span></li>
"""
OUTLINE: Final = """\
<details class="outline" id="outline"><summary>Contents</summary>
<nav aria-label="Contents"><ol>
%s</ol></nav></details>
"""


def page_html(page: PdfPage, total: int) -> str:
    """Return a page; without a picture only its frame."""
    number, width, height = page.number, page.width, page.height
    start = (number, number, total)
    if not page.picture:
        return PAGE % (*start, "", width, height, "", "")
    text, links = "".join(map(_run, page.text)), "".join(map(_link, page.links))
    role = "" if text or links else WITHOUT_TEXT
    content = IMAGE % (width, height, page.picture) + text + links
    return PAGE % (*start, DRAWN, width, height, role, content)


def outline_html(entries: Sequence[tuple[int, str, int, float]]) -> str:
    """Return the outline, of entries (depth, title, page, points from its upper edge)."""
    return OUTLINE % "".join(
        ENTRY % (depth, page, _top(top), visible(title), page)
        for depth, title, page, top in entries
    )


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

"""The pages of a PDF as an opened page loads them, and as programs read them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import viewer
from models import Document
from models.core import NotFound, ScopeMissing

from ..http import TICKET
from ..http.authentication import Caller
from .originals import opened_pdf, original_of
from .pages import needs_prompt

NO_PAGE = "There is no such page, or it could not be drawn. Save the original to read it."


def list_pages(
    document: Document, caller: Caller, first: int, password: str | None = None
) -> dict[str, Any]:
    with _opened(document, caller, password) as (pages, overview):
        texts = pages.texts(first) if first <= len(overview.pages) else []
    frames = overview.pages[first - 1 : first - 1 + viewer.TEXT_PAGES]
    texts += [""] * (len(frames) - len(texts))
    following = first + viewer.TEXT_PAGES
    return {
        "total": overview.total,
        "pages": [
            {"number": one.number, "width": one.width, "height": one.height, "text": text}
            for one, text in zip(frames, texts, strict=False)
        ],
        "outline": [
            dict(zip(("depth", "title", "page", "top"), entry, strict=True))
            for entry in (overview.outline if first == 1 else ())
        ],
        "next_cursor": following if following <= len(overview.pages) else None,
    }


def drawn_page(
    document: Document, caller: Caller, number: str, password: str | None = None
) -> dict[str, Any]:
    with _opened(document, caller, password) as (pages, overview):
        total = len(overview.pages)
        if not re.fullmatch("[1-9][0-9]{0,5}", number) or int(number) > total:
            raise NotFound(NO_PAGE)
        page = pages.one(int(number), total)
    placed = ("x", "y", "width", "height")
    return {
        **{name: getattr(page, name) for name in ("number", "width", "height", "picture")},
        "text": [dict(zip((*placed, "text"), run, strict=True)) for run in page.text],
        "links": [
            dict(zip((*placed, "top"), (*box, top), strict=True))
            | {"page": None, "url": None, "url" if isinstance(target, str) else "page": target}
            for *box, target, top in page.links
        ],
    }


@contextmanager
def _opened(
    document: Document, caller: Caller, password: str | None
) -> Iterator[tuple[viewer.PdfPages, viewer.Overview]]:
    """A PDF, for a caller who may see its pages now; raises what a client is to be told."""
    if caller.credential_type != TICKET:
        if needs_prompt(caller.grant):
            raise ScopeMissing("This link has a password or a view limit. Open its view first.")
        document.record_read("document.viewed")
    try:
        yield opened_pdf(original_of(document, caller.grant, password))
    except viewer.SandboxError:
        raise NotFound(NO_PAGE) from None

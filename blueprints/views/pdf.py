"""The pages of a PDF, or of what is converted to one: their sizes and texts, and their pictures."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import request

import viewer
from models import Document, current_runtime
from models.core import NotFound, ScopeMissing, WrongCredentials

from ..http import TICKET
from ..http.authentication import Caller
from .originals import original_of
from .prompt import needs_prompt

NO_PAGES = "This document has no pages: it is no PDF that can be read, nor converted to one."
NO_PAGE = "There is no such page, or it could not be drawn. Save the original to read it."
LOCKED = "This PDF has a password. Send the right one: POST, with the field password."


def opened_pdf(original: viewer.ShownDocument) -> tuple[viewer.PdfPages, viewer.Overview]:
    """The pages of a document. Raises `NotFound` if it has none, `WrongCredentials` if it is a
    PDF that is encrypted and the password is not its own, `TooManyRequests` after many of those.
    """
    if not original.has_pages:
        raise NotFound(NO_PAGES)
    failures, address = current_runtime().link_password_failures, request.remote_addr or ""
    if original.password is not None:
        failures.refuse_if_many(original.id, address)
    try:
        pages = original.pages()
        return pages, pages.overview()
    except viewer.SandboxError:
        raise NotFound(NO_PAGES) from None
    except viewer.PdfLockedError:
        if original.password is not None:
            failures.record_failure(original.id, address)
        raise WrongCredentials(LOCKED) from None


def list_pages(
    document: Document, caller: Caller, first: int, password: str | None = None
) -> dict[str, Any]:
    with _opened(document, caller, password) as (pages, overview):
        read = pages.texts(first) if first <= overview.count else viewer.PageTexts([], [], [])
    following = first + viewer.TEXT_PAGES
    return {
        "total": overview.total,
        "pages": [
            {"number": frame.number, "width": frame.width, "height": frame.height, "text": text}
            for frame, text in zip(read.frames, read.texts, strict=True)
        ],
        "outline": [
            dict(zip(("depth", "title", "page", "top"), entry, strict=True))
            for entry in read.outline
        ],
        "next_cursor": following if following <= overview.count else None,
    }


def drawn_page(
    document: Document, caller: Caller, number: str, scale: int, password: str | None = None
) -> dict[str, Any]:
    with _opened(document, caller, password) as (pages, overview):
        if not re.fullmatch("[1-9][0-9]{0,5}", number) or int(number) > overview.count:
            raise NotFound(NO_PAGE)
        page = pages.one(int(number), overview.count, scale)
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
            raise ScopeMissing("This link asks for something first. Open its view.")
        document.record_read("document.viewed")
    try:
        yield opened_pdf(original_of(document, caller.grant, password))
    except viewer.SandboxError:
        raise NotFound(NO_PAGE) from None

"""A document as the viewer takes it: what is made of it is kept, and callers take turns."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from flask import request

import viewer
from models import Document, StoredPreview, current_runtime
from models.core import Busy, NotFound, WrongCredentials, rfc3339
from models.documents import type_of_name
from models.links import TokenGrant
from models.storage.payloads import PIECE_BYTES

NO_PAGES = "This document has no pages: it is no PDF that can be read, nor converted to one."
LOCKED = "This PDF has a password. Send the right one: POST, with the field password."


def original_of(
    document: Document,
    grant: TokenGrant | None,
    password: str | None = None,
    *,
    saves: bool = False,
) -> viewer.Document:
    """`password` is that of an encrypted PDF; `saves` says that a file is made, not a view."""
    caller_id = grant.id if grant and not grant.owner_id else document.owner_id
    return viewer.Document(
        id=document.id,
        name=document.name,
        default_name=document.default_name,
        content_type=document.content_type,
        size=document.size,
        sha256=document.sha256,
        created_at=rfc3339(document.created_at),
        read=_reader(document),
        run=_job_runner(document, caller_id, saves=saves),
        named_type=type_of_name(document.name),
        password=password,
        converter=viewer.configured_converter(current_runtime().settings.converter)[0],
    )


def _reader(document: Document) -> Callable[[int, int], Iterable[bytes]]:
    """Reads a range of the payload; one of a single piece is opened once for all that is read."""
    if document.size > PIECE_BYTES:
        return document.read
    whole = cache(lambda: b"".join(document.read()))
    return lambda start, stop: [whole()[start:stop]]


def opened_pdf(original: viewer.Document) -> tuple[viewer.PdfPages, viewer.Overview]:
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


def _job_runner(document: Document, caller_id: str, *, saves: bool) -> viewer.RunJob:
    """Returns a function that raises `Busy` where a link or its owner asks for too much at once."""

    def run(
        job: viewer.AnyJob, pieces: Iterable[bytes], options: dict[str, Any]
    ) -> viewer.JobResult:
        def make() -> tuple[bytes, bool]:
            try:
                made = viewer.run_job(job, pieces, options)
            except viewer.ConverterBusyError:
                raise Busy from None
            return made.to_bytes(), made.failure is None

        name = viewer.job_name(job, options)
        kept = StoredPreview.obtain(document, caller_id, name, make, saves=saves)
        return viewer.JobResult.of_bytes(kept)

    return run

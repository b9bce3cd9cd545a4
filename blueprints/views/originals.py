"""A document as the viewer takes it: what is made of it is kept, and callers take turns at that."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import viewer
from models import Document, StoredPreview, current_runtime
from models.core import Busy, rfc3339, while_waiting
from models.links import TokenGrant
from models.storage.payloads import PIECE_BYTES

from .notices import asks_again

PATIENCE_SECONDS = 300  # for the memory that a conversion needs, while no request waits for it


def original_of(
    document: Document,
    grant: TokenGrant | None,
    password: str | None = None,
    *,
    saves: bool = False,
    tells: bool = False,
) -> viewer.ShownDocument:
    """`password` is that of an encrypted PDF; `saves` says that a file is made, not a view; and
    `tells` that a browser which asks again is told of a preview that is being made.
    """
    caller_id = grant.id if grant and not grant.owner_id else document.owner_id
    return viewer.ShownDocument(
        id=document.id,
        name=document.name,
        default_name=document.default_name,
        content_type=document.content_type,
        size=document.size,
        sha256=document.sha256,
        created_at=rfc3339(document.created_at),
        read=_reader(document),
        run=_job_runner(
            document, caller_id, saves=saves, tells=lambda: tells and asks_again(grant)
        ),
        named_type=viewer.type_of_name(document.name),
        password=password,
        watermark=grant.watermark if grant else "",
        converter=viewer.configured_converter(current_runtime().settings.converter)[0],
    )


def _reader(document: Document) -> Callable[[int, int], Iterable[bytes]]:
    """Reads a range of the payload; one of a single piece is opened once for all that is read."""
    if document.size > PIECE_BYTES:
        return document.read
    whole = cache(lambda: b"".join(document.read()))
    return lambda start, stop: [whole()[start:stop]]


def _job_runner(
    document: Document, caller_id: str, *, saves: bool, tells: Callable[[], bool]
) -> viewer.RunJob:
    """Returns a function that raises `Busy` where a link or its owner asks for too much at once;
    and if it `tells` of it, `BeingMadeError` for a conversion, and for what another request makes.
    """

    def run(
        job: viewer.AnyJob, pieces: Iterable[bytes], options: dict[str, Any]
    ) -> viewer.JobResult:
        name = viewer.job_name(job, options)
        asks_again = tells()
        waits, patient = True, job
        if isinstance(job, viewer.Conversion) and asks_again:
            waits, patient = False, replace(job, wait_seconds=PATIENCE_SECONDS)

        def make() -> tuple[bytes, bool]:
            try:
                with while_waiting():
                    made = viewer.run_job(patient, pieces, options)
            except viewer.ConverterBusyError:
                raise Busy from None
            return made.to_bytes(), made.failure is None and "watermark" not in options

        kept = StoredPreview.obtain(
            document, caller_id, name, make, saves=saves, waits=waits, asks_again=asks_again
        )
        if kept.data is not None:
            return viewer.JobResult.of_bytes(kept.data)
        return viewer.JobResult.of_kept(kept.size, kept.read)

    return run


Document.has_pages = lambda document: original_of(document, None).has_pages
Document.usual_extension = lambda document: viewer.usual_extension(document.media_type)

"""A document as the viewer shows it: its bytes, and the results of the viewer's jobs with them.

Such a result is a preview. It is made once for all who ask for it, and kept (`stored_preview.py`).
Few are made at once (`runtime/previews.py`).
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum, auto
from functools import cached_property, partial
from typing import Any

import viewer

from ..core import Busy, Payer, current_payer, rfc3339, will_wait
from ..runtime import BeingMadeError, Progress, current_runtime
from ..storage.payloads import PIECE_BYTES
from .document import Document
from .stored_preview import StoredPreview

# to wait for a conversion's memory, while no request waits for the conversion
PATIENCE_SECONDS = 300
# for which failures and pages marked for one reader are kept
BRIEFLY_KEPT_MS = 60 * 60 * 1000
# until a conversion is tried again that took too long
UNTIL_NEXT_TRY_MS = 2 * 60 * 1000


class Client(Enum):
    """What a client wants, and what it does while a preview is made."""

    WAITS = auto()  # for a view
    ASKS_AGAIN = auto()  # for a view: it is told of a preview that takes long
    SAVES = auto()  # waits for a file, which takes no slot of a view


def shown_document(
    document: Document,
    client: Client = Client.WAITS,
    *,
    password: str | None = None,
    watermark: str = "",
    as_pages: bool = False,
    payer: Payer | None = None,
) -> viewer.ShownDocument:
    """Return the document as the viewer takes it.

    `password` is that of an encrypted PDF; `as_pages` shows a workbook as pages. What is made of
    the document counts for `payer`; without one for that of the request, which has to go on.
    """
    source = Source(document, client, payer or current_payer.get())
    return viewer.ShownDocument(
        id=document.id,
        name=document.name,
        default_name=document.default_name,
        content_type=document.content_type,
        size=document.size,
        sha256=document.sha256,
        created_at=rfc3339(document.created_at),
        read=source.read,
        run=source.run,
        named_type=viewer.type_of_name(document.name),
        password=password,
        watermark=watermark,
        converter=viewer.configured_converter(current_runtime().settings.converter)[0],
        as_pages=as_pages,
    )


class Source:
    """The bytes of a document, and its previews, for one client, in the request and behind it."""

    def __init__(self, document: Document, client: Client, payer: Payer) -> None:
        self._document = document
        self._client = client
        self._payer = payer

    def read(self, start: int, stop: int) -> Iterable[bytes]:
        """Return the bytes from `start` to before `stop`.

        A payload of a single piece is opened once for all ranges.
        """
        if self._document.size > PIECE_BYTES:
            return self._document.read(start, stop)
        return [self._only_piece[start:stop]]

    @cached_property
    def _only_piece(self) -> bytes:
        return b"".join(self._document.read())

    def run(
        self, job: viewer.AnyJob, pieces: Iterable[bytes], options: dict[str, Any]
    ) -> viewer.JobResult:
        """Return what the job has made of the document: before, or now.

        Raise `Busy` if a link or its owner asks for too much at once. Raise `BeingMadeError` to a
        client that asks again: for a conversion, and for a preview that another request makes.
        """
        id = StoredPreview.id_of(self._document, viewer.job_name(job, options))
        kept = StoredPreview.kept(self._document, id)
        if kept is not None:
            return kept
        if self._client is Client.ASKS_AGAIN and isinstance(job, viewer.Conversion):
            patient = replace(job, wait_seconds=PATIENCE_SECONDS)
            self._begin_beside_requests(id, partial(self._make, id, patient, pieces, options))
        return self._make_in_turn(id, partial(self._make, id, job, pieces, options))

    def _begin_beside_requests(self, id: str, make: Callable[[], object]) -> None:
        """Have the preview made beside the requests, and raise `BeingMadeError`.

        Return if it was made so a moment ago, and could not be kept.
        """
        beside_requests = current_runtime().beside_requests
        progress = beside_requests.begin(id, self._payer, make)
        if progress is not None:
            raise BeingMadeError(progress)

    def _make_in_turn(self, id: str, make: Callable[[], viewer.JobResult]) -> viewer.JobResult:
        """Make the preview in a slot, unless another request makes it before."""
        queue = current_runtime().preview_queue
        saves = self._client is Client.SAVES
        try:
            with queue.turn(id, self._payer, saves=saves):
                kept = StoredPreview.kept(self._document, id)
                return make() if kept is None else kept
        except Busy:
            made = self._made_by_other(id)
            if made is None:
                raise
            return made

    def _made_by_other(self, id: str) -> viewer.JobResult | None:
        """Return the preview if another request makes it, and ends in time; else None.

        Raise `BeingMadeError` to a client that asks again, if the other request goes on.
        """
        queue = current_runtime().preview_queue
        seconds = queue.seconds_in_making(id)
        if seconds is not None:
            queue.await_other(id)
        # after the question above: the other request keeps the preview before it leaves the queue
        kept = StoredPreview.kept(self._document, id)
        if kept is None and seconds is not None and self._client is Client.ASKS_AGAIN:
            raise BeingMadeError(Progress(seconds, before=0)) from None
        return kept

    def _make(
        self, id: str, job: viewer.AnyJob, pieces: Iterable[bytes], options: dict[str, Any]
    ) -> viewer.JobResult:
        """Run the job, and keep its result."""
        will_wait()
        try:
            made = job.run(pieces, options)
        except viewer.ConverterBusyError:
            raise Busy from None
        kept_ms = _kept_ms(made, is_marked="watermark" in options)
        return StoredPreview.keep(self._document, id, made, kept_ms)


def _kept_ms(made: viewer.JobResult, *, is_marked: bool) -> int | None:
    """Return for how many milliseconds a result is kept; None if it is kept for long."""
    if made.may_go_well_later:
        return UNTIL_NEXT_TRY_MS
    return BRIEFLY_KEPT_MS if made.failure or is_marked else None

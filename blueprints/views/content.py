"""The original: as the viewer takes it, and its bytes over HTTP, whole or in ranges.

Conditional requests and ranges are those of RFC 9110, sections 13 and 14. Previews of the viewer
are kept, and callers take turns at making them.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

from flask import Response, request
from werkzeug.http import parse_range_header, quote_etag, unquote_etag

import viewer
from models import Document, StoredPreview, current_runtime
from models.core import Busy, ScopeMissing, ServiceError, counted, rfc3339, will_wait
from models.links import TokenGrant
from models.storage.payloads import PIECE_BYTES

from .lasting import while_it_lasts
from .notices import asks_again
from .prompt import VIEW_ONLY, require_open

UNKNOWN_TYPE = "application/octet-stream"
_NOTHING_OF_THE_END = re.compile(r"bytes\s*=\s*-0+", re.IGNORECASE)  # the last 0 bytes
POLICY = "default-src 'none'; sandbox"
# to wait for a conversion's memory, while no request waits for the conversion
PATIENCE_SECONDS = 300
# for which failures and pages marked for one reader are kept
BRIEFLY_KEPT_MS = 60 * 60 * 1000
# until a conversion is tried again that took too long
UNTIL_NEXT_TRY_MS = 2 * 60 * 1000


def original_of(
    document: Document,
    grant: TokenGrant,
    password: str | None = None,
    *,
    saves: bool = False,
    tells: bool = False,
    as_pages: bool = False,
) -> viewer.ShownDocument:
    """Return the document as the viewer takes it.

    `password` is that of an encrypted PDF. `saves` says that a file is made, not a view; `tells`,
    that a browser which asks again is told of a preview that is being made; `as_pages`, that a
    workbook is shown as pages.
    """
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
            document, grant.payer_id, saves=saves, tells=lambda: tells and asks_again(grant)
        ),
        named_type=viewer.type_of_name(document.name),
        password=password,
        watermark=grant.watermark,
        converter=viewer.configured_converter(current_runtime().settings.converter)[0],
        as_pages=as_pages,
    )


def _reader(document: Document) -> Callable[[int, int], Iterable[bytes]]:
    """Return a function that reads a range of the payload.

    A payload of a single piece is opened once for all ranges.
    """
    if document.size > PIECE_BYTES:
        return document.read
    whole = cache(lambda: b"".join(document.read()))
    return lambda start, stop: [whole()[start:stop]]


def _job_runner(
    document: Document, payer_id: str, *, saves: bool, tells: Callable[[], bool]
) -> viewer.RunJob:
    """Return a function that runs a job of the viewer, or takes its kept result.

    The function raises `Busy` if a link or its owner asks for too much at once. If `tells` returns
    True, it raises `BeingMadeError` for a conversion, and for a preview that another request makes.
    """

    def run(
        job: viewer.AnyJob, pieces: Iterable[bytes], options: dict[str, Any]
    ) -> viewer.JobResult:
        name = viewer.job_name(job, options)
        asks_again = tells()
        waits, patient = True, job
        if isinstance(job, viewer.Conversion) and asks_again:
            waits, patient = False, replace(job, wait_seconds=PATIENCE_SECONDS)

        def make() -> tuple[bytes, int | None]:
            try:
                will_wait()
                made = viewer.run_job(patient, pieces, options)
            except viewer.ConverterBusyError:
                raise Busy from None
            return made.to_bytes(), _kept_ms(made, is_marked="watermark" in options)

        kept = StoredPreview.obtain(
            document, payer_id, name, make, saves=saves, waits=waits, asks_again=asks_again
        )
        if kept.data is not None:
            return viewer.JobResult.of_bytes(kept.data)
        return viewer.JobResult.of_kept(kept.size, kept.read)

    return run


def _kept_ms(made: viewer.JobResult, *, is_marked: bool) -> int | None:
    """Return for how many milliseconds a result is kept; None if it is kept for long."""
    if made.may_go_well_later:
        return UNTIL_NEXT_TRY_MS
    return BRIEFLY_KEPT_MS if made.failure or is_marked else None


Document.has_pages = lambda document: (
    original_of(document, TokenGrant.of_owner(document.owner_id)).has_pages
)
Document.usual_extension = lambda document: viewer.usual_extension(document.media_type)


class PreconditionFailed(ServiceError):
    code = "precondition_failed"
    sentence = "What you name in If-Match is not there any more. Send the call without it."


class RangeNotSatisfiable(ServiceError):
    code = "range_not_satisfiable"

    def __init__(self, size: int) -> None:
        self.headers = {"Content-Range": f"bytes */{size}"}
        super().__init__(f"The document has {counted(size, 'byte')}; the range names none of them.")


def read(document: Document, grant: TokenGrant) -> Response:
    """Return the content, recorded as a download if it is whole.

    Raise `ScopeMissing` for a link that asks for something: only a page that the link opened loads
    the content.
    """
    require_open(grant, counts=True)
    if grant.counts_views:
        return _read_counted(document, grant)
    response = content_of(document, grant)
    if request.method == "GET" and response.content_length == document.size:
        document.record_read("document.downloaded")
    return response


def read_by_page(document: Document, grant: TokenGrant) -> Response:
    """Return the content for a page that was opened; no view is counted.

    All reads by one ticket are recorded as one download, however little each reads: otherwise a
    range that leaves out one byte would take the content unseen. Raise `ScopeMissing` for a page
    that shows something else than the original.
    """
    in_collection = grant.collection_id and original_of(document, grant).shows_original
    if not (grant.opens_original or in_collection):
        raise ScopeMissing(VIEW_ONLY)
    response = content_of(document, grant)
    if request.method == "GET" and response.status_code != 304:
        ticket = request.args.get("ticket") or request.form["ticket"]
        if current_runtime().reads_by_ticket.try_spend(ticket + document.id):
            document.record_read("document.downloaded")
    return response


def _read_counted(document: Document, grant: TokenGrant) -> Response:
    """Return the content by a link that counts its views: every GET counts as one, but those that
    go on with the transfer of a view.

    The headers of 304 and 416 name the document as well, so these count, too. HEAD says nothing of
    the document.
    """
    if request.method == "HEAD":
        headers = {"Content-Security-Policy": POLICY}
        # without Content-Length
        return Response(iter(()), headers=headers, content_type=UNKNOWN_TYPE)
    if grant.goes_on_with_view_of(document):
        return content_of(document, grant, grant.view_tag)
    try:
        response = content_of(document, grant, grant.new_view_tag(document))
    except RangeNotSatisfiable:
        grant.count_view(document, "document.downloaded")
        raise
    grant.count_view(document, "document.downloaded")
    return response


def content_of(document: Document, grant: TokenGrant, tag: str | None = None) -> Response:
    """Return all of the content, a range of it, or 304, by RFC 9110, section 13.2.2.

    The entity tag is the document's id unless a `tag` is given: the content of an id never changes.
    It has no date of modification, so conditions by date do not apply.

    Raise `PreconditionFailed`, `RangeNotSatisfiable`. Damage at the beginning of the content is an
    error.
    """
    tag = tag or document.id
    if "If-Match" in request.headers and not request.if_match.contains(tag):
        raise PreconditionFailed
    if request.if_none_match.contains_weak(tag):
        return Response(status=304, headers=_cached_headers(tag))
    headers = _headers(document, tag, inline="save" not in request.args)
    asked_range = _range(document, tag) if request.method == "GET" else None
    start, stop = asked_range or (0, document.size)
    if asked_range:
        headers.append(("Content-Range", f"bytes {start}-{stop - 1}/{document.size}"))
    headers.insert(0, ("Content-Length", str(stop - start)))  # first, as it is often looked up
    pieces = document.read(start, stop)
    first = next(pieces, b"")  # decrypt it now
    body = chain([first], while_it_lasts(pieces, grant))
    status = 206 if asked_range else 200
    return Response(body, status, headers, direct_passthrough=True)


def _headers(document: Document, tag: str, *, inline: bool) -> list[tuple[str, str]]:
    inline = inline and viewer.is_shown_inline(document.media_type)
    return [
        ("Content-Type", document.content_type),
        ("Content-Disposition", viewer.content_disposition(document.name, inline=inline)),
        ("Accept-Ranges", "bytes"),
        *_cached_headers(tag),
    ]


def _cached_headers(tag: str) -> list[tuple[str, str]]:
    """Return the headers that a cache updates by a 304 (RFC 9110, section 15.4.5)."""
    return [
        ("ETag", quote_etag(tag)),
        ("Content-Security-Policy", POLICY),
        ("Cross-Origin-Resource-Policy", "cross-origin"),  # a sandboxed page has no origin
        ("Cache-Control", "private, no-cache"),
    ]


def _range(document: Document, tag: str) -> tuple[int, int] | None:
    """Return start and stop of a satisfiable range (RFC 9110, section 14.1.2).

    Several ranges, an unknown unit, and all ranges of a content that the client does not know, are
    ignored. Raise `RangeNotSatisfiable`.
    """
    asked = request.headers.get("Range")
    if asked is None or not _is_current(tag):
        return None
    if _NOTHING_OF_THE_END.fullmatch(asked):
        raise RangeNotSatisfiable(document.size)
    ranges = parse_range_header(asked)
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) != 1:
        return None
    first, end = ranges.ranges[0]
    if first < 0 and document.size == 0:
        return None  # satisfiable, but `Content-Range` cannot name an empty range
    start = max(document.size + first, 0) if first < 0 else first
    if start >= document.size:
        raise RangeNotSatisfiable(document.size)
    return start, min(document.size if end is None else end, document.size)


def _is_current(tag: str) -> bool:
    """Return whether the client knows the content that a range would be part of (`If-Range`)."""
    validator = request.headers.get("If-Range")
    return validator is None or unquote_etag(validator) == (tag, False)

"""The original over HTTP, whole or in ranges.

Conditional requests and ranges are those of RFC 9110, sections 13 and 14.
"""

import re
from itertools import chain

from flask import Request, request
from werkzeug.http import parse_range_header, quote_etag, unquote_etag

import viewer
from models import Document, current_runtime
from models.core import ScopeMissing, ServiceError, counted
from models.links import TokenGrant

from ..http.caller import request_and_globals
from ..http.responding import Response
from .lasting import while_it_lasts
from .prompt import VIEW_ONLY, require_open

UNKNOWN_TYPE = "application/octet-stream"
_NOTHING_OF_THE_END = re.compile(r"bytes\s*=\s*-0+", re.IGNORECASE)  # the last 0 bytes
_SAFE_METHODS = {"GET", "HEAD"}
POLICY = "default-src 'none'; sandbox"


class PreconditionFailed(ServiceError):
    code = "precondition_failed"
    sentence = "What you name in If-Match is not there any more. Send the call without it."


def require_met_conditions(changing: Request) -> None:
    """Raise `PreconditionFailed` for a change under a condition that is not met.

    What a request changes is there and has no entity tag: so `If-Match` is met by `*` alone, and
    `If-None-Match` by everything else (RFC 9110, sections 13.1.1 and 13.1.2).
    """
    if changing.url_rule is None or changing.method in _SAFE_METHODS:
        return
    names_tags = "If-Match" in changing.headers and not changing.if_match.star_tag
    if names_tags or changing.if_none_match.star_tag:
        raise PreconditionFailed


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
        document.record_reading("document.downloaded")
    return response


def read_by_page(document: Document, grant: TokenGrant) -> Response:
    """Return the content for a page that was opened; no view is counted.

    All reads by one ticket are recorded as one download, however little each reads: otherwise a
    range that leaves out one byte would take the content unseen. Raise `ScopeMissing` for a page
    that shows something else than the original.
    """
    in_collection = grant.collection_id and grant.shown(document).shows_original
    if not (grant.opens_original or in_collection):
        raise ScopeMissing(VIEW_ONLY)
    response = content_of(document, grant)
    if request.method == "GET" and response.status_code != 304:
        ticket = request.args.get("ticket") or request.form["ticket"]
        if current_runtime().reads_by_ticket.try_spend(ticket + document.id):
            document.record_reading("document.downloaded")
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


def content_of(
    document: Document, grant: TokenGrant, tag: str | None = None, *, saves: bool = False
) -> Response:
    """Return all of the content, a range of it, or 304, by RFC 9110, section 13.2.2.

    A browser saves it, and does not show it, if the caller or the address says so. The entity tag
    is the document's id unless a `tag` is given: the content of an id never changes. It has no date
    of modification, so conditions by date do not apply.

    Raise `PreconditionFailed`, `RangeNotSatisfiable`. Damage at the beginning of the content is an
    error.
    """
    tag = tag or document.id
    reading, _ = request_and_globals()
    if "If-Match" in reading.headers and not reading.if_match.contains(tag):
        raise PreconditionFailed
    if reading.method in _SAFE_METHODS and reading.if_none_match.contains_weak(tag):
        return Response(status=304, headers=_cached_headers(tag))
    headers = _headers(document, tag, inline=not (saves or "save" in reading.args))
    asked_range = _range(reading, document, tag) if reading.method == "GET" else None
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


def _range(reading: Request, document: Document, tag: str) -> tuple[int, int] | None:
    """Return start and stop of a satisfiable range (RFC 9110, section 14.1.2).

    Several ranges, an unknown unit, and all ranges of a content that the client does not know, are
    ignored. Raise `RangeNotSatisfiable`.
    """
    asked = reading.headers.get("Range")
    if asked is None or not _is_current(reading, tag):
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


def _is_current(reading: Request, tag: str) -> bool:
    """Return whether the client knows the content that a range would be part of (`If-Range`)."""
    validator = reading.headers.get("If-Range")
    return validator is None or unquote_etag(validator) == (tag, False)

"""The original's bytes over HTTP: conditional requests and ranges (RFC 9110, 13 and 14)."""

from itertools import chain

from flask import Response, request
from werkzeug.datastructures import Headers
from werkzeug.http import parse_range_header, quote_etag, unquote_etag

import viewer
from models import Document, current_runtime
from models.core import ScopeMissing, ServiceError
from models.links import TokenGrant

from .originals import original_of

UNKNOWN_TYPE = "application/octet-stream"
POLICY = "default-src 'none'; sandbox"


class RangeNotSatisfiable(ServiceError):
    code = "range_not_satisfiable"

    def __init__(self, size: int) -> None:
        self.headers = {"Content-Range": f"bytes */{size}"}
        super().__init__(f"The document has {size} bytes; the range begins behind them.")


def read(document: Document, grant: TokenGrant | None) -> Response:
    """The content, recorded as a download if it is all of it.

    Raises `ScopeMissing` for a link that asks for something: only a page it opened loads the
    content.
    """
    if grant and grant.asks_first:
        raise ScopeMissing("This link asks for something first. Open its view.")
    if grant and grant.has_view_limit:
        return _read_counted(document, grant)
    response = content_of(document)
    if request.method == "GET" and response.content_length == document.size:
        document.record_read("document.downloaded")
    return response


def read_by_page(document: Document, grant: TokenGrant) -> Response:
    """The content for a page that was opened: no view, and one download for all that its ticket
    loads of it, however little: a range that leaves out a byte is no way to take it unseen.

    Raises `ScopeMissing` for a page that shows something else than the original.
    """
    in_collection = grant.collection_id and original_of(document, grant).shows_original
    if not (grant.opens_original or in_collection):
        raise ScopeMissing("This link permits to view the document, not to save it.")
    response = content_of(document)
    if request.method == "GET" and response.status_code != 304:
        ticket = request.args.get("ticket") or request.form["ticket"]
        if current_runtime().original_loads.is_first(ticket + document.id):
            document.record_read("document.downloaded")
    return response


def _read_counted(document: Document, grant: TokenGrant) -> Response:
    """By a link with a view limit: every GET counts, and HEAD says nothing of the document.

    The headers of 304 and 416 name it as well, so these count, too.
    """
    if request.method == "HEAD":
        headers = {"Content-Security-Policy": POLICY}
        return Response(iter(()), headers=headers, content_type=UNKNOWN_TYPE)  # without length
    try:
        response = content_of(document)
    except RangeNotSatisfiable:
        grant.count_view(document, "document.downloaded")
        raise
    grant.count_view(document, "document.downloaded")
    return response


def content_of(document: Document) -> Response:
    """All of the content, a range of it, or 304. What is damaged at its beginning is an error."""
    headers = _headers(document, inline="save" not in request.args)
    if request.if_none_match.contains_weak(document.id):
        return Response(status=304, headers=headers)
    asked_range = _range(document, request.headers)
    start, stop = asked_range or (0, document.size)
    if asked_range:
        headers.append(("Content-Range", f"bytes {start}-{stop - 1}/{document.size}"))
    headers.insert(0, ("Content-Length", str(stop - start)))  # looked for again and again
    pieces = document.read(start, stop)
    body = chain([next(pieces, b"")], pieces)  # the first is decrypted now
    status = 206 if asked_range else 200
    return Response(body, status, headers, direct_passthrough=True)


def _headers(document: Document, *, inline: bool) -> list[tuple[str, str]]:
    inline = inline and viewer.is_shown_inline(document.media_type)
    return [
        ("Content-Type", document.content_type),
        ("Content-Disposition", viewer.content_disposition(document.name, inline=inline)),
        ("ETag", quote_etag(document.id)),  # the content of an id never changes
        ("Accept-Ranges", "bytes"),
        ("Content-Security-Policy", POLICY),
        ("Cross-Origin-Resource-Policy", "cross-origin"),  # a sandboxed page has no origin
        ("Cache-Control", "private, no-cache"),
    ]


def _range(document: Document, headers: Headers) -> tuple[int, int] | None:
    """Start and stop of a satisfiable range. Several ranges, or an unknown unit, are ignored."""
    ranges = parse_range_header(headers.get("Range"))
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) != 1:
        return None
    if not _is_current(document, headers):
        return None
    first, end = ranges.ranges[0]
    start = max(document.size + first, 0) if first < 0 else first
    if start >= document.size:
        raise RangeNotSatisfiable(document.size)
    return start, min(document.size if end is None else end, document.size)


def _is_current(document: Document, headers: Headers) -> bool:
    """`If-Range`: whether the client knows the content that a range would be part of."""
    validator = headers.get("If-Range")
    return validator is None or unquote_etag(validator) == (document.id, False)

"""The original's bytes over HTTP: conditional requests and ranges (RFC 9110, 13 and 14)."""

from collections.abc import Iterator
from itertools import chain

from flask import Response, request
from werkzeug.datastructures import Headers
from werkzeug.http import parse_range_header, quote_etag, unquote_etag

import viewer
from models import Document
from models.errors import ServiceError

POLICY = "default-src 'none'; sandbox"


class RangeNotSatisfiable(ServiceError):
    code = "range_not_satisfiable"

    def __init__(self, size: int) -> None:
        self.headers = {"Content-Range": f"bytes */{size}"}
        super().__init__(f"The document has {size} bytes; the range begins behind them.")


def content_of(document: Document) -> Response:
    """All of it, a range of it, or 304."""
    headers = _headers(document)
    if request.if_none_match.contains_weak(document.id):
        return Response(status=304, headers=headers)
    asked = _range(document)
    start, stop = asked or (0, document.size)
    if asked:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{document.size}"
    headers["Content-Length"] = str(stop - start)
    return Response(read_first_piece(document.read(start, stop)), 206 if asked else 200, headers)


def read_first_piece(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same pieces, the first one opened already: damage there is still an error's status."""
    return chain([next(pieces, b"")], pieces)


def _headers(document: Document) -> Headers:
    inline = viewer.is_shown_inline(document.media_type) and "save" not in request.args
    return Headers(
        {
            "Content-Type": document.content_type,
            "Content-Disposition": viewer.disposition(document.name, inline=inline),
            "ETag": quote_etag(document.id),  # what an id stands for never changes
            "Accept-Ranges": "bytes",
            "Content-Security-Policy": POLICY,
            "Cross-Origin-Resource-Policy": "cross-origin",  # a sandboxed page has no origin
            "Cache-Control": "private, no-cache",
        }
    )


def _range(document: Document) -> tuple[int, int] | None:
    """What one satisfiable range asks for. Several ranges, or an unknown unit, are passed over."""
    asked = parse_range_header(request.headers.get("Range"))
    if asked is None or asked.units != "bytes" or len(asked.ranges) != 1:
        return None
    if not _is_current(document):
        return None
    first, end = asked.ranges[0]
    start = max(document.size + first, 0) if first < 0 else first
    if start >= document.size:
        raise RangeNotSatisfiable(document.size)
    return start, min(document.size if end is None else end, document.size)


def _is_current(document: Document) -> bool:
    """`If-Range`: a range of what the client knows, or all of what there is now."""
    validator = request.headers.get("If-Range")
    return validator is None or unquote_etag(validator) == (document.id, False)

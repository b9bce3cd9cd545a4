"""Requests, read strictly: what two readers could take for two different things is refused.

Where a proxy and this service disagree on where a request ends, somebody's bytes become another's
request. So there is one Host, one way of telling a body's length, one kind of line end.
"""

import re
from typing import Any

from waitress.parser import (
    HTTPRequestParser,
    ParsingError,
    TransferEncodingNotImplemented,
)
from waitress.utilities import BadRequest, Error

from .body_spool import BodyBuffer
from .chunked import Chunks

UNCLEAR = "This is not HTTP/1.1 as RFC 9112 has it, or it could be read in two ways."
_REQUEST_LINE = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Z]+ (?:/|https?://[^/])[!\"$-~]* HTTP/1\.[01]")
_CHUNKED = re.compile(rb"[ \t]*chunked[ \t]*", re.I)
_HOST = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?")


class NoRoom(Error):
    code, reason = 503, "Service Unavailable"


class Parser(HTTPRequestParser):
    body_rcv: Any
    error: Any
    expect_continue: bool
    request_uri: str
    path: str

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        begun = b"" if self.headers_finished else self.header_plus
        if begun.count(b"\n") != begun.count(b"\r\n"):  # such a head may never end
            self.error, self.completed = BadRequest(UNCLEAR), True
        if self.completed and self.body_rcv is not None and self.body_rcv.getbuf().found_no_room:
            self.error = NoRoom("Too many long bodies are coming in at once. Send this again.")
        if self.error is not None:
            self.expect_continue = False  # waitress would go on waiting for the body
        return consumed

    def body_bytes_expected(self) -> int:
        """How many of the bytes to come are surely of this body, or of its present chunk."""
        return 0 if self.body_rcv is None else self.body_rcv.remain

    def parse_header(self, header_plus: bytes) -> None:
        self._refuse_unclear(header_plus)
        try:
            super().parse_header(header_plus)
        except (ParsingError, TransferEncodingNotImplemented, ValueError):
            raise ParsingError(UNCLEAR) from None  # waitress quotes the header
        self._settle_connection()
        self._settle_target()
        self._settle_body()

    def _refuse_unclear(self, head: bytes) -> None:
        request_line, *fields = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
        names = [field.partition(b":")[0].lower() for field in fields]
        hosts, lengths = names.count(b"host"), names.count(b"content-length")
        encodings = [field for field in fields if field[:18].lower() == b"transfer-encoding:"]
        if (
            not _REQUEST_LINE.fullmatch(request_line)
            or any(field[:1] in (b" ", b"\t") for field in fields)
            or len(fields) > self.adj.limits.head_lines
            or hosts > 1
            or (hosts == 0 and request_line.endswith(b"1.1"))
            or len(encodings) + lengths > 1
            or (encodings and request_line.endswith(b"1.0"))
            or not all(_CHUNKED.fullmatch(field[18:]) for field in encodings)
        ):
            raise ParsingError(UNCLEAR)

    def _settle_connection(self) -> None:
        told = {one.strip(" \t") for one in self.headers.get("CONNECTION", "").lower().split(",")}
        lives_on = self.version == "1.1" or "keep-alive" in told
        self.connection_close = "close" in told or not lives_on

    def _settle_target(self) -> None:
        """One name for the host; the path as it would be without an authority before it."""
        netloc = self.proxy_netloc
        host = self.headers.setdefault("HOST", netloc) if netloc else self.headers.get("HOST")
        if host is None:
            return
        if not _HOST.fullmatch(host) or netloc.lower() not in ("", host.lower()):
            raise ParsingError(UNCLEAR)
        if netloc:
            rest = self.request_uri.partition("://")[2].removeprefix(netloc)
            self.request_uri = rest if rest.startswith("/") else "/" + rest
            self.path = self.path or "/"

    def _settle_body(self) -> None:
        limits = self.adj.limits
        shown = {"AUTHORIZATION", "X_API_KEY"} & self.headers.keys()
        limit = limits.body_bytes if shown else limits.small_body_bytes
        if self.chunked:
            self.body_rcv = Chunks(BodyBuffer(limit, limit, self.adj.room))
        elif self.body_rcv is None:
            self.expect_continue = False
        elif self.expect_continue and self.content_length > limit:
            self.body_rcv, self.expect_continue = None, False  # answered before it is sent
            self.connection_close = True
        else:
            self.body_rcv.buf = BodyBuffer(limit, self.content_length, self.adj.room)

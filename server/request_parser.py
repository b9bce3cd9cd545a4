"""A strict request parser: a request that two parsers could understand differently is rejected.

Where a proxy and this server disagree on the end of a request, one client's bytes become part of
another's request (request smuggling). So a request has one Host header, one indication of the
body's length, and CRLF line ends only.
"""

import re
import sys
from ipaddress import IPv6Address
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import BadRequest

from .body import BodyBuffer, ChunkedReceiver
from .context import UNHURRIED, Admission, Context
from .step import Step

AMBIGUOUS = "This is not HTTP/1.1 as RFC 9112 has it, or it could be read in two ways."
_REQUEST_LINE = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Z]+ (?:/|https?://[^/])[!\"$-~]* HTTP/1\.[01]")
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*(?:\r\n|\Z)")
_FOLDED = re.compile(rb"\r\n[ \t]")
_PATH = re.compile(rb"\s*+[^ \r\n]+ (?:https?://[^/?# \r\n]*)?([^?# \r\n]*)")
_HOST = re.compile(
    r"(?:(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?|\[(?P<ipv6>[0-9A-Fa-f:.]+)\])"
    r"(?::(?P<port>[0-9]{0,5}))?"
)
MAX_PORT = 65535


class ServiceUnavailable(BadRequest):
    code = 503


class RequestParser(HTTPRequestParser):
    """The parser of one request. After the response to the last one, `is_last`, the connection is
    closed.

    If the body `is_stepped`, the request is served for each `step` of it, then receives further.
    If the server `has_refused_body`, nothing of it is received, and the application says why.
    """

    body_rcv: Any
    error: Any
    is_last = awaits_continue = is_stepped = has_refused_body = False
    step: Step | None = None  # that has come and is to be served
    command = path = query = request_uri = ""

    def __init__(self, context: Context) -> None:
        super().__init__(context.parser_options)
        self._context, self._limits = context, context.limits
        self.admission: Admission = UNHURRIED
        self._before_step = 0  # bytes of the body

    def received(self, data: bytes) -> int:
        begun = self.header_plus
        consumed: int = super().received(data)
        head = b"" if self.headers_finished else self.header_plus
        if head.count(b"\n") != head.count(b"\r\n"):  # waitress might wait for its end forever
            self.error, self.completed = BadRequest(AMBIGUOUS), True
        is_due = self.completed or self.is_stepped
        if is_due and self.body_rcv is not None and self.body_rcv.buf.is_over_budget:
            sentence = "Too many long bodies are coming in at once. Send this again."
            self.error, self.completed = ServiceUnavailable(sentence), True
        if self.error and self.body_rcv is None:
            self.path = _path_in(begun + data)
        if self.is_stepped and not self.error:
            self._look_for_step()
        return consumed

    def close(self) -> None:
        if self.body_rcv is not None:
            self.body_rcv.buf.close()

    def go_on(self) -> None:
        """Receive the next step; the former one was served."""
        self._before_step += len(self.body_rcv.buf)
        self.body_rcv.buf.clear()
        self.step = None

    def wait(self) -> None:
        """Free the memory that is not needed while nothing comes."""
        if self.is_stepped:
            self.body_rcv.buf.free_unused()

    def cut(self) -> bool:
        """End the body where it is; return whether a step of it is to be served."""
        has_begun = self.is_stepped and (self._before_step or len(self.body_rcv.buf))
        if has_begun:
            self.step = self._next_step(is_cut=True)
        return bool(has_begun)

    def has_many_steps(self) -> bool:
        """Return whether the body does not fit into one step, or is of unknown length."""
        return self.is_stepped and (self.chunked or self.content_length > self._limits.step_bytes)

    def _look_for_step(self) -> None:
        """Make a step of what has come if it is enough, or the last; sooner of what gives way."""
        length = len(self.body_rcv.buf)
        may_give_way = length > 0 and not self.completed
        gives_way = may_give_way and self.admission.gives_way(self._before_step + length)
        if self.completed or gives_way or not self._step_room():
            self.step = self._next_step(is_last=self.completed, gives_way=gives_way)

    def _next_step(
        self, *, is_last: bool = False, is_cut: bool = False, gives_way: bool = False
    ) -> Step:
        return Step(
            start=self._before_step,
            length=len(self.body_rcv.buf),
            body_length=None if self.chunked else self.content_length,
            is_last=is_last,
            is_cut=is_cut,
            gives_way=gives_way,
            shared=self._shared,
        )

    def _step_room(self) -> int:
        return max(0, self._limits.step_bytes - len(self.body_rcv.buf))

    def needs_no_worker(self) -> bool:
        """Return whether the application answers this request without waiting for anything."""
        return not self.error and self._context.needs_no_worker(self.path, self.query, self.headers)

    def body_bytes_expected(self) -> int:
        """Return how many more bytes certainly belong to this body, or to its step or chunk."""
        if self.body_rcv is None or self.step is not None:
            return 0
        remaining: int = self.body_rcv.remain
        return min(remaining, self._step_room()) if self.is_stepped else remaining

    def parse_header(self, header_plus: bytes) -> None:
        self._reject_ambiguous(header_plus)
        try:
            super().parse_header(header_plus)
        except (ParsingError, ValueError):
            raise ParsingError(AMBIGUOUS) from None  # waitress quotes the header
        self._set_is_last()
        self._normalize_target()
        self._prepare_body()

    def _reject_ambiguous(self, head: bytes) -> None:
        request_line, line_end, rest = head.removesuffix(b"\r\n\r\n").partition(b"\r\n")
        fields = line_end + rest.lower()
        hosts, lengths = fields.count(b"\r\nhost:"), fields.count(b"\r\ncontent-length:")
        encodings = fields.count(b"\r\ntransfer-encoding:")
        if (
            not _REQUEST_LINE.fullmatch(request_line)
            or _FOLDED.search(fields)
            or fields.count(b"\r\n") > self._limits.head_lines
            or hosts > 1
            or (hosts == 0 and request_line.endswith(b"1.1"))
            or encodings + lengths > 1
            or (encodings and request_line.endswith(b"1.0"))
            or (encodings and not _CHUNKED.search(fields))
        ):
            raise ParsingError(AMBIGUOUS)

    def _set_is_last(self) -> None:
        field = self.headers.get("CONNECTION", "").lower()
        options = {option.strip(" \t") for option in field.split(",")}
        is_persistent = self.version == "1.1" or "keep-alive" in options
        self.is_last = "close" in options or not is_persistent

    def _normalize_target(self) -> None:
        """Turn an absolute request target into a path; its authority must be the Host."""
        netloc = self.proxy_netloc
        host = self.headers.setdefault("HOST", netloc) if netloc else self.headers.get("HOST")
        if host is None:
            return
        if not is_host(host) or netloc.lower() not in ("", host.lower()):
            self.body_rcv = None  # it is not received: see `_prepare_body`
            raise ParsingError(AMBIGUOUS)
        if netloc:
            rest = self.request_uri.partition("://")[2].removeprefix(netloc)
            self.request_uri = rest if rest.startswith("/") else "/" + rest
            self.path = self.path or "/"

    def _prepare_body(self) -> None:
        limits = self._limits
        expects = self.headers.get("EXPECT", "").lower()
        is_asking = expects == "100-continue" and self.version == "1.1"
        by_header = bool({"AUTHORIZATION", "X_API_KEY", "COOKIE"} & self.headers.keys())
        has_credential = by_header or bool(self.query)  # a link's stands in the query
        limit = limits.body_bytes if has_credential else limits.small_body_bytes
        expected = limit if self.chunked else self.content_length
        if self.body_rcv is None:
            return
        if has_credential and self._context.is_stepped(self.command, self.path):
            self._prepare_steps()
            limit = sys.maxsize  # a step ends with a receive, of which nothing is to be discarded
            expected = min(expected, limits.step_bytes)
        admitted: Admission | None = UNHURRIED
        if is_asking and expected > limit:
            admitted = None
        elif expected > limits.unverified_body_bytes:
            admitted = self._context.admit_long_body(self.path, self.query, self.headers)
        if admitted is None:
            self.body_rcv, self.is_last = None, True  # answered before it is received
            self.is_stepped, self.has_refused_body = False, True
        else:
            self.awaits_continue = is_asking
            budget = self._context.body_memory
            self.admission = admitted
            buffer = BodyBuffer(limit, expected, budget, admitted.end)
            self.body_rcv.buf = buffer
            if self.chunked:
                self.body_rcv = ChunkedReceiver(buffer)

    def _prepare_steps(self) -> None:
        self.is_stepped = True
        self.adj = self._context.parser_options_of_steps
        self._shared: dict[str, Any] = {}


def _path_in(head: bytes) -> str:
    """Return the path of a head that is refused, which names what the refusal has to say."""
    found = _PATH.match(head)
    return found[1].decode("latin-1") if found else ""


def is_host(text: str) -> bool:
    """Return whether links can be made with it: a name or an IP address, with or without a port."""
    found = _HOST.fullmatch(text)
    if found is None or not 0 < int(found["port"] or 80) <= MAX_PORT:
        return False
    try:
        return found["ipv6"] is None or bool(IPv6Address(found["ipv6"]))
    except ValueError:
        return False

"""Responses: of the application (PEP 3333), and the server's own errors."""

import json
import os
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from email.utils import formatdate
from functools import lru_cache
from io import BytesIO
from typing import Any

from .context import Context
from .request_parser import RequestParser
from .shares import Names

COUNTED_FROM_BYTES = 1 << 20  # of the memory that a response holds
JOINED_BYTES = 80 << 10  # a document of 64 KiB and its head are sent in one call
Fields = list[tuple[str, str]]
Confirm = Callable[[], tuple[str, Fields, Iterable[bytes]] | None]
"""Says after the sync what is sent instead of a held response, with its status; None: nothing."""
_PROBLEMS = {  # status -> title, code, detail; without one the error's own sentence
    400: ("Bad Request", "bad_request", None),
    413: ("Request Entity Too Large", "payload_too_large", "The body is far too large."),
    431: (
        "Request Header Fields Too Large",
        "request_header_fields_too_large",
        "Send a shorter address, and shorter headers.",
    ),
    503: ("Service Unavailable", "busy", None),
    500: (
        "Internal Server Error",
        "internal_error",
        "Something went wrong here. The log knows more.",
    ),
}


class ResponseSuspended(BaseException):
    """No error: the buffer is full, so the worker leaves the response for later."""


class ResponseInterrupted(BaseException):
    """No error: much was sent, so the worker serves others that wait before it goes on."""


class RequestPostponed(BaseException):
    """No error: the share of its caller is used, so the request is begun again later."""


class ClientDisconnected(Exception):
    """A client that has disconnected, or is to be: nothing more is sent."""


class SendBuffer:
    """Bytes that are not sent yet; short pieces are joined, as head and body in one packet."""

    def __init__(self, client: socket.socket, limit_bytes: int) -> None:
        self._client, self._limit_bytes = client, limit_bytes
        self._pieces: deque[bytes] = deque()
        self._length = self._sent_of_first = 0
        self.sent_bytes = 0
        self.is_ended = False  # by the client, or because of it

    def __len__(self) -> int:
        return self._length

    def write(self, data: bytes) -> None:
        """Send it, or keep it to be sent. Raises `ClientDisconnected`."""
        if self.is_ended:
            raise ClientDisconnected
        self._length += len(data)
        if self._pieces and len(self._pieces[-1]) + len(data) <= JOINED_BYTES:
            self._pieces[-1] += data
        else:
            self._pieces.append(data)
        if self._length >= JOINED_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send as much as the client takes now."""
        try:
            while self._pieces:
                self._skip(self._client.send(memoryview(self._pieces[0])[self._sent_of_first :]))
        except BlockingIOError:
            pass
        except OSError:
            self.is_ended = True

    def is_full(self) -> bool:
        return self._length > self._limit_bytes

    def is_nearly_empty(self) -> bool:
        return self._length <= self._limit_bytes // 4

    def suspend_if_full(self) -> None:
        """Raise `ResponseSuspended` if the client takes no more: backpressure."""
        if self.is_full():
            raise ResponseSuspended

    def end(self) -> None:
        """Forget all bytes that are not sent; nothing more can be sent."""
        self.is_ended = True
        self._pieces.clear()
        self._length = self._sent_of_first = 0

    def _skip(self, sent_bytes: int) -> None:
        self.sent_bytes += sent_bytes
        self._length -= sent_bytes
        self._sent_of_first += sent_bytes
        if self._sent_of_first == len(self._pieces[0]):
            self._pieces.popleft()
            self._sent_of_first = 0


class Response:
    """A response that is written. If suspended, the next `send` continues it.

    Its head delimits the body, so that the connection stays open after it unless `is_last`.

    The application finds it as `server.response` in its environment: there it names the caller of
    the request by `serve_for`, reserves the memory that the response holds by `reserve_memory`,
    has it wait for a sync by `hold`, and ends it by `break_off`.
    """

    def __init__(
        self,
        context: Context,
        to: SendBuffer,
        request: RequestParser,
        client: tuple[str, Any],
        serve_for: Callable[[Names], None],
    ) -> None:
        """Begin a response to a `client`, its address and port.

        `serve_for` may raise `RequestPostponed`.
        """
        self._context = context
        self._to = to
        self.request = request
        self._client = client
        self._serve_for = serve_for
        self._reserved_bytes = 0
        self.is_last = request.is_last
        self.has_begun = False
        self.is_held = False  # until the server has made a sync
        self.is_swallowed = False  # that of a step which others follow, or of a cut body
        self.is_streamed = False  # a held one, whose pieces are made while it is sent
        self._confirm: Confirm | None = None
        self._iterable: Any = None
        self._pieces: Iterator[bytes] = iter(())
        self._status = ""
        self._fields: Fields = []
        self._length: int | None = None
        self._has_body, self._is_chunked, self._written_bytes = True, False, 0

    def send(self) -> None:
        """Send the application's response.

        Raises `ResponseSuspended`, `ResponseInterrupted`, and whatever the application raises,
        which includes `RequestPostponed`. Sends nothing yet if the response `is_held`.
        """
        if self._iterable is None:
            environ = _environment(self.request, self._client)
            environ["server.response"] = self
            if step := self.request.step:
                environ |= {"server.step": step, "CONTENT_LENGTH": str(step.length)}
            environ["server.needs_no_worker"] = self.request.needs_no_worker()
            environ["server.has_refused_body"] = self.request.has_refused_body
            try:
                self._iterable = self._context.application(environ, self._start)
            except BaseException:
                self.is_held, self._confirm = False, None  # an error is sent in its place, at once
                self._release_memory()
                raise
            self._pieces = iter(self._iterable)
            if self.is_held:
                return
        try:
            if self._confirm is not None:
                self._confirm_held(self._confirm)
            self._write_pieces()
        except (ResponseSuspended, ResponseInterrupted):
            raise
        except BaseException:
            self.close()
            raise
        self.close()
        self._finish()

    def serve_for(self, caller: str, part: str | None = None) -> None:
        """Count a worker for the caller, and for a part of the caller, such as one of many links.

        The application calls this before it does anything that must not be done twice: if the
        caller's share of the workers is used, `RequestPostponed` is raised through it, and the
        request is begun again when a worker of that share is free.
        """
        self._serve_for((caller,) if part is None else (caller, part))

    @property
    def can_be_held(self) -> bool:
        return self._context.sync is not None

    def hold(self, confirm: Confirm, *, is_streamed: bool = False) -> None:
        """Send the response, which the application returns now, only behind a sync of the server.

        Then `confirm` is called, on any thread. Unless the response `is_streamed`, nothing that
        makes its pieces waits.
        """
        self._confirm = confirm
        self.is_streamed = is_streamed
        self.is_held = True

    def release(self) -> None:
        """Let the next `send` send the response that was held."""
        self.is_held = False

    def reserve_memory(self, size_bytes: int) -> bool:
        """Return whether the response may hold so much while it is sent, besides pieces of it."""
        wanted_bytes = size_bytes if size_bytes >= COUNTED_FROM_BYTES else 0
        is_free = self._context.response_memory.reserve(wanted_bytes)
        if is_free:
            self._reserved_bytes += wanted_bytes
        return is_free

    def is_of_cut_body(self) -> bool:
        """Return whether the client was gone before this response was begun."""
        step = self.request.step
        return step is not None and step.is_cut

    def break_off(self) -> None:
        """Break the response off while the application makes its pieces.

        The connection is closed behind what was sent, so that the client notices what is missing.
        """
        raise ClientDisconnected

    def refuse(self, status: int, detail: str = "") -> None:
        """Send problem details (RFC 9457), and nothing after them."""
        title, code, known = _PROBLEMS.get(status, _PROBLEMS[500])
        problem = {"type": "about:blank", "title": title, "status": status}
        request_id = os.urandom(8).hex()
        problem |= {"detail": known or detail, "code": code, "requestId": request_id}
        body = json.dumps(problem).encode()
        fields = [
            ("Content-Type", "application/problem+json"),
            ("Content-Length", str(len(body))),
            ("X-Request-Id", request_id),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "private, no-store"),
        ]
        fields += [("Retry-After", "5")] if status == 503 else []
        fields += self._context.fields_of_refusal(self.request.path)
        self.is_last = True
        self._start(f"{status} {title}", fields)
        self._context.on_rejected(request_id, status, len(body) if self._has_body else 0)
        self._write(body)
        self._finish()

    def close(self) -> None:
        """Close the application's iterable (PEP 3333), and free the memory that it holds."""
        self._report_early_end()
        self._close_iterable()
        self._release_memory()

    def _close_iterable(self) -> None:
        if hasattr(self._iterable, "close"):
            self._iterable.close()
        self._iterable = ()
        self._pieces = iter(())

    def _confirm_held(self, confirm: Confirm) -> None:
        """Take the response that is sent in place of the held one, if there is one."""
        self._confirm = None
        if other := confirm():
            self._close_iterable()
            status, fields, self._iterable = other
            self._start(status, fields)
            self._pieces = iter(self._iterable)

    def _report_early_end(self) -> None:
        """Report a response of which fewer bytes were written than its head has announced."""
        length = self._length
        is_open = self._iterable != ()
        if not (is_open and self.has_begun and self._has_body and length is not None):
            return
        if self._written_bytes < length:
            ids = (value for name, value in self._fields if name.lower() == "x-request-id")
            self._context.on_early_end(next(ids, "-"), self._written_bytes, length)

    def _release_memory(self) -> None:
        self._context.response_memory.release(self._reserved_bytes)
        self._reserved_bytes = 0

    def _start(self, status: str, fields: Fields, _error: Any = None) -> Callable[[bytes], None]:
        self._status, self._fields = status, fields
        lengths = (int(value) for name, value in fields if name.lower() == "content-length")
        self._length = next(lengths, None)
        self._has_body = self.request.command != "HEAD" and status[:3] not in ("204", "304")
        step = self.request.step
        if step and not step.is_last:
            self.is_swallowed = step.is_cut or status < "300"
            self._has_body = self._has_body and not self.is_swallowed
            self.is_last = not self.is_swallowed
        return self._write

    def _write_pieces(self) -> None:
        """Write the rest, until the client takes no more, or others are to be served first."""
        began_at = time.thread_time()
        for piece in self._pieces:
            if piece:
                self._write(piece)
                self._to.suspend_if_full()
            if time.thread_time() - began_at >= self._context.limits.uninterrupted_seconds:
                raise ResponseInterrupted
        if self._has_body and self._length not in (None, self._written_bytes):
            self.is_last = True

    def _write(self, data: bytes) -> None:
        if not (self.has_begun or self.is_swallowed):
            self._to.write(self._head())
            self.has_begun = True
        if not data or not self._has_body:
            return
        if self._is_chunked:
            data = b"%X\r\n%b\r\n" % (len(data), data)
        elif self._length is not None:
            data = data[: self._length - self._written_bytes]
            self._written_bytes += len(data)
        self._to.write(data)

    def _head(self) -> bytes:
        is_http_1_1 = self.request.version == "1.1"
        has_no_length = self._has_body and self._length is None
        self._is_chunked = has_no_length and is_http_1_1
        self.is_last = self.is_last or (has_no_length and not self._is_chunked)
        fields = [*self._fields, ("Date", _date(int(time.time())))]
        if self._is_chunked:
            fields.append(("Transfer-Encoding", "chunked"))
        if self.is_last or not is_http_1_1:
            fields.append(("Connection", "close" if self.is_last else "keep-alive"))
        lines = [f"HTTP/1.1 {self._status}", *map(": ".join, fields), "", ""]
        return "\r\n".join(lines).encode("latin-1")

    def _finish(self) -> None:
        self._write(b"")
        if self._is_chunked:
            self._to.write(b"0\r\n\r\n")
        self._to.flush()


@lru_cache(1)
def _date(second: int) -> str:
    """Return a second since 1970 as the header `Date` has it."""
    return formatdate(second, usegmt=True)


def _environment(request: RequestParser, client: tuple[str, Any]) -> dict[str, Any]:
    """Return the request as PEP 3333 has it."""
    address, port = client
    environ = {f"HTTP_{name}": value for name, value in request.headers.items()}
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if name in request.headers:
            environ[name] = environ.pop(f"HTTP_{name}")
    path = request.path
    return environ | {
        "REMOTE_ADDR": address,
        "REMOTE_HOST": address,
        "REMOTE_PORT": str(port),
        "REQUEST_METHOD": request.command,
        "SERVER_NAME": "localhost",  # of requests without Host
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": f"HTTP/{request.version}",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/" + path.lstrip("/") if path.startswith("/") else path,
        "REQUEST_URI": request.request_uri,
        "QUERY_STRING": request.query,
        "wsgi.url_scheme": "http",
        "wsgi.version": (1, 0),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input": request.body_rcv.buf.getfile() if request.body_rcv else BytesIO(),
        "wsgi.input_terminated": True,
    }

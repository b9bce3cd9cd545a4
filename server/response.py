"""Tasks that write a response."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from waitress.task import Task, WSGITask
from waitress.utilities import build_http_date

_PROBLEMS = {  # status -> code, detail; without one the error's own sentence
    400: ("bad_request", None),
    413: ("payload_too_large", "The body is far too large."),
    431: ("request_header_fields_too_large", "Send a shorter address, and shorter headers."),
    503: ("busy", None),
    500: ("internal_error", "Something went wrong here. The log knows more."),
}


class ResponseSuspended(BaseException):
    """Not an error: the send buffer is full, so the worker leaves the response for later."""


class PersistentTask(Task):
    """Writes a head that delimits the body, so that the connection stays open after it.

    waitress closes it after every response without Content-Length: every 204, 304 and stream.
    """

    def set_close_on_finish(self) -> None:
        self.close_on_finish = True

    def build_response_header(self) -> bytes:
        has_no_length = self.has_body and self.content_length is None
        self.chunked_response = has_no_length and self.version == "1.1"
        if self.request.connection_close or has_no_length and not self.chunked_response:
            self.close_on_finish = True
        fields = [*self.response_headers, ("Date", build_http_date(self.start_time))]
        if self.chunked_response:
            fields.append(("Transfer-Encoding", "chunked"))
        if self.close_on_finish or self.version == "1.0":
            fields.append(("Connection", "close" if self.close_on_finish else "keep-alive"))
        lines = [f"HTTP/1.1 {self.status}", *map(": ".join, fields), "", ""]
        return "\r\n".join(lines).encode("latin-1")


class ResponseTask(PersistentTask, WSGITask):
    """Writes the application's response. If suspended, the next `execute` continues it."""

    has_body = True
    _iterable: Any = None
    _pieces: Iterator[bytes] = iter(())

    def execute(self) -> None:
        if self._iterable is None:
            application = self.channel.server.application
            self._iterable = application(self.get_environment(), self._start_response)
            self._pieces = iter(self._iterable)
        try:
            self._write_pieces()
        except ResponseSuspended:
            raise
        except BaseException:
            self.close()
            raise
        self.close()

    def _write_pieces(self) -> None:
        for piece in self._pieces:
            if piece:
                self.write(piece)
                self.channel.suspend_if_backlogged()
        if self.has_body and self.content_length not in (None, self.content_bytes_written):
            self.set_close_on_finish()

    def finish(self) -> None:
        super().finish()
        self.chunked_response = False  # the last chunk is written once, even if this runs again
        self.channel.flush()

    def close(self) -> None:
        """Close the application's iterable (PEP 3333)."""
        if hasattr(self._iterable, "close"):
            self._iterable.close()
        self._iterable, self._pieces, self.environ = (), iter(()), None

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], _error: Any = None
    ) -> Callable[[bytes], None]:
        self.complete, self.status = True, status
        self.response_headers += headers
        lengths = (int(value) for name, value in headers if name.lower() == "content-length")
        self.content_length = next(lengths, None)
        self.has_body = self.request.command != "HEAD" and super().has_body
        return self.write


class ProblemTask(PersistentTask):
    """Writes the server's own errors as problem details (RFC 9457), then closes the connection."""

    complete = True

    def execute(self) -> None:
        error = self.request.error
        code, detail = _PROBLEMS.get(error.code, _PROBLEMS[500])
        problem = {"type": "about:blank", "title": error.reason, "status": error.code}
        problem |= {"detail": detail or error.body, "code": code, "requestId": os.urandom(8).hex()}
        body = json.dumps(problem).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [
            ("Content-Type", "application/problem+json"),
            ("Content-Length", str(len(body))),
            ("X-Request-Id", problem["requestId"]),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "private, no-store"),
        ]
        if error.code == 503:
            self.response_headers.append(("Retry-After", "5"))
        self.content_length = len(body)
        self.set_close_on_finish()
        self.write(body)
        self.channel.adj.on_rejected(problem["requestId"], error.code, len(body))

"""Answers on their way out."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from waitress.task import Task, WSGITask
from waitress.utilities import build_http_date

_TOLD = {  # status -> code, and how to mend it
    400: ("bad_request", None),
    413: ("payload_too_large", "The body is far too large."),
    431: ("request_header_fields_too_large", "Send a shorter address, and shorter headers."),
    503: ("busy", None),
    500: ("internal_error", "Something went wrong here. The log knows more."),
}


class Lagging(BaseException):
    """No fault: the client does not take what is made, so a worker need not make more yet."""


class Headed(Task):
    """An answer whose head says where it ends, so that the connection can live on behind it.

    waitress hangs up after every answer without a length, and so after each 204 and 304.
    """

    def set_close_on_finish(self) -> None:
        self.close_on_finish = True

    def build_response_header(self) -> bytes:
        endless = self.has_body and self.content_length is None
        self.chunked_response = endless and self.version == "1.1"
        if self.request.connection_close or endless and not self.chunked_response:
            self.close_on_finish = True
        fields = [*self.response_headers, ("Date", build_http_date(self.start_time))]
        if self.chunked_response:
            fields.append(("Transfer-Encoding", "chunked"))
        if self.close_on_finish or self.version == "1.0":
            fields.append(("Connection", "close" if self.close_on_finish else "keep-alive"))
        lines = [f"HTTP/1.1 {self.status}", *(f"{name}: {value}" for name, value in fields)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


class Answer(Headed, WSGITask):
    """What the application answers, piece by piece.

    Where the client lags behind, it stops after a piece; whoever runs it next goes on from there.
    """

    _made: Any = None
    _pieces: Iterator[bytes] = iter(())

    @property
    def has_body(self) -> bool:
        return self.request.command != "HEAD" and bool(super().has_body)

    def execute(self) -> None:
        if self._made is None:
            self._made = self.channel.server.application(self.get_environment(), self._start)
            self._pieces = iter(self._made)
        try:
            self._write_pieces()
        except Lagging:
            raise
        except BaseException:
            self.close()
            raise
        self.close()

    def _write_pieces(self) -> None:
        for piece in self._pieces:
            if piece:
                self.write(piece)
                self.channel.refuse_to_heap()
        if self.has_body and self.content_length not in (None, self.content_bytes_written):
            self.set_close_on_finish()

    def finish(self) -> None:
        super().finish()
        self.chunked_response = False  # its end is written once, also if it is run again
        self.channel.flush()

    def close(self) -> None:
        """Let go of what makes the answer."""
        if hasattr(self._made, "close"):
            self._made.close()
        self._made, self._pieces, self.environ = (), iter(()), None

    def _start(
        self, status: str, headers: list[tuple[str, str]], _error: Any = None
    ) -> Callable[[bytes], None]:
        self.complete, self.status = True, status
        self.response_headers += headers
        lengths = [value for name, value in headers if name.lower() == "content-length"]
        self.content_length = int(lengths[0]) if lengths else None
        return self.write


class ProblemTask(Headed):
    """What the server itself refuses, in the shape of every other error; then it hangs up."""

    complete = True

    def execute(self) -> None:
        error = self.request.error
        code, detail = _TOLD.get(error.code, _TOLD[500])
        facts = {"type": "about:blank", "title": error.reason, "status": error.code}
        facts |= {"detail": detail or error.body, "code": code, "requestId": os.urandom(8).hex()}
        body = json.dumps(facts).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [
            ("Content-Type", "application/problem+json"),
            ("Content-Length", str(len(body))),
            ("X-Request-Id", facts["requestId"]),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "private, no-store"),
        ]
        if error.code == 503:
            self.response_headers.append(("Retry-After", "5"))
        self.content_length = len(body)
        self.set_close_on_finish()
        self.write(body)
        self.channel.adj.on_rejected(facts["requestId"], error.code, len(body))

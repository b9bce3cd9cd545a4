"""Answers on their way out."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from waitress.task import ErrorTask, WSGITask

_TOLD = {  # status -> code, and how to mend it
    400: ("bad_request", None),
    413: ("payload_too_large", "The body is far too large."),
    431: ("request_header_fields_too_large", "Send a shorter address, and shorter headers."),
    500: ("internal_error", "Something went wrong here. The log knows more."),
}


class Lagging(BaseException):
    """No fault: the client does not take what is made, so a worker need not make more yet."""


class Answer(WSGITask):
    """What the application answers, piece by piece.

    Where the client lags behind, it stops after a piece; whoever runs it next goes on from there.
    """

    _made: Any = None
    _pieces: Iterator[bytes] = iter(())

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
        short = self.content_length not in (None, self.content_bytes_written)
        if short and self.has_body and self.request.command != "HEAD":
            self.set_close_on_finish()

    def finish(self) -> None:
        super().finish()
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


class ProblemTask(ErrorTask):
    """What the server itself refuses, in the shape of every other error; then it hangs up."""

    def execute(self) -> None:
        error = self.request.error
        code, detail = _TOLD.get(error.code, _TOLD[500])
        facts = {"type": "about:blank", "title": error.reason, "status": error.code}
        facts |= {"detail": detail or error.body, "code": code, "requestId": os.urandom(8).hex()}
        body = json.dumps(facts).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [
            ("Content-Type", "application/problem+json"),
            ("X-Request-Id", facts["requestId"]),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "private, no-store"),
        ]
        self.content_length = len(body)
        self.set_close_on_finish()
        self.write(body)
        self.channel.refused = True

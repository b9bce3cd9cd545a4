"""The access log: one line for each request on stderr, as text or JSON.

A line never holds a secret, a query or a body.
"""

import json
import logging
import sys
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple

from flask import Request, Response

from models.core import now, rfc3339, tell_as

from .caller import RequestGlobals

BODILESS = {204, 304}
_OTHER_LOGS = "%(asctime)s %(name)s %(message)s"
_TEXT = (
    "%(time)s %(requestId)s %(method)s %(route)s %(status)s %(ms)s ms %(bytes)s bytes by %(caller)s"
)
_EARLY_END = "%(time)s %(requestId)s ended after %(writtenBytes)s of %(bytes)s bytes"
_form = ""  # the form of a line, `text` or `json`; '' until the logs are set up
_lock = threading.Lock()  # writes a line whole


class Access(NamedTuple):
    """The logged and counted facts of a request. A request rejected by the server has no route."""

    request_id: str
    status: int
    size_bytes: int | None
    method: str = "-"
    route: str = "-"  # the template of the path
    seconds: float = 0.0  # until the head of the response
    caller: str = "-"  # the id of a user, or of the link that was used


def configure_logging(form: str) -> None:
    """Set up the logs of a running service; `form` is `text` or `json`."""
    global _form  # noqa: PLW0603
    handler = logging.StreamHandler()
    handler.setFormatter(_JsonFormatter() if form == "json" else _UtcFormatter(_OTHER_LOGS))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    _form = form


def begin_logging(form: str) -> None:
    """Give what is said before the logs are set up the form of the log, `text` or `json`."""
    if form == "json":
        tell_as(_line_of_sentence)
        logging.captureWarnings(capture=True)
        if logging.lastResort is not None:
            logging.lastResort.setFormatter(_JsonFormatter())
        sys.excepthook = _log_end
        threading.excepthook = _log_end_of_thread


def line_of(form: str, sentence: str, level: str = "info") -> str:
    """Return a line of the log in its form, `text` or `json`."""
    if form != "json":
        return sentence
    line = {"time": rfc3339(now()), "level": level, "logger": "docservice", "message": sentence}
    return json.dumps(line, ensure_ascii=False)


def access_of(request: Request, g: RequestGlobals, response: Response) -> Access:
    """Return the facts of a request, which gets this response."""
    caller = g.get("caller")
    rule = request.url_rule
    return Access(
        g.request_id,
        response.status_code,
        0 if response.status_code in BODILESS else response.content_length,
        request.method,
        rule.rule if rule else "-",
        time.perf_counter() - g.started_at,
        (caller.owner_id or caller.id if caller else "") or "-",
    )


def log_access(access: Access) -> None:
    """Write the line of a request.

    A line that cannot be written is left out, as the request is done.
    """
    if not _form:
        return
    line = {
        "time": rfc3339(now()),
        "level": "info",
        "requestId": access.request_id,
        "method": access.method,
        "route": access.route,
        "status": access.status,
        "ms": round(access.seconds * 1000, 1),
        "bytes": access.size_bytes,
        "caller": access.caller,
    }
    text = json.dumps(line) if _form == "json" else _TEXT % line
    with _lock, suppress(OSError, ValueError):
        sys.stderr.write(text + "\n")


def log_early_end(request_id: str, written_bytes: int, size_bytes: int) -> None:
    """Write the second line of a request whose response ended early, as its client had gone.

    The first line, which is written with the head, has the bytes that were announced.
    """
    if not _form:
        return
    line = {
        "time": rfc3339(now()),
        "level": "info",
        "requestId": request_id,
        "writtenBytes": written_bytes,
        "bytes": size_bytes,
    }
    text = json.dumps(line) if _form == "json" else _EARLY_END % line
    with _lock, suppress(OSError, ValueError):
        sys.stderr.write(text + "\n")


def log_rejected_request(request_id: str, status: int, size_bytes: int) -> None:
    """Log a request that the server rejected before its route or caller was known."""
    log_access(Access(request_id, status, size_bytes))


class _UtcFormatter(logging.Formatter):
    def formatTime(self, record: logging.LogRecord, _form: str | None = None) -> str:
        return rfc3339(int(record.created * 1000))


class _JsonFormatter(_UtcFormatter):
    """A record as one line of JSON, with its traceback as a member."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def _line_of_sentence(sentence: str) -> str:
    return line_of("json", sentence)


def _log_end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log = logging.getLogger("docservice")
    log.critical("the process ends by an exception", exc_info=(kind, error, trace))


def _log_end_of_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None:
        log = logging.getLogger("docservice")
        exception = (ended.exc_type, ended.exc_value, ended.exc_traceback)
        log.error("a thread ends by an exception", exc_info=exception)

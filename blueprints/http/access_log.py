"""One line for each request on stderr, as text or JSON: never a secret, a query or a body."""

import json
import logging
import time

from flask import Response, g, request

from models.records.ids import rfc3339

access = logging.getLogger("docservice.access")
BODILESS = {204, 304}
_OTHER_LOGS = "%(asctime)s %(name)s %(message)s"
_TEXT = "%(requestId)s %(method)s %(route)s %(status)s %(ms)s ms %(bytes)s bytes by %(caller)s"


def configure_logging(form: str) -> None:
    """Set up the logs of a running service; `form` is `text` or `json`."""
    for unused in ("logThreads", "logProcesses", "logMultiprocessing", "_srcfile"):
        setattr(logging, unused, None)  # the logging HOWTO, "Optimization": not looked up a line
    logging.basicConfig(level=logging.WARNING, handlers=[_stderr(_UtcFormatter(_OTHER_LOGS))])
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    formatter = _JsonFormatter() if form == "json" else _UtcFormatter("%(asctime)s %(message)s")
    access.handlers, access.propagate = [_stderr(formatter)], False
    access.setLevel(logging.INFO)


def log_request(response: Response) -> None:
    """Log the route's template, not the path, and the caller's id."""
    if not access.isEnabledFor(logging.INFO):
        return
    caller = g.get("caller")
    facts = {
        "requestId": g.request_id,
        "method": request.method,
        "route": route(),
        "status": response.status_code,
        "ms": round((time.perf_counter() - g.started_at) * 1000, 1),
        "bytes": 0 if response.status_code in BODILESS else response.content_length,
        "caller": (caller.owner_id or caller.id if caller else "") or "-",
    }
    access.info(_TEXT, facts)


def route() -> str:
    """The template of the request's path."""
    rule = request.url_rule
    return rule.rule if rule else "-"


def log_rejected_request(request_id: str, status: int, size_bytes: int) -> None:
    """Log a request that the server rejected before its route or caller was known."""
    facts = {"requestId": request_id, "method": "-", "route": "-", "status": status, "ms": 0.0}
    access.info(_TEXT, {**facts, "bytes": size_bytes, "caller": "-"})


def _stderr(formatter: logging.Formatter) -> logging.Handler:
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    return handler


class _UtcFormatter(logging.Formatter):
    def formatTime(self, record: logging.LogRecord, _form: str | None = None) -> str:
        return rfc3339(int(record.created * 1000))


class _JsonFormatter(_UtcFormatter):
    def format(self, record: logging.LogRecord) -> str:
        facts = record.args if isinstance(record.args, dict) else {}
        return json.dumps({"time": self.formatTime(record), **facts})

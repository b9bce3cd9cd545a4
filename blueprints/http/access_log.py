"""One line a request, on stderr, as text or JSON: never a secret, a query or a body."""

import json
import logging
import time

from flask import Response, g, request

access = logging.getLogger("docservice.access")
BODILESS = {204, 304}
_OTHERS = "%(asctime)s %(name)s %(message)s"
_TEXT = "%(requestId)s %(method)s %(route)s %(status)s %(ms)s ms %(bytes)s bytes by %(caller)s"


def configure_logging(form: str) -> None:
    """Set up the logs of a running service; `form` is `text` or `json`."""
    logging.basicConfig(level=logging.WARNING, handlers=[_to_stderr(_InUtc(_OTHERS))])
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    line = _Json() if form == "json" else _InUtc("%(asctime)s %(message)s")
    access.handlers, access.propagate = [_to_stderr(line)], False
    access.setLevel(logging.INFO)


def note(answer: Response) -> None:
    """The route's template stands for the address, the caller's id for the caller."""
    if not access.isEnabledFor(logging.INFO):
        return
    caller = g.get("caller")
    facts = {
        "requestId": g.request_id,
        "method": request.method,
        "route": route(),
        "status": answer.status_code,
        "ms": round((time.perf_counter() - g.began_at) * 1000, 1),
        "bytes": 0 if answer.status_code in BODILESS else answer.content_length,
        "caller": (caller.owner_id or caller.id if caller else "") or "-",
    }
    access.info(_TEXT, facts)


def route() -> str:
    """The template of the address."""
    return request.url_rule.rule if request.url_rule else "-"


def log_rejected_request(request_id: str, status: int, size_bytes: int) -> None:
    """What was refused on the wire, before it was read far enough to have a route or a caller."""
    facts = {"requestId": request_id, "method": "-", "route": "-", "status": status, "ms": 0.0}
    access.info(_TEXT, {**facts, "bytes": size_bytes, "caller": "-"})


def _to_stderr(line: logging.Formatter) -> logging.Handler:
    handler = logging.StreamHandler()
    handler.setFormatter(line)
    return handler


class _InUtc(logging.Formatter):
    converter = staticmethod(time.gmtime)
    default_time_format, default_msec_format = "%Y-%m-%dT%H:%M:%S", "%s.%03dZ"


class _Json(_InUtc):
    def format(self, record: logging.LogRecord) -> str:
        facts = record.args if isinstance(record.args, dict) else {}
        return json.dumps({"time": self.formatTime(record), **facts})

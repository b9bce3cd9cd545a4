"""What happens to every request: an id, a connection, a caller; headers, and a line in the log."""

import json
import logging
import re
import secrets
import time

from flask import Flask, Response, g, request

from models import database

from .caller import resolve_caller
from .strict import limit_body

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}
access = logging.getLogger("docservice.access")


def hang_up(app: Flask) -> None:
    """In the order in which they run."""
    app.before_request(_begin)
    app.before_request(_connect)
    app.before_request(limit_body)
    app.before_request(resolve_caller)
    app.after_request(_finish)
    app.teardown_request(_disconnect)


def _begin() -> None:
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
    g.began_at = time.perf_counter()


def _connect() -> None:
    """Returns nothing: what a before-request hook returns becomes the answer."""
    database.connect(reuse_if_open=True)


def _disconnect(_error: BaseException | None = None) -> None:
    if not database.is_closed():
        database.close()


def _finish(answer: Response) -> Response:
    for name, value in _SAFE.items():
        answer.headers.setdefault(name, value)
    answer.headers["X-Request-Id"] = g.request_id
    if answer.status_code in (204, 304):
        answer.headers.pop("Content-Type", None)
    _log(answer)
    return answer


def _log(answer: Response) -> None:
    """Never a secret, never a query: the route's template stands for the address."""
    caller = g.get("caller")
    facts = {
        "requestId": g.request_id,
        "method": request.method,
        "route": request.url_rule.rule if request.url_rule else None,
        "status": answer.status_code,
        "ms": round((time.perf_counter() - g.began_at) * 1000, 1),
        "bytes": answer.content_length,
        "caller": (caller.owner_id or caller.id or None) if caller else None,
    }
    access.info(json.dumps(facts), extra={"facts": facts})

"""What happens to every request: an id, a connection, a caller; headers, and a line in the log."""

import re
import secrets
import time

from flask import Flask, Response, g, request

from models import database
from models.errors import NotFound
from models.request_activity import traffic

from .http.access_log import BODILESS, note
from .http.authentication import resolve_caller
from .http.blueprint import limit_body
from .metrics import count

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}


def register_hooks(app: Flask) -> None:
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
    path = request.environ.get("REQUEST_URI", "").partition("?")[0].lower()
    if path.startswith("//") or "%2f" in path:  # the server makes a plain slash of them
        raise NotFound


def _connect() -> None:
    """Returns nothing: what a before-request hook returns becomes the answer."""
    database.connect(reuse_if_open=True)
    traffic.enter()


def _disconnect(_error: BaseException | None = None) -> None:
    if not database.is_closed():
        database.close()
        traffic.leave()


def _finish(answer: Response) -> Response:
    for name, value in _SAFE.items():
        answer.headers.setdefault(name, value)
    answer.headers["X-Request-Id"] = g.request_id
    if answer.status_code in BODILESS:
        answer.headers.pop("Content-Type", None)
    note(answer)
    count(answer)
    return answer

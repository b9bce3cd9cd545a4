"""Hooks before and after every request: request id, connection, caller; headers, logs."""

import logging
import re
import secrets
import time
from collections.abc import Mapping
from typing import Any

from flask import Flask, Request, Response
from flask.ctx import RequestContext

from models import connected, current_runtime, database, prepare_connection, setup
from models.core import Busy, NotFound, ServiceError, current_payer
from models.events import current_actor
from models.links import NO_GRANT, take_body_slot, take_slot_of_steps
from models.runtime import Admission, service_error_of
from models.storage import LaterSync, NotSynced, current_right, engine, later_sync

from .http import COOKIE, OWNER
from .http.access_log import BODILESS, access_of, log_access
from .http.authentication import (
    FILE_BY_LINK,
    credentials_in_head,
    only_caller,
    resolve_caller,
    right_of,
)
from .http.blueprint import limit_body
from .http.caller import RequestGlobals, current_application, request_and_globals
from .http.declarations import declared
from .http.problems import handle_service_error
from .http.serving import (
    can_hold,
    goes_on_behind,
    hold,
    is_answered_at_once,
    reserve_memory,
    serve_for,
    step_of,
)
from .http.tus import is_of_uploads, say_version
from .login import NAMED, caller_in_head, let_in_named
from .metrics import count
from .views.content import require_met_conditions
from .views.small_pages import page_for_people
from .views.uploads import is_refused_by_head

_PRIVATE = {  # headers that keep a document private, for each response without headers of its own
    "x-content-type-options": ("X-Content-Type-Options", "nosniff"),
    "referrer-policy": ("Referrer-Policy", "no-referrer"),
    "cache-control": ("Cache-Control", "private, no-store"),
}
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def admit_long_body(path: str, query: str, headers: Mapping[str, str]) -> Admission | None:
    """Return the admission of a long body by the head of its request; None to refuse the body.

    The head needs a valid session token or API key, on the pages for people a session's cookie, or
    a link that takes files and has room. The server asks before it receives a long body; header
    names are as in `X_API_KEY`. If the database fails, the body is admitted, and the application
    reports the failure after the body; a fault of the service is logged as well.
    """
    try:
        with connected():
            if path.startswith("/app/"):
                caller = caller_in_head(headers)
            else:
                caller = only_caller(credentials_in_head(path, query, headers))
            if is_of_uploads(path) and is_refused_by_head(caller, path, headers):
                return None
            if caller.credential_type in (*OWNER, COOKIE):
                return Admission()
            if path != FILE_BY_LINK:
                return take_slot_of_steps(caller.grant)
            length, key = headers.get("CONTENT_LENGTH"), headers.get("IDEMPOTENCY_KEY", "")
            return take_body_slot(caller.grant, int(length or 0), key)
    except ServiceError:
        return None
    except Exception as error:  # noqa: BLE001
        if service_error_of(error) is None:
            logging.getLogger("docservice").error("a long body was not judged", exc_info=error)
        return Admission()


def register_hooks(app: Flask) -> None:
    app.before_request(_before)
    app.after_request(_after)
    app.after_request(say_version)
    app.teardown_request(_teardown)


def _before() -> None:
    """Run the steps before a handler, whose order matters.

    Return nothing: Flask takes a hook's result as the response.
    """
    request, g = request_and_globals()
    _start(request, g)  # every response has a request id, errors too
    if is_answered_at_once(request):
        return
    _acquire(g)  # resolving the caller reads the database,
    limit_body(request)  # and the body if it is a form
    caller = resolve_caller(request)
    payer = (caller.grant if caller else NO_GRANT).payer(request.remote_addr or "")
    serve_for(request, payer)
    if can_hold(request) and not engine().is_shared:
        later_sync.set(LaterSync())
    current_payer.set(payer)
    if caller and caller.credential_type == NAMED:
        caller = let_in_named(request)
    if caller:
        current_actor.set(caller.actor())
        current_right.set(right_of(caller, declared(request)))
    require_met_conditions(request)


def _start(request: Request, g: RequestGlobals) -> None:
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
    g.started_at = time.perf_counter()
    if step := step_of(request):  # the steps of a body are logged and counted as one request
        g.request_id = step.shared.setdefault("request_id", g.request_id)
        g.started_at -= step.shared.get("seconds", 0)
    path = request.environ.get("REQUEST_URI", "").partition("?")[0].lower()
    if path.startswith("//") or "%2f" in path:  # the server turns both into a plain slash
        raise NotFound


def _acquire(g: RequestGlobals) -> None:
    """Acquire a database connection."""
    setup.open_runtime()
    prepare_connection()
    g.former_actor = current_actor.get()
    g.former_payer = current_payer.get()
    current_runtime().keyring.begin_request()


def _teardown(_error: BaseException | None = None) -> None:
    """Release what `_before` has acquired."""
    _, g = request_and_globals()
    former_actor = g.pop("former_actor", None)
    if former_actor is not None:
        current_actor.set(former_actor)
        current_payer.set(g.pop("former_payer"))
        current_right.set(None)
        later_sync.set(None)
        current_runtime().keyring.end_request()
        database.close()


def _within_memory(request: Request, response: Response) -> Response:
    """Reserve memory for a response whose body is made already, or refuse it."""
    try:
        if not response.is_streamed:
            reserve_memory(request, response.calculate_content_length() or 0)
    except Busy as error:
        return handle_service_error(error)
    return response


def _after(response: Response) -> Response:
    request, g = request_and_globals()
    response = page_for_people(_within_memory(request, response))
    headers = response.headers
    given = {name.lower() for name, _ in headers}
    headers.add("X-Request-Id", g.request_id)
    for name, header in _PRIVATE.items():
        if name not in given:
            headers.add(*header)
    if response.status_code in BODILESS:
        response.headers.pop("Content-Type", None)
        response.headers.pop("Content-Length", None)
    later = later_sync.get()
    if goes_on_behind(request, response):
        step_of(request).shared["seconds"] = time.perf_counter() - g.started_at
    elif later and later.is_awaited:
        hold(request, response, _Confirmation(request, g, response, later))
    else:
        _record(request, g, response)
    return response


def _record(request: Request, g: RequestGlobals, response: Response) -> None:
    access = access_of(request, g, response)
    log_access(access)
    count(access)


class _Confirmation:
    """The end of a request whose response waits for a sync: its line in the log, or its error."""

    def __init__(
        self, request: Request, g: RequestGlobals, response: Response, later: LaterSync
    ) -> None:
        self._application = current_application()
        self._request = request
        self._g = g
        self._response = response
        self._later = later

    def __call__(self) -> Any:
        """Record the request, or return the response in its place if the sync has failed."""
        if failure := self._later.failure():
            return self._response_to(failure)
        _record(self._request, self._g, self._response)
        return None

    def _response_to(self, failure: NotSynced) -> Any:
        application = self._application
        environ = self._request.environ
        with RequestContext(application, environ, self._request), connected():
            _, g = request_and_globals()
            vars(g).update(vars(self._g))
            answer = application.handle_user_exception(self._later.changed(failure))
            response = application.finalize_request(answer, from_error_handler=True)
            body, status, fields = response.get_wsgi_response(environ)
            return status, fields, body

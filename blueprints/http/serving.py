"""The server's side of a request: the share of its caller, and the memory of its response.

Only the project's server has them; elsewhere, as in tests of the application alone, nothing is
limited.
"""

from collections.abc import Callable, Mapping
from typing import Any

from flask import Request, Response

from models.core import Busy, Payer

HEALTH = "/healthz"
REDIRECTS = 300  # the first status that is no success
_CREDENTIALS = {"AUTHORIZATION", "X_API_KEY", "COOKIE"}


def serve_for(request: Request, payer: Payer) -> None:
    """Have the server count a worker for the payer of a request, and for a link of the payer's.

    If the share is used, the request ends here, and the server starts it again later.
    """
    response = _response_of(request)
    if response is not None:
        response.serve_for(payer.id, payer.link_id or None)


def reserve_memory(request: Request, size_bytes: int) -> None:
    """Reserve memory for the response until it is sent. Raise `Busy`."""
    response = _response_of(request)
    if response is not None and not response.reserve_memory(size_bytes):
        raise Busy("Too many long responses are being sent. Send this again.")


def can_hold(request: Request) -> bool:
    """Return whether the response can wait for a sync that the server makes.

    That to a step of a body cannot, while further steps follow.
    """
    response, step = _response_of(request), step_of(request)
    return response is not None and response.can_be_held and not (step and step.goes_on)


def hold(request: Request, response: Response, confirm: Callable[[], Any]) -> None:
    """Have the server sync before it sends the response, and then call `confirm`.

    `confirm` returns None, or the status, the header fields and the body of a response in its
    place.
    """
    _response_of(request).hold(confirm, is_streamed=response.is_streamed)


def needs_no_worker(path: str, query: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request asks for the health of the process, with no credential.

    To judge a credential the database is asked. The names of `headers` are like `X_API_KEY`.
    """
    return path == HEALTH and not query and not _CREDENTIALS & headers.keys()


def is_answered_at_once(request: Request) -> bool:
    """Return whether no worker serves the request: then nothing may wait, not for a database."""
    return bool(request.environ.get("server.needs_no_worker"))


def step_of(request: Request) -> Any:
    """Return the step of the body that the request has; None if it has the whole body.

    It is a `Step` of the server. Where there is another server the whole body is one step.
    """
    return request.environ.get("server.step")


def is_without_body(request: Request) -> bool:
    """Return whether the server has refused the body by its head, so that nothing of it is here.

    A chunked body has no `Content-Length` either that would tell it from none.
    """
    return bool(request.environ.get("server.has_refused_body"))


def goes_on_behind(request: Request, response: Response) -> bool:
    """Return whether the response is not sent, as further steps of the body follow."""
    step = step_of(request)
    return step is not None and step.goes_on and response.status_code < REDIRECTS


def break_off(request: Request) -> None:
    """Break the response off, by the server's own exception, while its pieces are made.

    Without the server this does nothing.
    """
    response = _response_of(request)
    if response is not None:
        response.break_off()


def _response_of(request: Request) -> Any:
    return request.environ.get("server.response")

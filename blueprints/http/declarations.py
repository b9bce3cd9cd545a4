"""What a route declares. Hooks, wrappers and OpenAPI read it from the view's attributes."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Request, current_app, request

from models import SCOPES
from models.core import Allowance

NOBODY, SESSION, API_KEY = "anyone", "session", "api_key"
DOCUMENT_TOKEN, TICKET, COOKIE = "document_token", "ticket", "cookie"
ANYONE = (NOBODY, SESSION, API_KEY, DOCUMENT_TOKEN)  # public, but a wrong credential is an error
OWNER = (SESSION, API_KEY)
READERS = (*OWNER, DOCUMENT_TOKEN)
LINK = (DOCUMENT_TOKEN, TICKET)
READ, WRITE, DELETE, EVENTS = SCOPES

View = Callable[..., Any]
Declare = Callable[[Any], Any]
Spend = Callable[[], Allowance | None]  # counts a request; raises `TooManyRequests`


def takes_uploads(form: Any, *, as_json: bool = True) -> Declare:
    """Declare that the body may hold the largest document: as a part of a form, of which `form` is
    the schema, or in base64 `as_json`.
    """

    def declare(view: Any) -> Any:
        view.form, view.uploads_as_json = form, as_json
        return view

    return declare


def opens_links(accepted: Sequence[str] | None) -> bool:
    """Whether a handler that accepts these credentials is one that a link opens."""
    return DOCUMENT_TOKEN in (accepted or ()) and NOBODY not in (accepted or ())


def declared(name: str, request: Request = request) -> Any:
    """What the handler of a request declares under this name; None if it does not."""
    return getattr(current_app.view_functions.get(request.endpoint or ""), name, None)

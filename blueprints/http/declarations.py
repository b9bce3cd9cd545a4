"""Declarations of a route. Hooks, wrappers and OpenAPI read them from the view's attributes."""

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
API_KEYS, WEBHOOKS = "api_keys", "webhooks"  # that only a role in a space has, and no API key

View = Callable[..., Any]
Declare = Callable[[Any], Any]
Spend = Callable[[], Allowance | None]  # counts a request; raises `TooManyRequests`


def takes_uploads(form: Any, *, as_json: bool = True) -> Declare:
    """Declare that the body may hold the largest document.

    The document is a part of a form, of which `form` is the schema, or base64 in JSON if `as_json`.
    """

    def declare(view: Any) -> Any:
        view.form, view.uploads_as_json = form, as_json
        return view

    return declare


def opens_links(accepted: Sequence[str] | None) -> bool:
    """Return whether a link opens a handler that accepts these credentials."""
    return DOCUMENT_TOKEN in (accepted or ()) and NOBODY not in (accepted or ())


def declared(name: str, request: Request = request) -> Any:
    """Return what the handler of a request declares under this name; None if it does not."""
    return getattr(current_app.view_functions.get(request.endpoint or ""), name, None)

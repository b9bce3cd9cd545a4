"""What a route declares. Hooks, wrappers and OpenAPI read it from the view's attributes."""

from collections.abc import Callable
from typing import Any

from models import SCOPES
from models.errors import ServiceError, TooManyRequests
from models.rate_limits import Allowance

NOBODY, SESSION, API_KEY = "anyone", "session", "api_key"
DOCUMENT_TOKEN, TICKET = "document_token", "ticket"
ANYONE = (NOBODY, SESSION, API_KEY, DOCUMENT_TOKEN)  # public, but a wrong credential is an error
OWNER = (SESSION, API_KEY)
READERS = (*OWNER, DOCUMENT_TOKEN)
READ, WRITE, DELETE, EVENTS = SCOPES

View = Callable[..., Any]
Declare = Callable[[Any], Any]
Spend = Callable[[], Allowance | None]


def _declare(**facts: Any) -> Declare:
    def declare(view: Any) -> Any:
        view.__dict__.update(facts)
        return view

    return declare


def may_fail_with(*errors: type[ServiceError]) -> Declare:
    """Declare the errors that a handler raises for reasons of its own."""

    def declare(view: Any) -> Any:
        view.may_fail_with = (*errors, *getattr(view, "may_fail_with", ()))
        return view

    return declare


def rate_limited(spend: Spend) -> Declare:
    """Declare that `spend` counts every request, before its body is read."""
    counted, failing = _declare(spend=spend), may_fail_with(TooManyRequests)
    return lambda view: counted(failing(view))


takes_uploads = _declare(takes_uploads=True)  # its body may hold the largest document in base64
takes_form = _declare(takes_form=True)  # an HTML form may call it

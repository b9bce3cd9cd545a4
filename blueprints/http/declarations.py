"""What a handler declares by decorators, in any order. Hooks, wrappers and OpenAPI read it."""

from collections.abc import Callable
from typing import Any

from flask_smorest import Blueprint

from models import SCOPES
from models.errors import (
    IdempotencyInProgress,
    IdempotencyMismatch,
    ServiceError,
    TooManyRequests,
)
from models.rate_limits import Allowance

NOBODY, SESSION, API_KEY = "anyone", "session", "api_key"
DOCUMENT_TOKEN, TICKET = "document_token", "ticket"
ANYONE = (NOBODY, SESSION, API_KEY, DOCUMENT_TOKEN)  # public, but a wrong credential is an error
OWNER = (SESSION, API_KEY)
READ, WRITE, DELETE, EVENTS = SCOPES

_IDEMPOTENCY = (
    "Takes the header `Idempotency-Key` (1 to 255 visible ASCII characters): the same key and body "
    "within 24 hours get the first answer again, with `Idempotency-Replayed: true`. No parameter "
    "declares it, since no schema can say that a key belongs to one body."
)

View = Callable[..., Any]
Declare = Callable[[Any], Any]
Spend = Callable[[], Allowance | None]


def accepts(*credentials: str, scope: str = "", permission: str = "") -> Declare:
    """Declare the accepted credentials: the specification's "Credentials" column.

    An API key must also have `scope`, a document token `permission`.
    """
    security: list[Any] = [{name: []} if name != NOBODY else {} for name in credentials]
    documented = Blueprint.doc(security=security)
    return _declare(documented, accepts=credentials, scope=scope, permission=permission)


def may_fail_with(*errors: type[ServiceError]) -> Declare:
    """Declare the errors that a handler raises for reasons of its own."""

    def declare(view: Any) -> Any:
        view.may_fail_with = (*errors, *getattr(view, "may_fail_with", ()))
        return view

    return declare


def idempotent(view: Any) -> Any:
    """Declare that a request with a known `Idempotency-Key` gets the stored response."""
    failing = may_fail_with(IdempotencyInProgress, IdempotencyMismatch)
    return _declare(Blueprint.doc(description=_IDEMPOTENCY), idempotent=True)(failing(view))


def rate_limited(spend: Spend) -> Declare:
    """Declare that `spend` counts every request, before its body is read."""
    return _declare(may_fail_with(TooManyRequests), spend=spend)


def takes_uploads(view: Any) -> Any:
    """Declare that the body may be as long as the largest document in base64."""
    view.takes_uploads = True
    return view


def takes_form(view: Any) -> Any:
    """Declare that an HTML form may call the handler."""
    view.takes_form = True
    return view


def _declare(mark: Declare, **facts: Any) -> Declare:
    def declare(view: Any) -> Any:
        marked = mark(view)
        marked.__dict__.update(facts)
        return marked

    return declare

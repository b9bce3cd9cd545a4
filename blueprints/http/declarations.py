"""The declaration of a route, on its view. Hooks, wrappers and OpenAPI read it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Request
from marshmallow import Schema

from models.core import Allowance

from .caller import Caller, current_application, current_request
from .credentials import DOCUMENT_TOKEN, NOBODY

FORM = "application/x-www-form-urlencoded"

View = Callable[..., Any]
Spend = Callable[[], Allowance | None]  # counts a request; raises `TooManyRequests`
ResolveCaller = Callable[[Request, "Declaration"], Caller]  # raises an error to refuse a request


@dataclass(frozen=True)
class Declaration:
    """The declaration of a route. A route without a declaration accepts nobody.

    `accepts` are the kinds of credentials. An API key must also have all `scopes`, and so must the
    role of a member who acts as a space; a document token must have the `permission`. A member is
    refused where there is no scope, unless the route is `for_members`.
    """

    accepts: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    permission: str = ""
    for_members: bool = False
    resolve_caller: ResolveCaller | None = None
    """Of a page, which takes a cookie; None of a route that takes the other credentials alone."""
    answers_scripts: bool = False
    """Of what scripts of a page call: its errors are problems, and no pages."""
    from_anywhere: bool = False
    """Of a form of a page: it may have been made before somebody entered or left a space."""

    idempotent: bool = False
    """A request with a known `Idempotency-Key` gets the stored response, and is not counted."""
    handles_key: bool = False
    """The handler itself sees to it, as only a part of the request is done once."""
    spend: Spend | None = None
    """Counts a request before its body is read."""

    form: Schema | None = None
    """Of the parts of a form, if the body may be a form that holds the largest document."""
    uploads_as_json: bool = False
    """The body may be JSON that holds the largest document in base64."""
    stepped: bool = False
    """The body may be of any length: the route is called for each step of it (`step_of`)."""
    returns_original: bool = False
    """The response is a document's bytes, or a range of them."""

    @property
    def is_public(self) -> bool:
        return NOBODY in self.accepts

    @property
    def opens_links(self) -> bool:
        """Whether it takes somebody to whom a link was sent."""
        return DOCUMENT_TOKEN in self.accepts and not self.is_public


_NOTHING = Declaration()


def declare(view: Any, declaration: Declaration) -> None:
    """Put the declaration on the view; wrappers by `functools.wraps` take it along."""
    view.declaration = declaration


def declaration_of(view: View) -> Declaration:
    """Return the declaration of a view; that of a view without one accepts nobody."""
    found: Declaration = getattr(view, "declaration", _NOTHING)
    return found


def declared(request: Request | None = None) -> Declaration:
    """Return the declaration of the route of a request, or of the present one.

    It is looked up once for a request, which asks for it five times.
    """
    request = request or current_request()
    known: Declaration | None = vars(request).get("declaration")
    if known is None:
        view = current_application().view_functions.get(request.endpoint or "")
        known = vars(request)["declaration"] = _NOTHING if view is None else declaration_of(view)
    return known


def is_form(request: Request | None = None) -> bool:
    """Return whether the body is an HTML form, one of whose fields may hold a document token.

    Only a handler that takes a document token is called by a form.
    """
    request = request or current_request()
    return request.mimetype == FORM and DOCUMENT_TOKEN in declared(request).accepts

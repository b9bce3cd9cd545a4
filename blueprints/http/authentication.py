"""Who is calling. One hook answers, before any handler; handlers read `g.caller`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from flask import current_app, g, request
from flask_smorest import Blueprint

from models import SCOPES, ApiKey, Document, DocumentToken, Session, User
from models.document_token import TokenGrant
from models.errors import (
    AmbiguousCredentials,
    NotAuthenticated,
    NotFound,
    ScopeMissing,
    ServiceError,
    SessionRequired,
)
from models.event import current_actor

NOBODY, SESSION, API_KEY = "anyone", "session", "api_key"
DOCUMENT_TOKEN, TICKET = "document_token", "ticket"
ANYONE = (NOBODY, SESSION, API_KEY, DOCUMENT_TOKEN)  # a good credential does no harm
OWNER = (SESSION, API_KEY)

READ, WRITE, DELETE, EVENTS = SCOPES

_SEVERAL = re.compile(r",\s*(?=bearer )", re.I)  # the server joins a header sent twice
FORM = "application/x-www-form-urlencoded"

View = Callable[..., Any]


@dataclass(frozen=True)
class Caller:
    """`via` is the kind of credential; `id` is its row's; `may` its scopes or permissions."""

    credential_type: str
    owner_id: str = ""
    id: str = ""
    permissions: frozenset[str] = frozenset()
    grant: TokenGrant | None = None

    @cached_property
    def user(self) -> User:
        return User.get_by_id(self.owner_id)

    def named(self) -> dict[str, str]:
        """As events tell of them."""
        ids = {API_KEY: {"apiKeyId": self.id}, DOCUMENT_TOKEN: {"tokenId": self.id}}
        return {"via": self.credential_type, **ids.get(self.credential_type, {})}

    def document(self, id: str) -> Document:
        """The caller's own document, or the one their token opens."""
        if self.grant is None:
            return Document.one_of(self.owner_id, id)
        if id != self.grant.document_id:
            raise NotFound
        return Document.of_token(id)


def accepts(*credentials: str, scope: str = "", permission: str = "") -> Callable[[View], View]:
    """Declare which credentials a handler takes: the specification's «Credentials» column.

    An API key must also hold `scope`, a document token `permission`.
    """

    def mark(view: View) -> View:
        named: list[dict[str, list[str]]] = [
            {name: []} if name != NOBODY else {} for name in credentials
        ]
        marked = Blueprint.doc(security=named)(view)
        marked.accepts, marked.scope, marked.permission = credentials, scope, permission
        return marked

    return mark


def resolve_caller() -> None:
    """Before parsing: a stranger learns 401, never what a valid body looks like."""
    if request.endpoint is None:  # no such path, or not with this method
        return
    g.caller = _caller()
    view: Any = current_app.view_functions[request.endpoint]
    if g.caller.credential_type not in getattr(view, "accepts", ()):
        raise _refusal_of(g.caller.credential_type, getattr(view, "accepts", ()))
    needed = {API_KEY: view.scope, DOCUMENT_TOKEN: view.permission}.get(g.caller.credential_type)
    if needed and needed not in g.caller.permissions:
        raise ScopeMissing(f"This credential lacks {needed!r}. Make one that has it.")
    current_actor.set(g.caller.named())


def _caller() -> Caller:
    """A credential that is not good is refused as such, also beside a good one."""
    callers = [resolve(secret) for resolve, secret in islice(_presented(), 2)]
    if len(callers) > 1:
        raise AmbiguousCredentials
    return callers[0] if callers else Caller(NOBODY)


def _presented() -> Any:
    """Each credential of the request, with what resolves it."""
    if (header := request.headers.get("Authorization")) is not None:
        yield from ((_by_authorization, one) for one in _SEVERAL.split(header))
    if (header := request.headers.get("X-API-Key")) is not None:
        yield from ((_by_key, key.strip()) for key in header.split(","))
    yield from _in_address()


def _in_address() -> Any:
    for name, value in (*request.args.items(multi=True), *_form()):
        if name == "token":
            yield _by_token_in_url, value
        elif name == "ticket":
            yield _by_ticket, value
        elif name != "password" and value.startswith(("pk_live_", "v4.local.")):
            yield _refuse_in_url, value


def _form() -> Any:
    """A form may carry a document token, to the handlers that show its document."""
    view = current_app.view_functions.get(request.endpoint or "")
    if request.mimetype != FORM or DOCUMENT_TOKEN not in getattr(view, "accepts", ()):
        return ()
    return request.form.items(multi=True)


def _by_authorization(header: str) -> Caller:
    scheme, _, secret = header.partition(" ")
    secret = secret.strip(" ")
    if scheme.lower() != "bearer":
        raise NotAuthenticated
    if secret.startswith("dt_"):
        return _by_token(secret)
    if secret.startswith("pk_live_"):
        raise NotAuthenticated("An API key goes into the header X-API-Key, not Authorization.")
    if not secret.startswith("v4.local."):
        raise NotAuthenticated
    return Caller(SESSION, *Session.of_token(secret))


def _by_key(secret: str) -> Caller:
    return Caller(API_KEY, *ApiKey.of_secret(secret))


def _by_token(secret: str) -> Caller:
    grant = DocumentToken.of_secret(secret)
    return Caller(DOCUMENT_TOKEN, id=grant.id, permissions=grant.permissions, grant=grant)


def _by_ticket(secret: str) -> Caller:
    grant = DocumentToken.of_ticket(secret)
    return Caller(TICKET, id=grant.id, grant=grant)


def _by_token_in_url(secret: str) -> Caller:
    return _by_token(secret) if secret.startswith("dt_") else _refuse_in_url(secret)


def _refuse_in_url(_secret: str) -> Caller:
    sentence = "A session token or API key goes into a header, never into an address. Replace it."
    raise NotAuthenticated(sentence)


def _refusal_of(credential_type: str, accepted: tuple[str, ...]) -> ServiceError:
    if credential_type == NOBODY:
        return NotAuthenticated()
    if API_KEY not in accepted:
        return SessionRequired()
    return ScopeMissing("A document token opens its own document and nothing else.")

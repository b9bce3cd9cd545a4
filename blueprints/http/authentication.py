"""Authentication: the credential of a request becomes its caller, before any handler.

A request holds one credential: a session token or an API key in a header, the token of a link in a
header, the address or a form, or the ticket of a page that a link has opened in the address. The
pages for people take a cookie instead, which `blueprints/login/` resolves.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from urllib.parse import parse_qsl

from flask import Request, has_request_context
from werkzeug.http import unquote_etag

from models import ApiKey, DocumentToken, Session
from models.accounts import Member
from models.core import (
    AmbiguousCredentials,
    NotAuthenticated,
    NotFound,
    PersonRequired,
    ScopeMissing,
    SessionRequired,
    now,
)
from models.links import UPLOAD, TokenGrant
from models.storage import Right

from .caller import Caller, current_request, g
from .credentials import (
    API_KEY,
    COOKIE,
    DOCUMENT_TOKEN,
    NOBODY,
    OWNER,
    SESSION,
    TICKET,
    UPLOAD_TICKET,
)
from .declarations import Declaration, declared, is_form

_TABLES = {table.PREFIX: table for table in (Session, ApiKey, DocumentToken)}
Credential = tuple[Callable[[str], Caller], str]  # what resolves it, and its text
FILE_BY_LINK = "/s"  # where a file is sent by a link in one request,
_PIECES_BY_LINK = re.compile(r"/s/uploads(/\w+)?")  # and in pieces
_GLUED = ".,;:!?)]}>'\"*"  # characters that people append to a link in a sentence
_BETWEEN_HEADERS = re.compile(r",\s*(?=bearer )", re.I)  # the server joins a header sent twice
_LINK_ONLY = "Open the link as it was sent to you: its address holds ?token=dt_…"


def resolve_caller(request: Request) -> Caller | None:
    """Return the caller, whom the route permits; None if there is no such route.

    This comes before the body and the query are validated. A handler that declares no credentials
    is refused to everyone.
    """
    if request.endpoint is None:  # no such path, or not with this method
        return None
    route = declared(request)
    resolve = route.resolve_caller or _caller_by_credential
    return resolve(request, route)


def _caller_by_credential(request: Request, route: Declaration) -> Caller:
    g.caller = caller = only_caller(credentials_of(request))
    require_accepted(caller, route)
    require_permission(caller, route, request)
    return caller


def only_caller(credentials: Iterable[Credential]) -> Caller:
    """Return the caller of the only credential, or nobody.

    Raise `AmbiguousCredentials` for two, and an error for a wrong credential even beside a right
    one.
    """
    callers = [resolve(secret) for resolve, secret in islice(credentials, 2)]
    if len(callers) > 1:
        raise AmbiguousCredentials
    return callers[0] if callers else Caller(NOBODY)


def credentials_of(request: Request) -> Iterator[Credential]:
    """Yield each credential of a request."""
    headers = request.headers
    yield from _in_headers(headers.get("Authorization"), headers.get("X-API-Key"))
    query = request.args.items(multi=True) if request.query_string else ()
    fields = request.form.items(multi=True) if is_form(request) else ()
    yield from _in_fields((*query, *fields))


def credentials_in_head(path: str, query: str, headers: Mapping[str, str]) -> Iterator[Credential]:
    """Yield each credential in the head of a request, by header names as `X_API_KEY`."""
    yield from _in_headers(headers.get("AUTHORIZATION"), headers.get("X_API_KEY"))
    if path == FILE_BY_LINK or _PIECES_BY_LINK.fullmatch(path):
        yield from _in_fields(parse_qsl(query))


def _in_headers(authorization: str | None, api_key: str | None) -> Iterator[Credential]:
    if authorization is not None:
        yield from ((_by_authorization, one) for one in _BETWEEN_HEADERS.split(authorization))
    if api_key is not None:
        yield from ((_by_api_key, key.strip()) for key in api_key.split(","))


def _in_fields(fields: Iterable[tuple[str, str]]) -> Iterator[Credential]:
    """Yield the credentials of the fields of an address or a form."""
    for name, value in fields:
        if name == "token":
            resolve = _by_document_token if value.startswith("dt_") else _refuse_in_address
            yield resolve, value.rstrip(_GLUED)
        elif name == "ticket":
            yield _by_ticket, value
        elif name != "password" and value.startswith(("pk_live_", "v4.local.")):
            yield _refuse_in_address, value


def _by_authorization(header: str) -> Caller:
    scheme, _, secret = header.partition(" ")
    secret = secret.strip(" ")
    if scheme.lower() != "bearer":
        raise NotAuthenticated
    if secret.startswith("dt_"):
        return _by_document_token(secret)
    if secret.startswith("pk_live_"):
        raise NotAuthenticated("An API key goes into the header X-API-Key, not Authorization.")
    if not secret.startswith("v4.local."):
        raise NotAuthenticated
    return Caller.owner(SESSION, *Session.of_token(secret))


def _by_api_key(secret: str) -> Caller:
    return Caller.owner(API_KEY, *ApiKey.of_secret(secret))


def _by_document_token(secret: str) -> Caller:
    grant = TokenGrant.of_secret(secret, _presented_view_tag())
    return Caller(DOCUMENT_TOKEN, id=grant.id, permissions=grant.permissions, grant=grant)


def _by_ticket(secret: str) -> Caller:
    grant = TokenGrant.of_ticket(secret)
    kind = UPLOAD_TICKET if grant.upload_id else TICKET
    return Caller(kind, grant.owner_id, grant.id, grant=grant)


def _refuse_in_address(_secret: str) -> Caller:
    sentence = "A session token or API key goes into a header, never into an address. Replace it."
    raise NotAuthenticated(sentence)


def require_accepted(caller: Caller, route: Declaration) -> None:
    """Raise an error unless the route accepts a credential of this kind."""
    kind, accepted = caller.credential_type, route.accepts
    if kind in accepted:
        return
    if kind == NOBODY:
        is_of_link = SESSION not in accepted and COOKIE not in accepted
        raise NotAuthenticated(_LINK_ONLY if is_of_link else None)
    if kind == UPLOAD_TICKET:
        raise ScopeMissing("This ticket is for one upload, and opens nothing else.")
    if UPLOAD_TICKET in accepted:
        raise NotFound  # whoever has another credential learns of no upload
    if kind in OWNER and route.opens_links and SESSION not in accepted:
        raise ScopeMissing("This address is for those who have a link. It takes its token alone.")
    if API_KEY not in accepted:
        raise SessionRequired
    raise ScopeMissing("A document token opens what its link leads to, and nothing else.")


def require_permission(caller: Caller, route: Declaration, request: Request) -> None:
    """Raise an error unless role, link and scopes of the caller permit what the route does."""
    if caller.member and not route.is_public:
        _require_role(caller.member, route)
    may_be_repeated = "Idempotency-Key" in request.headers and request.method == "POST"
    if not may_be_repeated:  # a repeated POST with its key gets the stored answer
        caller.grant.refuse_without_files_left()
    if caller.permissions == {UPLOAD} and "id" in (request.view_args or {}):
        raise NotFound  # a link that takes files opens no document
    for needed in _needed(caller, route):
        if needed not in caller.permissions:
            raise ScopeMissing(f"This credential lacks {needed!r}. Make one that has it.")


def _require_role(member: Member, route: Declaration) -> None:
    """Raise an error unless the role permits what the route declares.

    `PersonRequired` for a route that declares nothing: what is not for members is for persons.
    """
    if not (route.scopes or route.for_members):
        raise PersonRequired
    for scope in route.scopes:
        member.require(scope)


def _needed(caller: Caller, route: Declaration) -> tuple[str, ...]:
    """Return the permissions that a credential of this kind needs."""
    if caller.member or caller.credential_type == API_KEY:
        return route.scopes
    if caller.credential_type == DOCUMENT_TOKEN and route.permission:
        return (route.permission,)
    return ()


def right_of(caller: Caller, route: Declaration) -> Right | None:
    """Return the right that the first transaction of the request judges again.

    None where anybody may do it. Logging out, and entering or leaving a space, is up to the person.
    """
    if route.is_public:
        return None
    if caller.person and route.from_anywhere and not route.scopes:
        caller = caller.person
    return held_right(caller, _needed(caller, route))


def held_right(caller: Caller, needed: tuple[str, ...] = ()) -> Right:
    """Return the right of somebody who needs their credential, with these permissions."""
    return _TABLES[caller.id[:3]].right(caller.id, caller.owner_id, now(), needed)


def _presented_view_tag() -> str:
    """Return the strong entity tag by which a client asks for the rest of a transfer, or ''.

    Firefox sends it in `If-Match`, others in `If-Range`. While only the head of a long body is
    judged (`admit_long_body`), there is no request yet, and no transfer that goes on.
    """
    if not has_request_context():
        return ""
    headers = current_request().headers
    if not ("Range" in headers and declared().returns_original):
        return ""
    tag, is_weak = unquote_etag(headers.get("If-Range") or headers.get("If-Match"))
    return "" if is_weak else tag or ""

"""Authentication: one hook resolves the credential before any handler, which reads `g.caller`."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Self, TypeGuard
from urllib.parse import parse_qsl

from flask import (
    Request,
    Response,
    after_this_request,
    current_app,
    g,
    has_request_context,
    request,
)
from werkzeug.http import parse_cookie, unquote_etag

from models import ApiKey, Document, Session, User, connected, current_runtime
from models.accounts import (
    Assertion,
    Member,
    NotLetIn,
    ProxyNamesAnother,
    SessionHolder,
    StartedSession,
    acting,
    let_in,
)
from models.core import (
    AmbiguousCredentials,
    NotAuthenticated,
    NotFound,
    PersonRequired,
    ScopeMissing,
    ServiceError,
    SessionExpired,
    SessionRequired,
)
from models.links import NO_GRANT, UPLOAD, TokenGrant, take_body_slot
from models.runtime import Admission, network_of, service_error_of

from .clients import client_of_request
from .declarations import (
    API_KEY,
    COOKIE,
    DOCUMENT_TOKEN,
    NOBODY,
    OWNER,
    SESSION,
    TICKET,
    declared,
    opens_links,
)
from .proxy_identity import address_by_proxy, folded_address_by_proxy

NAMED = "named"  # by the trusted proxy: somebody who has no session yet
UPLOADS_BY_LINK = "/s"
COOKIE_NAMES = "__Host-session", "session"  # over https, and over http
SPACE_COOKIE_NAMES = "__Host-space", "space"  # of the session of a space, beside the person's own
MADE_FOR = "for"  # in the address of a form of a page: the space it was made for
FORM = "application/x-www-form-urlencoded"
_GLUED = ".,;:!?)]}>'\"*"  # characters that people append to a link in a sentence
_BETWEEN_HEADERS = re.compile(r",\s*(?=bearer )", re.I)  # the server joins a header sent twice


class OriginNotAllowed(ServiceError):
    code = "origin_not_allowed"
    sentence = "This form was sent by another site, so nothing was done. Open the page here first."


class OwnerChanged(ServiceError):
    code = "owner_changed"
    sentence = (
        "This form was made for another account or space than the one in which you are now, so "
        "nothing was done. Go there, and open the page anew."
    )


class LeftSpace(SessionExpired):
    """The session of a space has ended, of somebody whose own session goes on."""


@dataclass(frozen=True)
class Caller:
    """The caller of a request, with the permissions of their credential.

    `id` is that of the credential's row; `permissions` are a key's scopes, a token's, or those of
    the role of a `member`, who acts as a space. On the pages `person` is the same person without
    the space.
    """

    credential_type: str
    owner_id: str = ""
    id: str = ""
    permissions: frozenset[str] = frozenset()
    grant: TokenGrant = NO_GRANT
    member: Member | None = None
    person: "Caller | None" = None

    @classmethod
    def owner(
        cls,
        credential_type: str,
        owner_id: str,
        id: str,
        permissions: frozenset[str] = frozenset(),
        member: Member | None = None,
    ) -> Self:
        """Return the caller with an owner's session or API key."""
        grant = TokenGrant.of_owner(owner_id, id)
        return cls(credential_type, owner_id, id, permissions, grant, member)

    @property
    def person_id(self) -> str:
        """The id of the person who acts, in a space as elsewhere."""
        return self.member.user_id if self.member else self.owner_id

    @property
    def made_for(self) -> str:
        """The words by which a form of a page says for whom it was made: '' for the person."""
        return self.owner_id if self.member else ""

    @cached_property
    def user(self) -> User:
        return User.get_by_id(self.owner_id)

    def may(self, scope: str) -> bool:
        """Return whether the caller has the owner's session, or a credential with this `scope`.

        In a space the role decides.
        """
        is_person = self.credential_type in {SESSION, COOKIE} and self.member is None
        return is_person or scope in self.permissions

    def require(self, scope: str) -> None:
        """Raise `ScopeMissing` if the role in the space does not permit this."""
        if self.member:
            self.member.require(scope)

    def actor(self) -> dict[str, str]:
        """Return the caller as events name them: by ticket, the credential that opened the page."""
        ids = {API_KEY: {"apiKeyId": self.id}, DOCUMENT_TOKEN: {"tokenId": self.id}}
        opened_by = {"ses": SESSION, "key": API_KEY, "tok": DOCUMENT_TOKEN}
        via = SESSION if self.credential_type == COOKIE else self.credential_type
        via = opened_by[self.id[:3]] if via == TICKET else via
        acting_id = self.member.user_id if self.member else self.grant.acting_user_id
        collection = self.grant.collection_id
        reader = self.grant.reader
        return {
            "via": via,
            **ids.get(via, {}),
            **({"userId": acting_id} if acting_id else {}),
            **({"collection_id": collection} if collection else {}),
            **(vars(reader) if reader else {}),
        }

    def document(self, id: str) -> Document:
        """Return the caller's own document, or one that the link opens. Raise `NotFound`."""
        if self.grant.is_link:
            return self.grant.document(id)
        if self.grant.target_id and id != self.grant.target_id:  # a page that the owner opened
            raise NotFound
        return Document.one_of(self.owner_id, id)


Resolve = Callable[[str], Caller]
LINK_ONLY = "Open the link as it was sent to you: its address holds ?token=dt_…"


def resolve_caller(request: Request) -> Caller | None:
    """Refuse a caller before the body or the query is validated, as a before-request hook.

    A handler that declares no credentials is refused to everyone.
    """
    if request.endpoint is None:  # no such path, or not with this method
        return None
    view: Any = current_app.view_functions[request.endpoint]
    accepted = getattr(view, "accepts", ())
    is_page = COOKIE in accepted
    caller = _caller_of_page(request, accepted) if is_page else _only_caller(_credentials(request))
    g.caller = caller
    if caller.credential_type == NAMED:
        return caller
    if caller.credential_type not in accepted:
        raise _rejection(caller.credential_type, accepted)
    if is_page and request.method == "POST" and not (NOBODY in accepted or view.from_anywhere):
        _refuse_form_of_another(request, caller)
    if caller.member and NOBODY not in accepted:
        _require_role(caller.member, view)
    if not ("Idempotency-Key" in request.headers and request.method == "POST"):
        caller.grant.refuse_if_used_up()
    if caller.permissions == {UPLOAD} and "id" in (request.view_args or {}):
        raise NotFound  # a link that takes files opens no document
    needed = {API_KEY: view.scopes, DOCUMENT_TOKEN: filter(None, [view.permission])}
    for one in needed.get(caller.credential_type, ()):
        if one not in caller.permissions:
            raise ScopeMissing(f"This credential lacks {one!r}. Make one that has it.")
    return caller


def _refuse_form_of_another(request: Request, caller: Caller) -> None:
    """Raise `OwnerChanged` for a form that was made before somebody entered or left a space."""
    made_for = request.args.get(MADE_FOR, "")
    is_own = made_for == caller.owner_id and not caller.member
    if made_for != caller.made_for and not is_own:
        raise OwnerChanged


def _require_role(member: Member, view: Any) -> None:
    """Raise an error unless the role permits what the handler declares.

    `PersonRequired` for a handler that declares nothing: what is not for members is for persons.
    """
    if not (view.scopes or view.for_members):
        raise PersonRequired
    for scope in view.scopes:
        member.require(scope)


def admit_long_body(path: str, query: str, headers: Mapping[str, str]) -> Admission | None:
    """Return the admission of a long body by the head of its request; None to refuse the body.

    The head needs a valid session token or API key, on the pages for people a session's cookie, or
    a link that takes files and has room. The server asks before it receives a long body; header
    names are as in `X_API_KEY`. If the database fails, the body is admitted, and the application
    reports the failure after the body; a fault of the service is logged as well.
    """
    given: Iterable[tuple[Resolve, str]]
    given = _in_headers(headers.get("AUTHORIZATION"), headers.get("X_API_KEY"))
    if path.startswith("/app/"):
        cookies = parse_cookie(headers.get("COOKIE"))
        given = [(_by_cookie, cookies[name]) for name in COOKIE_NAMES if name in cookies][:1]
    elif path == UPLOADS_BY_LINK:
        given = chain(given, _in_fields(parse_qsl(query)))
    try:
        with connected():
            caller = _only_caller(given)
            if caller.credential_type in (*OWNER, COOKIE):
                return Admission()
            length, key = headers.get("CONTENT_LENGTH"), headers.get("IDEMPOTENCY_KEY", "")
            return take_body_slot(caller.grant, int(length or 0), key)
    except ServiceError:
        return None
    except Exception as error:  # noqa: BLE001
        if service_error_of(error) is None:
            logging.getLogger("docservice").error("a long body was not judged", exc_info=error)
        return Admission()


def _only_caller(credentials: Iterable[tuple[Resolve, str]]) -> Caller:
    """Return the caller of the only credential, or nobody.

    Raise `AmbiguousCredentials` for two, and an error for a wrong credential even beside a right
    one.
    """
    callers = [resolve(secret) for resolve, secret in islice(credentials, 2)]
    if len(callers) > 1:
        raise AmbiguousCredentials
    return callers[0] if callers else Caller(NOBODY)


def _caller_of_page(request: Request, accepted: tuple[str, ...]) -> Caller:
    """Return the caller of a page by its cookie, which stands alone.

    An ended session counts as none where the page needs none. Without a cookie the caller may be
    `NAMED`. Raise `AmbiguousCredentials`.
    """
    refuse_other_sites()
    cookie, others = request.cookies.get(_name()), list(islice(_credentials(request), 1))
    if others and (cookie or SESSION not in accepted):
        raise AmbiguousCredentials("Pages take the cookie of a login and no other credential.")
    needs_session = not cookie and not others and NOBODY not in accepted
    if needs_session and _opens_window(request) and address_by_proxy(request):
        return Caller(NAMED)
    try:
        if cookie:
            address = folded_address_by_proxy(request)
            person = Caller.owner(COOKIE, *Session.of_cookie(cookie, address))
            return _in_space(request, person, must_be=NOBODY not in accepted)
        return _only_caller(_credentials(request))
    except SessionExpired as error:
        if isinstance(error, ProxyNamesAnother):
            after_this_request(_without_cookie)
        if isinstance(error, LeftSpace):
            raise
        if NOBODY not in accepted or others:
            raise
        return Caller(NOBODY)


def _in_space(request: Request, person: Caller, *, must_be: bool) -> Caller:
    """Return the person as a member of the space that this browser has entered, if any.

    If the session of the space has ended, raise `LeftSpace` where the page `must_be` somebody's.
    But a form is the person's then, who is told if it was made for the space.
    """
    cookie = request.cookies.get(_name(SPACE_COOKIE_NAMES))
    if not cookie:
        return person
    try:
        holder = Session.of_token(cookie)
    except SessionExpired:
        holder = None
    if not _is_of(holder, person):
        if request.method == "POST" or not must_be:
            after_this_request(_without_space)
            return person
        raise LeftSpace
    return replace(Caller.owner(COOKIE, *holder), person=person)


def _is_of(holder: SessionHolder | None, person: Caller) -> TypeGuard[SessionHolder]:
    """Return whether it is a session of a space, by which this person acts."""
    member = holder.member if holder else None
    return member is not None and member.user_id == person.owner_id


def _opens_window(request: Request) -> bool:
    """Return whether this GET is for a page in a window of its own, and not for a part of one."""
    is_document = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.method == "GET" and is_document


def assertion_of_proxy(request: Request) -> Assertion | None:
    """Return whom the trusted proxy names; None if it names nobody."""
    address = address_by_proxy(request)
    return Assertion.of_proxy(address) if address else None


def let_in_named(request: Request) -> Caller:
    """Begin a session of whom the trusted proxy names, and return the caller with this session.

    The hook calls it when nothing can make the server begin the request again. Raises as `let_in`.
    """
    session = begin_session(Assertion.of_proxy(address_by_proxy(request) or ""))
    g.caller = Caller.owner(COOKIE, session.owner_id, session.id)
    return g.caller


def begin_session(assertion: Assertion, invite: str = "") -> StartedSession:
    """Begin a session of somebody whom the proxy or a provider knows, and set its cookie.

    Raises as `let_in`.
    """
    try:
        user, identity = let_in(assertion, invite, network_of(request.remote_addr or ""))
    except NotLetIn as error:
        line = "request %s: nobody was logged in: %s"
        logging.getLogger("docservice").warning(line, g.request_id, error.reason)
        raise
    seconds = current_runtime().settings.session_seconds
    with acting(assertion):
        session = Session.begin(user, seconds, client_of_request(), identity)

    @after_this_request
    def give(response: Response) -> Response:
        set_cookie(response, session.token, session.expires_in)
        return response

    return session


def _without_cookie(response: Response) -> Response:
    clear_cookie(response)
    return response


def _without_space(response: Response) -> Response:
    clear_space_cookie(response)
    return response


def _credentials(request: Request) -> Iterator[tuple[Resolve, str]]:
    """Yield each credential of a request, with the function that resolves it."""
    headers = request.headers
    yield from _in_headers(headers.get("Authorization"), headers.get("X-API-Key"))
    fields = request.form.items(multi=True) if is_form(request) else ()
    yield from _in_fields((*request.args.items(multi=True), *fields))


def _in_fields(fields: Iterable[tuple[str, str]]) -> Iterator[tuple[Resolve, str]]:
    for name, value in fields:
        if name == "token":
            resolve = _by_document_token if value.startswith("dt_") else _refuse_in_url
            yield resolve, value.rstrip(_GLUED)
        elif name == "ticket":
            yield _by_ticket, value
        elif name != "password" and value.startswith(("pk_live_", "v4.local.")):
            yield _refuse_in_url, value


def _in_headers(authorization: str | None, api_key: str | None) -> Iterator[tuple[Resolve, str]]:
    if authorization is not None:
        yield from ((_by_authorization, one) for one in _BETWEEN_HEADERS.split(authorization))
    if api_key is not None:
        yield from ((_by_api_key, key.strip()) for key in api_key.split(","))


def is_form(request: Request = request) -> bool:
    """Return whether the body is an HTML form, one of whose fields may hold a document token.

    Only a handler that takes a document token is called by a form.
    """
    return request.mimetype == FORM and DOCUMENT_TOKEN in (declared("accepts", request) or ())


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


def _by_cookie(secret: str) -> Caller:
    return Caller.owner(COOKIE, *Session.of_token(secret))


def _by_api_key(secret: str) -> Caller:
    return Caller.owner(API_KEY, *ApiKey.of_secret(secret))


def _by_document_token(secret: str) -> Caller:
    grant = TokenGrant.of_secret(secret, _presented_view_tag())
    return Caller(DOCUMENT_TOKEN, id=grant.id, permissions=grant.permissions, grant=grant)


def _presented_view_tag() -> str:
    """Return the strong entity tag by which a client asks for the rest of a transfer, or ''.

    Firefox sends it in `If-Match`, others in `If-Range`. While only the head of a long body is
    judged (`admit_long_body`), there is no request yet, and no transfer that goes on.
    """
    if not has_request_context():
        return ""
    if not (declared("has_ranges", request) and "Range" in request.headers):
        return ""
    tag, is_weak = unquote_etag(request.headers.get("If-Range") or request.headers.get("If-Match"))
    return "" if is_weak else tag or ""


def _by_ticket(secret: str) -> Caller:
    grant = TokenGrant.of_ticket(secret)
    return Caller(TICKET, grant.owner_id, grant.id, grant=grant)


def _refuse_in_url(_secret: str) -> Caller:
    sentence = "A session token or API key goes into a header, never into an address. Replace it."
    raise NotAuthenticated(sentence)


def _rejection(credential_type: str, accepted: tuple[str, ...]) -> ServiceError:
    if credential_type == NOBODY:
        return NotAuthenticated(None if SESSION in accepted or COOKIE in accepted else LINK_ONLY)
    if credential_type in OWNER and opens_links(accepted) and SESSION not in accepted:
        return ScopeMissing("This address is for those who have a link. It takes its token alone.")
    if API_KEY not in accepted:
        return SessionRequired()
    return ScopeMissing("A document token opens what its link leads to, and nothing else.")


# The cookie of the pages for people, which is a session token, and the guard of their forms.
# Only handlers that declare `COOKIE` read it; no handler of the API does.


def set_cookie(response: Response, token: str, seconds: int) -> None:
    """Set the session's cookie, for so many `seconds`.

    Over https its name has the prefix `__Host-` (RFC 6265bis, 4.1.3.2). Over http it has another
    name, as browsers drop a `Secure` cookie there.
    """
    _set_cookie(response, COOKIE_NAMES, token, seconds)
    if request.cookies.get(_name(SPACE_COOKIE_NAMES)):
        clear_space_cookie(response)


def set_space_cookie(response: Response, token: str, seconds: int) -> None:
    """Set the cookie of the session of a space, beside the person's own."""
    _set_cookie(response, SPACE_COOKIE_NAMES, token, seconds)


def clear_space_cookie(response: Response) -> None:
    set_space_cookie(response, "", 0)


def _set_cookie(response: Response, names: tuple[str, str], token: str, seconds: int) -> None:
    response.set_cookie(
        _name(names),
        token,
        max_age=seconds,
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )


def clear_cookie(response: Response) -> None:
    set_cookie(response, "", 0)


def refuse_other_sites() -> None:
    """Raise `OriginNotAllowed` for a POST that another site's page has sent, or may have sent.

    Browsers name the site in `Sec-Fetch-Site` (W3C Fetch Metadata), but over plain http to another
    machine only in `Origin`.
    """
    if request.method != "POST":
        return
    site = request.headers.get("Sec-Fetch-Site")
    is_ours = (
        is_own_origin(request.headers.get("Origin"))
        if site is None
        else site in {"same-origin", "none"}
    )
    if not is_ours:
        raise OriginNotAllowed


def is_own_origin(origin: str | None) -> bool:
    """Return whether this is the origin of the service, as the request or BASE_URL names it."""
    own = [request.host_url.rstrip("/")]
    if base_url := current_runtime().settings.base_url:
        own.append(base_url)
    return origin in own


def _name(names: tuple[str, str] = COOKIE_NAMES) -> str:
    return names[not request.is_secure]

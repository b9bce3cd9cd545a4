"""The caller of a request, which every handler reads as `g.caller`."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self, cast

from flask import Flask, Request, current_app, request
from flask import g as globals_of_flask
from flask.ctx import _AppCtxGlobals
from werkzeug.local import LocalProxy

from models import Document, User
from models.accounts import Member
from models.core import NotFound, ServiceError
from models.links import NO_GRANT, TokenGrant
from models.storage import current_right

from .credentials import API_KEY, COOKIE, DOCUMENT_TOKEN, SESSION, TICKET, UPLOAD_TICKET


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
        acting_user_id = member.user_id if member else ""
        grant = TokenGrant.of_owner(owner_id, id, acting_user_id=acting_user_id)
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

    def uses(self, scope: str) -> bool:
        """Return whether the caller `may`, and if so, let the request need it until it is done."""
        right = current_right.get()
        if right and self.may(scope):
            right.need(scope)
        return self.may(scope)

    def require(self, scope: str) -> None:
        """Raise `ScopeMissing` if the role in the space does not permit this, now or when it is
        done.
        """
        if self.member:
            self.member.require(scope)
            if right := current_right.get():
                right.need(scope)

    def actor(self) -> dict[str, str]:
        """Return the caller as events name them: by ticket, the credential that opened the page."""
        ids = {API_KEY: {"apiKeyId": self.id}, DOCUMENT_TOKEN: {"tokenId": self.id}}
        opened_by = {"ses": SESSION, "key": API_KEY, "tok": DOCUMENT_TOKEN}
        via = SESSION if self.credential_type == COOKIE else self.credential_type
        via = opened_by[self.id[:3]] if via in (TICKET, UPLOAD_TICKET) else via
        acting_id = self.grant.acting_user_id
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


class RequestGlobals(_AppCtxGlobals):
    """The values that the service keeps in Flask's `g` while it serves a request."""

    request_id: str
    started_at: float
    caller: Caller
    error: ServiceError  # of the response, where the response is its problem


g = cast("RequestGlobals", globals_of_flask)


def current_request() -> Request:
    """Return `request` itself, for what reads several attributes of it.

    The names of Flask find their object anew for each attribute: twenty take 3 % of reading a
    record.
    """
    return cast("LocalProxy[Request]", request)._get_current_object()


def current_application() -> Flask:
    """Return `current_app` itself."""
    return cast("LocalProxy[Flask]", current_app)._get_current_object()


def request_and_globals() -> tuple[Request, RequestGlobals]:
    """Return `request` and `g` themselves."""
    return current_request(), cast("LocalProxy[RequestGlobals]", g)._get_current_object()

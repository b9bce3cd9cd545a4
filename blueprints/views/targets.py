"""What a link opens, by what its target is now: a document.

This is the one place that asks. Each target has the same methods, which the routes at `/s` call.
"""

from typing import Any

from flask import Response, request

from models import Document, DocumentToken
from models.core import ScopeMissing
from models.links import TokenGrant

from ..http.authentication import Caller
from . import content, pages
from .gate import check_password, needs_prompt
from .links import base_url
from .notices import prefers_json


def target_of(caller: Caller) -> "DocumentTarget":
    if caller.grant is None:  # no route at `/s` takes another credential
        raise ScopeMissing
    return DocumentTarget(caller, caller.grant)


class DocumentTarget:
    """A link to a document opens what the document's own addresses open by its token."""

    kind = "document"

    def __init__(self, caller: Caller, grant: TokenGrant) -> None:
        self.caller, self.grant = caller, grant
        self.document: Document = caller.document(self.grant.document_id)

    def show(self) -> Response | dict[str, Any]:
        if prefers_json():
            return self._contents(is_open=not needs_prompt(self.grant))
        self._require_view()
        return pages.render("view", self.document, self.grant)

    def open(self, password: str | None) -> Response | dict[str, Any]:
        """As a page, or as JSON with addresses that use up no further view."""
        self._require_view()
        if not prefers_json():
            return pages.unlock("view", self.document, self.grant, password)
        check_password(self.document, self.grant, password)
        shows_original = pages.original_of(self.document, self.grant).shows_original
        ticket = self.grant.ticket(shows_original=shows_original)
        contents = self._contents(is_open=True, credential=f"ticket={ticket}")
        if not self.grant.came_by:
            owner_id = self.document.owner_id
            DocumentToken.count_view(owner_id, self.grant.id, "document.viewed")
        return contents

    def content(self) -> Response:
        read = content.read_by_page if self.grant.came_by else content.read
        return read(self.document, self.grant)

    def save(self) -> Response:
        return pages.render("download", self.document, self.grant)

    def save_by_password(self, **passwords: str) -> Response:
        return pages.download_by_password(self.document, self.caller, **passwords)

    def _require_view(self) -> None:
        if "view" not in self.grant.permissions:
            raise ScopeMissing("This link saves the document, and does not show it: /s/download.")

    def _contents(self, *, is_open: bool, credential: str = "") -> dict[str, Any]:
        """What the link opens, as JSON; behind a prompt it does not say what."""
        terms = {name: getattr(self.grant, name) for name in ("expires_at", "views_left")}
        return {
            "kind": self.kind,
            "title": self.document.name if is_open else None,
            "note": None,
            "permissions": " ".join(sorted(self.grant.permissions, reverse=True)),
            "has_password": self.grant.has_password,
            "documents": [self._record(credential)] if is_open else None,
            **terms,
        }

    def _record(self, credential: str) -> dict[str, Any]:
        """With the addresses that the permissions allow, by what opened the link unless given."""
        by_ticket = f"ticket={self.grant.came_by}"
        credential = credential or (by_ticket if self.grant.came_by else f"token={_token()}")
        may, path = self.grant.permissions, f"{base_url()}/v1/documents/{self.document.id}"
        shown = ("id", "name", "content_type", "size", "sha256")
        return {
            **{name: getattr(self.document, name) for name in shown},
            "view_url": f"{path}/view?{credential}" if "view" in may else None,
            "content_url": f"{path}/content?{credential}" if "download" in may else None,
        }


def _token() -> str:
    """The token that was presented."""
    return request.values.get("token") or request.headers["Authorization"].split()[-1]

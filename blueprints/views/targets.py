"""What a link opens, by what its target is now: a document, a collection, or the page that takes
files for one.

This is the one place that asks. Both kinds of targets have the same methods, which the routes at
`/s` call.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from flask import Response, g, request

from models import Collection, Document
from models.core import Busy, ScopeMissing, TargetChanged, TokenSpent
from models.links import UPLOAD, Target, TokenGrant

from ..http.authentication import Caller, resolve_caller
from . import archive, content, pages
from .links import base_url, record
from .notices import prefers_json
from .originals import original_of
from .prompt import admit, asked_by, credential_of, needs_prompt
from .receiving import UploadTarget

TRIES = 10  # while somebody changes a link without a pause
T = TypeVar("T")
Shown = Response | dict[str, Any]
SHOWN = "title", "note", "documents"  # of a link, unless it is behind its prompt
VIEW_ONLY = "This link permits to view the documents, not to save them."


def opened(act: Callable[[Any], T]) -> T:
    """What is done with the target of the caller's link, anew if that is changed meanwhile."""
    for _ in range(TRIES):
        try:
            return act(_target_of(g.caller))
        except TargetChanged:
            resolve_caller(request)
    raise Busy


def _target_of(caller: Caller) -> "LinkTarget | UploadTarget":
    if caller.grant is None:  # no route at `/s` takes another credential
        raise ScopeMissing
    takes_files = UPLOAD in caller.grant.permissions
    return UploadTarget(caller.grant) if takes_files else LinkTarget(caller, caller.grant)


class LinkTarget:
    """A document, which opens as by its own addresses, or a collection, whose contents page leads
    to each document.
    """

    def __init__(self, caller: Caller, grant: TokenGrant) -> None:
        if grant.collection_id and grant.collection is None:  # it was deleted a moment ago
            raise TokenSpent(origins=grant.origins)
        self.caller, self.grant = caller, grant
        self.target: Target = grant.collection or caller.document(grant.target_id)

    def show(self) -> Shown:
        """As a page, which is the prompt of a protected link, or as JSON."""
        if prefers_json():
            return self._contents("" if needs_prompt(self.grant) else credential_of(self.grant))
        self._require_view()
        return pages.render("view", self.target, self.grant)

    def open(self, **proof: Any) -> Shown:
        """As a page, or as JSON with addresses that use up no further view."""
        self._require_view()
        if not prefers_json():
            return pages.unlock("view", self.target, self.grant, proof)
        grant = self.grant = admit(self.target, self.grant, proof)
        document = self.target if isinstance(self.target, Document) else None
        shows_original = document is not None and original_of(document, grant).shows_original
        contents = self._contents(f"ticket={grant.ticket(shows_original=shows_original)}")
        record(self.target, grant, f"{contents['kind']}.viewed")
        return contents

    def content(self) -> Response:
        """The original, or all of them."""
        if isinstance(self.target, Collection):
            return self._archive(self.target)
        read = content.read_by_page if self.grant.came_by else content.read
        return read(self.target, self.grant)

    def save(self) -> Response:
        """As one HTML file."""
        return pages.save(self.target, self.grant)

    def save_by_password(self, **passwords: str) -> Response:
        """The same, encrypted."""
        return pages.download_by_password(self.target, self.caller, **passwords)

    def send_code(self, email: str) -> Any:
        return pages.send_code(self.target, self.grant, email)

    def judge_body(self) -> None:
        raise ScopeMissing("This link opens something. It takes no files.")

    def _require_view(self) -> None:
        if "view" not in self.grant.permissions:
            raise ScopeMissing("This link saves the document, and does not show it: /s/download.")

    def _archive(self, collection: Collection) -> Response:
        """By a token with a view limit it counts; HEAD then says nothing of what there is."""
        grant, counted = self.grant, None
        if grant.came_by:
            if "download" not in grant.permissions:
                raise ScopeMissing(VIEW_ONLY)
        elif grant.asks_first:
            raise ScopeMissing("This link asks for something first. Open it, and save from there.")
        elif grant.has_view_limit:
            if request.method == "HEAD":
                return Response(content_type=archive.ZIP)
            counted = partial(grant.count_view, collection)
        return archive.send_collection(collection, counted)

    def _contents(self, credential: str) -> dict[str, Any]:
        """What the link opens, as JSON; without a `credential` it is behind its prompt."""
        left, is_opening = self.grant.views_left, bool(credential) and needs_prompt(self.grant)
        return {
            "kind": "collection" if self.grant.collection_id else "document",
            **(self._shown(credential) if credential else dict.fromkeys(SHOWN)),
            "permissions": " ".join(sorted(self.grant.permissions, reverse=True)),
            "expires_at": self.grant.expires_at,
            "views_left": left - is_opening if left else left,
            "has_password": self.grant.has_password,
            **asked_by(self.grant),
        }

    def _shown(self, credential: str) -> dict[str, Any]:
        if isinstance(self.target, Collection):
            note, documents = self.target.note, self.target.documents
        else:
            note, documents = None, [self.target]
        records = [self._record(document, credential) for document in documents]
        return dict(zip(SHOWN, (self.target.name, note, records), strict=True))

    def _record(self, document: Document, credential: str) -> dict[str, Any]:
        """With the addresses that the permissions allow."""
        may, path = self.grant.permissions, f"{base_url()}/v1/documents/{document.id}"
        shown = ("id", "name", "content_type", "size", "sha256")
        return {
            **{name: getattr(document, name) for name in shown},
            "view_url": f"{path}/view?{credential}" if "view" in may else None,
            "content_url": f"{path}/content?{credential}" if "download" in may else None,
        }

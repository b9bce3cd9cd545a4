"""What a link opens, by what its target is now: a document, a collection, or the page that takes
files for one.

This is the one place that asks. Each target has the same methods, which the routes at `/s` call.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from flask import Response, g, request

import viewer
from models import Document
from models.core import (
    Busy,
    Invalid,
    ScopeMissing,
    TargetChanged,
    TokenSpent,
    WrongCredentials,
)
from models.links import UPLOAD, Target, TokenGrant

from ..http.authentication import Caller, is_form, resolve_caller
from . import archive, content, one_file, pages
from .links import base_url, visible
from .notices import prefers_json, small_page
from .prompt import admit, asked_by, credential_of, needs_prompt, prompt, receipt_url
from .receiving import UploadTarget

TRIES = 10  # while somebody changes a link without a pause
T = TypeVar("T")
Shown = Response | dict[str, Any]
NAMES_BYTES = 48_000  # of the names on a contents page, which has 192 KiB at most
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
    if UPLOAD in caller.grant.permissions:
        return UploadTarget(caller.grant)
    kind = CollectionTarget if caller.grant.collection_id else DocumentTarget
    return kind(caller, caller.grant)


class LinkTarget(ABC):
    kind: str
    target: Target

    def __init__(self, caller: Caller, grant: TokenGrant) -> None:
        self.caller, self.grant = caller, grant

    @abstractmethod
    def show(self) -> Shown:
        """As a page, which is the prompt of a link that has one, or as JSON."""

    @abstractmethod
    def open(self, **proof: Any) -> Shown:
        """As a page, or as JSON with addresses that use up no further view."""

    @abstractmethod
    def content(self) -> Response:
        """The original, or all of them."""

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

    def _contents(
        self, title: str, note: str | None, documents: Iterable[Document], credential: str = ""
    ) -> dict[str, Any]:
        """What the link opens, as JSON; without a `credential` it is behind its prompt."""
        left, is_opening = self.grant.views_left, bool(credential) and needs_prompt(self.grant)
        records = [self._record(document, credential) for document in documents]
        return {
            "kind": self.kind,
            "title": title if credential else None,
            "note": note if credential else None,
            "permissions": " ".join(sorted(self.grant.permissions, reverse=True)),
            "documents": records if credential else None,
            "expires_at": self.grant.expires_at,
            "views_left": left - is_opening if left else left,
            "has_password": self.grant.has_password,
            **asked_by(self.grant),
        }

    def _record(self, document: Document, credential: str) -> dict[str, Any]:
        """With the addresses that the permissions allow."""
        may, path = self.grant.permissions, f"{base_url()}/v1/documents/{document.id}"
        shown = ("id", "name", "content_type", "size", "sha256")
        return {
            **{name: getattr(document, name) for name in shown},
            "view_url": f"{path}/view?{credential}" if "view" in may else None,
            "content_url": f"{path}/content?{credential}" if "download" in may else None,
        }


class DocumentTarget(LinkTarget):
    """A link to a document opens what the document's own addresses open by its token."""

    kind = "document"

    def __init__(self, caller: Caller, grant: TokenGrant) -> None:
        super().__init__(caller, grant)
        self.target = self.document = caller.document(grant.target_id)

    def show(self) -> Shown:
        if prefers_json():
            return self._json("" if needs_prompt(self.grant) else credential_of(self.grant))
        self._require_view()
        return pages.render("view", self.document, self.grant)

    def open(self, **proof: Any) -> Shown:
        self._require_view()
        if not prefers_json():
            return pages.unlock("view", self.document, self.grant, proof)
        self.grant = admit(self.document, self.grant, proof)
        shows_original = pages.original_of(self.document, self.grant).shows_original
        ticket = self.grant.ticket(shows_original=shows_original)
        contents = self._json(f"ticket={ticket}")
        if not self.grant.came_by:
            self.grant.count_view(self.document, "document.viewed")
        return contents

    def content(self) -> Response:
        read = content.read_by_page if self.grant.came_by else content.read
        return read(self.document, self.grant)

    def _json(self, credential: str) -> dict[str, Any]:
        return self._contents(self.document.name, None, [self.document], credential)


class CollectionTarget(LinkTarget):
    """A link to a collection opens its contents page, which leads to each document."""

    kind = "collection"

    def __init__(self, caller: Caller, grant: TokenGrant) -> None:
        super().__init__(caller, grant)
        if grant.collection is None:  # it was deleted a moment ago
            raise TokenSpent(origins=grant.origins)
        self.target = self.collection = grant.collection

    def show(self) -> Shown:
        is_open = not needs_prompt(self.grant)
        if prefers_json():
            return self._json(credential_of(self.grant) if is_open else "")
        self._require_view()
        if is_open:
            return self._counted(self._page(credential_of(self.grant)))
        return prompt(self.grant, "view", None)

    def open(self, **proof: Any) -> Shown:
        self._require_view()
        try:
            self.grant = admit(self.collection, self.grant, proof)
        except (WrongCredentials, Invalid) as error:
            if is_form() and not prefers_json():
                return prompt(self.grant, "view", None, error)
            raise
        credential = f"ticket={self.grant.ticket(shows_original=False)}"
        return self._counted((self._json if prefers_json() else self._page)(credential))

    def content(self) -> Response:
        """By a token with a view limit it counts; HEAD then says nothing of what there is."""
        grant, record = self.grant, None
        if grant.came_by:
            if "download" not in grant.permissions:
                raise ScopeMissing(VIEW_ONLY)
        elif grant.asks_first:
            raise ScopeMissing("This link asks for something first. Open it, and save from there.")
        elif grant.has_view_limit:
            if request.method == "HEAD":
                return Response(content_type=archive.ZIP)
            record = partial(grant.count_view, self.collection)
        return archive.send_collection(self.collection, record)

    def _json(self, credential: str) -> dict[str, Any]:
        shown = self.collection
        return self._contents(shown.title, shown.note, shown.documents, credential)

    def _page(self, credential: str) -> Response:
        query = credential + ("&embed=1" if request.args.get("embed") == "1" else "")
        shown: dict[str, Any] = {"collection": self.collection, "visible": visible, "query": query}
        shown |= {"credential": credential, "fits": one_file.fits(self.collection)}
        shown["receipt"] = receipt_url(self.grant)
        if "download" in self.grant.permissions:
            shown["size"] = viewer.format_size(self.collection.size)
        found = self.collection.documents
        rows = [
            {
                **(row := one_file.row_of(one)),
                "name": _within(row["name"], NAMES_BYTES // len(found)),
                "path": f"v1/documents/{one.id}/view",  # from `/s`, below whatever prefix
            }
            for one in found
        ]
        return small_page("cover.html", 200, self.grant.origins, documents=rows, **shown)

    def _counted(self, answer: Shown) -> Shown:
        """The answer, as one view of the whole; by ticket it is none."""
        if request.method == "HEAD":
            return answer
        if self.grant.came_by:
            self.collection.record_read("collection.viewed")
        else:
            self.grant.count_view(self.collection, "collection.viewed")
        return answer


def _within(name: str, most_bytes: int) -> str:
    """Its beginning and end, as much as takes at most so many bytes of HTML."""
    shown, half = name, len(name) // 2
    while len(visible(shown).encode()) > most_bytes:
        half = half * 3 // 4
        shown = f"{name[:half]}…{name[-half:]}"
    return shown

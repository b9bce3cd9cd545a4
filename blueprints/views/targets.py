"""The target of a link as it is now: a document, a collection, or the page that takes files.

Only this module asks which kind it is. Both kinds of targets have the same methods, which the
routes at `/s` call.
"""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import quote

from flask import Response, request

from models import Collection, Document
from models.accounts import Sender, sender_of
from models.core import Busy, ScopeMissing, TargetChanged, WrongCredentials
from models.links import (
    UPLOAD,
    Receipt,
    Room,
    Target,
    TokenGrant,
    collection_of,
    judge_body,
    receive,
)
from viewer import badge, format_size, kind_of

from ..http import Caller, g, is_form
from ..http.authentication import resolve_caller
from ..http.body import seekable_body
from . import content, document_pages
from .collection import ZIP, send_originals
from .links import base_url
from .prompt import (
    admit,
    asked_by,
    credential_of,
    needs_prompt,
    prompt,
    require_open,
    require_saving,
)
from .small_pages import LOCAL_TIMES, UPLOADS, host, moment, prefers_json, small_page

TRIES = 10  # in case somebody changes the link without a pause
T = TypeVar("T")
Shown = Response | dict[str, Any]
RECEIPT_FILE = """Files sent to {receiver} for “{title}” on {host}

{name}
{size} bytes, received {receivedAt}
SHA-256 {sha256}
Entry in the recipient's log:
{eventId} {eventHash}
"""
SHOWN = "title", "note", "documents"  # fields of a link, null behind its prompt


def on_target(act: Callable[[Any], T]) -> T:
    """Return the result of `act` on the target of the caller's link.

    `act` is called anew if the target is changed meanwhile. Raise `Busy` after ten changes.
    """
    for _ in range(TRIES):
        try:
            return act(_target_of(g.caller))
        except TargetChanged:
            resolve_caller(request)
    raise Busy


def _target_of(caller: Caller) -> "LinkTarget | UploadTarget":
    takes_files = UPLOAD in caller.grant.permissions
    return UploadTarget(caller.grant) if takes_files else LinkTarget(caller, caller.grant)


class LinkTarget:
    """A document or a collection, which a link opens.

    A document opens as by its own addresses; the contents page of a collection leads to each
    document.
    """

    def __init__(self, caller: Caller, grant: TokenGrant) -> None:
        # the collection was deleted a moment ago
        if grant.collection_id and grant.collection is None:
            raise grant.spent()
        self.caller = caller
        self.grant = grant
        self.target: Target = grant.collection or caller.document(grant.target_id)

    def show(self) -> Shown:
        """Return a page, which is the prompt of a protected link, or JSON."""
        if prefers_json():
            return self._contents("" if needs_prompt(self.grant) else credential_of(self.grant))
        self._require_view()
        return document_pages.render("view", self.target, self.grant)

    def open(self, **proof: Any) -> Shown:
        """Return a page, or JSON with addresses that use up no further view."""
        self._require_view()
        if not prefers_json():
            return document_pages.unlock("view", self.target, self.grant, proof)
        grant = self.grant = admit(self.target, self.grant, proof)
        document = self.target if isinstance(self.target, Document) else None
        shows_original = document is not None and grant.shown(document).shows_original
        credential = f"ticket={grant.ticket(shows_original=shows_original)}"
        contents = self._contents(credential, views=1 if needs_prompt(grant) else 0)
        grant.record_reading(self.target, f"{contents['kind']}.viewed")
        return contents

    def content(self) -> Response:
        """Return the original, or all originals of a collection."""
        if isinstance(self.target, Collection):
            return self._archive(self.target)
        read = content.read_by_page if self.grant.came_by else content.read
        return read(self.target, self.grant)

    def save(self) -> Response:
        """Return one HTML file."""
        return document_pages.save(self.target, self.grant)

    def save_by_password(self, **passwords: str) -> Response:
        """Return one HTML file, encrypted."""
        return document_pages.download_by_password(self.target, self.caller, **passwords)

    def send_code(self, email: str) -> Any:
        return document_pages.send_code(self.target, self.grant, email)

    def judge_body(self) -> None:
        raise ScopeMissing("This link opens something. It takes no files.")

    def _require_view(self) -> None:
        if "view" not in self.grant.permissions:
            raise ScopeMissing("This link saves the document, and does not show it: /s/download.")

    def _archive(self, collection: Collection) -> Response:
        """Return the originals of a collection as a ZIP file.

        A token that counts its views counts one; HEAD then says nothing of the collection.
        """
        grant = self.grant
        if grant.came_by:
            require_saving(grant)
            return send_originals(collection, grant)
        require_open(grant, counts=True)
        if not grant.counts_views:
            return send_originals(collection, grant)
        if request.method == "HEAD":
            return Response(content_type=ZIP)
        return send_originals(collection, grant, partial(grant.count_view, collection))

    def _contents(self, credential: str, views: int = 0) -> dict[str, Any]:
        """Return the link's contents as JSON; without a `credential` they are behind its prompt.

        `views` is how many views this use of the link takes.
        """
        left = self.grant.views_left
        return {
            "kind": "collection" if self.grant.collection_id else "document",
            **(self._shown(credential) if credential else dict.fromkeys(SHOWN)),
            "permissions": " ".join(sorted(self.grant.permissions, reverse=True)),
            "expires_at": self.grant.expires_at,
            "views_left": max(0, left - views) if left is not None else None,
            "has_password": self.grant.has_password,
            **asked_by(self.grant),
        }

    def _shown(self, credential: str) -> dict[str, Any]:
        if isinstance(self.target, Collection):
            note = self.target.note
            documents = self.target.documents
        else:
            note = None
            documents = [self.target]
        return {
            "title": self.target.name,
            "note": note,
            "documents": [self._described(document, credential) for document in documents],
        }

    def _described(self, document: Document, credential: str) -> dict[str, Any]:
        """Return the description of a document, with the addresses that the permissions allow."""
        may = self.grant.permissions
        path = f"{base_url()}/v1/documents/{document.id}"
        return {
            "id": document.id,
            "name": document.name,
            "content_type": document.content_type,
            "size": document.size,
            "sha256": document.sha256,
            "view_url": f"{path}/view?{credential}" if "view" in may else None,
            "content_url": f"{path}/content?{credential}" if "download" in may else None,
        }


class UploadTarget:
    """A link that takes files for a collection, and shows nothing of it but title and note."""

    kind = "upload"

    def __init__(self, grant: TokenGrant) -> None:
        self.grant = grant
        self.collection = collection_of(grant)

    def show(self) -> Response | dict[str, Any]:
        address = None if needs_prompt(self.grant) else self._address()
        if prefers_json():
            return self._contents(address)
        return self._page(address) if address else prompt(self.grant, self.kind, self.collection)

    def open(self, **proof: Any) -> Response | dict[str, Any]:
        """Return a page or JSON. If there is a password, files are then sent by a ticket."""
        try:
            admit(self.collection, self.grant, proof)
        except WrongCredentials as error:
            if is_form() and not prefers_json():
                return prompt(self.grant, self.kind, self.collection, error)
            raise
        address = self._address()
        return self._contents(address) if prefers_json() else self._page(address)

    def judge_body(self) -> None:
        """Judge a long file before it is received, and any other before it is read.

        Raise `Busy` if all slots are taken.
        """
        key = request.headers.get("Idempotency-Key", "")
        judge_body(self.grant, self.collection, request.content_length or 0, key)
        if request.content_length and not seekable_body(request).read(1):
            raise Busy  # all slots are taken

    def receive(self, **file: Any) -> Receipt:
        return receive(self.grant, **file)

    def receipt_page(self, receipt: dict[str, Any]) -> Response:
        kind = kind_of("application/octet-stream", receipt["name"])
        shown = {
            "shown_size": format_size(receipt["size"]),
            "shown_time": f"{receipt['receivedAt'][11:16]} UTC",
            "kind": kind,
            "badge": badge(receipt["name"], kind),
        }
        left = receipt["filesLeft"], receipt["bytesLeft"]
        return self._page(self._address(), left, receipt | shown)

    def refuse(self, **_: Any) -> Response:
        raise ScopeMissing("This link takes files. It opens none.")

    content = save = save_by_password = send_code = refuse

    def _address(self) -> str:
        return f"?{credential_of(self.grant)}"

    def _contents(self, address: str | None) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "title": self.collection.title if address else None,
            "note": self.collection.note if address else None,
            "permissions": self.kind,
            "expires_at": self.grant.expires_at,
            "has_password": self.grant.has_password,
            "views_left": self.grant.views_left,
            "upload_url": f"{base_url()}/s{address}" if address else None,
            "uploads_url": f"{base_url()}/s/uploads{address}" if address else None,
            **vars(Room.of(self.grant, self.collection)),
        }

    def _page(
        self, address: str, left: tuple[int, int] | None = None, receipt: Any = None
    ) -> Response:
        """Return the page that takes files.

        `left` are the numbers of files and of bytes that are left, if they have changed meanwhile.
        """
        room = Room.of(self.grant, self.collection)
        sender = sender_of(self.grant.link_owner_id)
        files_left, bytes_left = left or (room.files_left, room.bytes_left)
        return small_page(
            "upload.html",
            201 if receipt else 200,
            (),
            *LOCAL_TIMES,
            "counts.js",
            "kinds.js",
            "folders.js",
            "large_files.js",
            UPLOADS,
            collection=self.collection,
            sender=sender,
            address=address,
            receipt=receipt,
            receipt_file=receipt and self._receipt_file(receipt, sender),
            files_left=files_left,
            bytes_left=bytes_left,
            largest=room.max_upload_bytes,
            by_form=room.max_file_bytes,
            link_digest=sha256(self.grant.id.encode()).hexdigest()[:16],
            total=format_size(bytes_left),
            most=format_size(min(bytes_left, room.max_file_bytes)),
            end=moment(self.grant.expires_at),
            host=host(),
        )

    def _receipt_file(self, receipt: dict[str, Any], sender: Sender | None) -> str:
        """Return the address of a text file that holds the receipt, as the page's script makes it.

        `document-service audit verify --against` takes the file.
        """
        receiver = sender.called if sender else "the sender of the link"
        text = RECEIPT_FILE.format(
            receiver=receiver, title=self.collection.title, host=host(), **receipt
        )
        return f"data:text/plain;charset=utf-8,{quote(text)}"

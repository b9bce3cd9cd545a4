"""A link that takes files: its page, and what stands on it after a file has come in."""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from flask import Response, request

from models.core import Busy, ScopeMissing, WrongCredentials
from models.links import (
    Receipt,
    Room,
    TokenGrant,
    collection_of,
    judge_body,
    receive,
)
from viewer import format_size

from ..http.authentication import is_form
from ..http.body import seekable_body
from .links import base_url, visible
from .notices import day, prefers_json, small_page
from .prompt import admit, credential_of, needs_prompt, prompt


class UploadTarget:
    """A link that takes files for a collection, and shows nothing of it but title and note."""

    kind = "upload"

    def __init__(self, grant: TokenGrant) -> None:
        self.grant, self.collection = grant, collection_of(grant)

    def show(self) -> Response | dict[str, Any]:
        address = None if needs_prompt(self.grant) else self._address()
        if prefers_json():
            return self._contents(address)
        return self._page(address) if address else prompt(self.grant, self.kind, None)

    def open(self, **proof: Any) -> Response | dict[str, Any]:
        """Files are then sent by a ticket, if there is a password."""
        try:
            admit(self.collection, self.grant, proof)
        except WrongCredentials as error:
            if is_form() and not prefers_json():
                return prompt(self.grant, self.kind, None, error)
            raise
        address = self._address()
        return self._contents(address) if prefers_json() else self._page(address)

    def judge_body(self) -> None:
        """Before a file is received if it is long, else before it is looked at."""
        key = request.headers.get("Idempotency-Key", "")
        judge_body(self.grant, self.collection, request.content_length or 0, key)
        if request.content_length and not seekable_body(request).read(1):
            raise Busy  # all slots are taken

    def receive(self, **file: Any) -> Receipt:
        return receive(self.grant, **file)

    def receipt_page(self, receipt: dict[str, Any]) -> Response:
        moment = datetime.fromisoformat(receipt["receivedAt"]).timestamp()
        shown = {"size": format_size(receipt["size"]), "receivedAt": day(int(moment * 1000))}
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
            **vars(Room.of(self.grant, self.collection)),
        }

    def _page(
        self, address: str, left: tuple[int, int] | None = None, receipt: Any = None
    ) -> Response:
        """`left` are the numbers of files and of bytes, if they have changed meanwhile."""
        room = Room.of(self.grant, self.collection)
        files_left, bytes_left = left or (room.files_left, room.bytes_left)
        shown: dict[str, Any] = {"address": address, "receipt": receipt, "visible": visible}
        shown |= {"files_left": files_left, "total": format_size(bytes_left)}
        shown |= {"most": format_size(min(bytes_left, room.max_file_bytes))}
        shown |= {"end": day(self.grant.expires_at), "host": urlsplit(base_url()).netloc}
        status = 201 if receipt else 200
        return small_page(
            "upload.html", status, (), "upload.js", collection=self.collection, **shown
        )

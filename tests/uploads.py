"""An upload without HTTP, for tests of the models."""

from dataclasses import dataclass
from typing import Any

from models import Collection, DocumentToken
from models.core import PayloadTooLarge
from models.documents import uploads as models_upload
from models.storage.payloads import PIECE_BYTES


def pieces(payload):
    return (payload[at : at + PIECE_BYTES] for at in range(0, len(payload), PIECE_BYTES))


@dataclass
class Sent:
    """A payload as JSON and forms hand it on."""

    content: Any
    size: int

    def pieces(self):
        return self.content

    def refuse_if_longer(self, limit_bytes):
        if self.size > limit_bytes:
            raise PayloadTooLarge(limit_bytes)


def upload(owner, payload=b"content", content_type="text/plain", **fields):
    return send(owner, Sent(pieces(payload), len(payload)), content_type, **fields)


def send(owner, sent, content_type="text/plain", *, link=None, collection=None, **fields):
    """Upload what is sent, with a link of these options, and append it to the collection."""
    with models_upload.upload(owner.id, sent, content_type=content_type, **fields) as document:
        if link:
            DocumentToken.issue(document, link, with_upload=True)
        if collection:
            Collection.append(owner.id, collection.id, document)
    return document

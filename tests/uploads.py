"""An upload without HTTP, for tests of the models."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from models import DocumentToken
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
    sent = Sent(pieces(payload), len(payload))
    document, _ = models_upload.upload(owner.id, sent, content_type=content_type, **fields)
    return document


def first_link(options):
    """What issues the first link of a new document."""
    return partial(DocumentToken.issue, options=options, with_upload=True)

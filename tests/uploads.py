"""An upload without HTTP, for tests of the models."""

from models.documents import uploads as models_upload
from models.storage.payloads import PIECE_BYTES


def pieces(payload):
    return (payload[at : at + PIECE_BYTES] for at in range(0, len(payload), PIECE_BYTES))


def upload(owner, payload=b"content", content_type="text/plain", **fields):
    more = {"size": len(payload), "content_type": content_type, **fields}
    document, _ = models_upload.upload(owner.id, pieces(payload), **more)
    return document

"""An upload without HTTP, for tests that stand on the models."""

from models.storage.payload_rows import PIECE_BYTES
from models.upload import uploaded


def upload(owner, payload=b"content", content_type="text/plain", **fields):
    pieces = (payload[at : at + PIECE_BYTES] for at in range(0, len(payload), PIECE_BYTES))
    more = {"size": len(payload), "content_type": content_type, **fields}
    with uploaded(owner.id, pieces, **more) as document:
        return document

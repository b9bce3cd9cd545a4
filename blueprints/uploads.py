"""From the body of an upload to a stored document with its first link."""

from collections.abc import Iterator
from typing import Any

from flask import current_app

from models import Document, writing
from models.errors import PayloadTooLarge
from models.piece import PIECE_BYTES

from .links import issue_link


def store(owner_id: str, body: dict[str, Any]) -> Document:
    """Document and link exist together or not at all."""
    payload, terms = body.pop("payload"), body.pop("token")
    limit_bytes = current_app.config["MAX_DOCUMENT_BYTES"]
    if len(payload) > limit_bytes:
        raise PayloadTooLarge(limit_bytes)
    with writing():
        document = Document.upload(owner_id, _pieces(payload), size=len(payload), **body)
        document.token = None if terms is None else issue_link(document, terms)
    return document


def _pieces(payload: bytes) -> Iterator[bytes]:
    for start in range(0, len(payload), PIECE_BYTES):
        yield payload[start : start + PIECE_BYTES]

"""From the body of an upload to a stored document with its first link."""

from typing import Any

from flask import current_app

from models import Document
from models.errors import Invalid, PayloadTooLarge
from models.upload import uploaded

from .views.links import issue_link, link_options


def store(owner_id: str, body: dict[str, Any]) -> Document:
    """Document and link exist together or not at all."""
    payload, asked = body.pop("payload"), body.pop("token")
    limit_bytes = current_app.config["MAX_DOCUMENT_BYTES"]
    if payload.size > limit_bytes:
        fault = payload.fault()
        raise Invalid("#/payload", fault) if fault else PayloadTooLarge(limit_bytes)
    terms = None if asked is None else link_options(asked)
    with uploaded(owner_id, payload.pieces(), size=payload.size, **body) as document:
        document.token = None if terms is None else issue_link(document, terms)
    return document

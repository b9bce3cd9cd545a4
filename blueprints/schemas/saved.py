"""The records in the ZIP file of an account: those of the API, with more values."""

from marshmallow import fields

from models.links import KeptText

from .fields import Timestamp
from .responses import (
    OWN,
    CollectionRecord,
    DocumentRecord,
    DocumentTokenRecord,
    OpeningRecord,
    ResponseSchema,
    Shown,
)


class Moments(fields.Dict):
    """Moments by a text, as the address to which something was sent."""

    def __init__(self) -> None:
        super().__init__(values=Timestamp())


class SavedDocument(DocumentRecord):
    binned_at = Timestamp(allow_none=True)
    came_by = fields.String(allow_none=True)
    uploader_id = fields.String(allow_none=True)


class SavedCollection(CollectionRecord):
    document_ids = fields.List(fields.String())


class SavedLink(DocumentTokenRecord):
    disabled_at = Timestamp(allow_none=True)
    spent_at = Timestamp(allow_none=True)
    sent_at = Moments()


class SavedOpening(OpeningRecord):
    token_id = fields.String()


class SavedText(ResponseSchema):
    """A text that links have asked to accept."""

    shown = Shown(KeptText, {"owner_id": OWN}, {"target_id": "document_id collection_id"})

    id = fields.String()
    created_at = Timestamp()
    document_id = fields.String(allow_none=True)
    collection_id = fields.String(allow_none=True)
    sha256 = fields.String()
    text = fields.String()

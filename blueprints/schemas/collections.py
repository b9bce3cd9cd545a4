"""Collections in JSON: what makes and changes one, and how it is answered."""

from typing import Any

from marshmallow import fields, validate

from models.documents import MOST_DOCUMENTS

from .fields import List, Password, StrictInteger, Text, Timestamp
from .links import DocumentLinks
from .requests import NewDocumentToken, PageQuery
from .responses import DocumentRecord
from .schema import CamelCaseSchema, Records, ResponseSchema, described

_MOST_BYTES = 1, 10**12
_TITLE, _NOTE = (1, 200), (1, 2000)
MAX_BYTES = described("How many bytes it may hold for a stranger's file to be taken.")


def _documents(description: str, **options: Any) -> List:
    length = validate.Length(max=MOST_DOCUMENTS, error=f"At most {MOST_DOCUMENTS} documents.")
    return List(Text(1, 100), validate=length, **described(description), **options)


class NewCollection(CamelCaseSchema):
    title = Text(*_TITLE, required=True)
    note = Text(*_NOTE, allow_none=True, load_default=None)
    document_ids = _documents("In the order in which they are shown.", load_default=list)
    max_bytes = StrictInteger(*_MOST_BYTES, load_default=1 << 30, **MAX_BYTES)
    token = fields.Nested(NewDocumentToken, allow_none=True, load_default=None)


class CollectionEdit(CamelCaseSchema):
    title = Text(*_TITLE)
    note = Text(*_NOTE, allow_none=True)
    max_bytes = StrictInteger(*_MOST_BYTES, **MAX_BYTES)
    add = _documents("Documents that it shall also have, behind the others.")
    remove = _documents("Documents that it shall not have.")
    order = _documents("These come first, in this order; the others follow as they were.")


class CollectionQuery(PageQuery):
    document_id = Text(1, 100, **described("Only those with this document."))


class FilePassword(CamelCaseSchema):
    password = Password(1, 1024, required=True, **described("Of your choice: it opens the file."))


class CollectionRecord(ResponseSchema):
    id = fields.String()
    title = fields.String()
    note = fields.String(allow_none=True)
    document_count = fields.Integer()
    size = fields.Integer(**described("Bytes of its documents."))
    max_bytes = fields.Integer(**MAX_BYTES)
    created_at = Timestamp()


class CollectionWithDocuments(CollectionRecord):
    documents = Records(DocumentRecord, **described("In order."))


class NewCollectionResponse(CollectionWithDocuments):
    token = fields.Nested(DocumentLinks, allow_none=True)

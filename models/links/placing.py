"""The first link of a new document, and its place in a collection."""

from ..documents import Collection, Document
from ..records import Issued
from .document_token import DocumentToken, LinkOptions


def place_document(
    document: Document, options: LinkOptions | None, collection_id: str | None
) -> Issued[DocumentToken] | None:
    """Return the first link of a new document, which is appended to a collection.

    Call it in the transaction that stores the document. Without `options` there is no link, and
    without a `collection_id` no collection. Raises `NotFound`, `Invalid`.
    """
    link = DocumentToken.issue(document, options, with_upload=True) if options else None
    if collection_id:
        Collection.append(document.owner_id, collection_id, document)
    return link

"""The links of a user over all documents."""

import logging
from dataclasses import dataclass

from crypto import DecryptionError, RootKeyMissing

from .document import Document
from .document_token import DocumentToken
from .records.issued import RowWith
from .records.owned import ResultPage


@dataclass(frozen=True)
class ListedLink(RowWith[DocumentToken]):
    """A token with its label, which is None if the document is gone or does not open."""

    label: str | None


def links_of_owner(
    owner_id: str, limit: int, after: str | None, state: str | None = None
) -> ResultPage:
    """A page of `ListedLink`s; `state` is `live` or `ended`, None for both."""
    filters = {state: True} if state else {}
    tokens, further = DocumentToken.page_of(owner_id, limit, after, **filters)
    documents = {id: Document.find(id) for id in {token.document_id for token in tokens}}
    return [_listed(token, documents[token.document_id]) for token in tokens], further


def _listed(token: DocumentToken, document: Document | None) -> ListedLink:
    if document is None:
        return ListedLink(token, None)
    token.document = document
    try:
        return ListedLink(token, token.label)
    except (DecryptionError, RootKeyMissing):
        logging.getLogger("docservice").error("the label of %s does not open", token.id)
        return ListedLink(token, None)

"""A collection as one HTML file: a contents page, and each document as a page of its own."""

from collections.abc import Callable
from itertools import chain

from flask import Response, request

import viewer
from models import Collection, Document, connected, current_runtime
from models.core import PayloadTooLarge, ServiceError
from models.documents import kind_of
from models.links import TokenGrant

from .originals import original_of


class TooLargeForOneFile(PayloadTooLarge):
    def __init__(self, size: int, most: int) -> None:
        sentence = f"These documents have {size:,} bytes; one HTML file holds {most:,}. "
        ServiceError.__init__(self, sentence + "Save them as a ZIP file: …/content.")


def fits(collection: Collection) -> bool:
    return collection.size <= current_runtime().settings.max_document_bytes


def send(collection: Collection, grant: TokenGrant | None, password: str | None = None) -> Response:
    """The documents as they are now, in order, each made when its turn comes. What is wrong with
    the first is an error; later it breaks the transfer off. For HEAD nothing is read.
    """
    if not fits(collection):
        most = current_runtime().settings.max_document_bytes
        raise TooLargeForOneFile(collection.size, most)
    seal = password and Document.password_seal(password, grant.id if grant else collection.owner_id)
    headers, body = viewer.download_several(_contents(collection, grant), seal or None)
    if request.method == "HEAD":
        return Response(headers=headers)
    pieces = chain([next(body)], body)  # the first is made now
    if grant and not grant.came_by:
        grant.count_view(collection, "collection.downloaded")
    else:
        collection.record_read("collection.downloaded")
    return Response(pieces, headers=headers, direct_passthrough=True)


def _contents(collection: Collection, grant: TokenGrant | None) -> viewer.Contents:
    listed = [
        viewer.Listed(
            **row_of(one),
            content_type=one.content_type,
            size=one.size,
            sha256=one.sha256,
            open=_opener(one.owner_id, one.id, grant),
        )
        for one in collection.documents
    ]
    return viewer.Contents(collection.title, collection.note, listed)


def row_of(document: Document) -> dict[str, str]:
    """How a contents page names it."""
    kind = kind_of(document.media_type, document.name)
    return {
        "name": document.name.strip() or document.default_name,
        "badge": viewer.badge(document.name, kind),
        "facts": f"{kind} · {viewer.format_size(document.size)}",
    }


def _opener(owner_id: str, id: str, grant: TokenGrant | None) -> Callable[[], viewer.ShownDocument]:
    """Finds the document again, so that a long list of them holds no keys."""

    def open_document() -> viewer.ShownDocument:
        with connected():
            document = Document.one_of(owner_id, id)
        return original_of(document, grant, saves=True)

    return open_document

"""Collections: ordered lists of documents with a title, which links open as a whole."""

from dataclasses import dataclass
from typing import Any

from flask import Response

from models import Collection, DocumentToken, RowWith, in_one_transaction
from models.links import LinkOptions, delete_collection

from .http import DELETE, OWNER, READ, WRITE, ApiBlueprint, g
from .schemas.requests import CollectionEdit, CollectionQuery, FilePassword, NewCollection
from .schemas.responses import (
    CollectionRecord,
    CollectionWithDocuments,
    NewCollectionResponse,
    list_page,
    list_schema,
)
from .views.collection import ZIP, send_one_file, send_originals
from .views.links import IssuedLink, base_url, with_addresses

collections = ApiBlueprint(
    "collections", __name__, url_prefix="/v1/collections", description="Collections"
)
HTML = {"type": "string"}


@collections.post("", accepts=OWNER, scope=(READ, WRITE), idempotent=True)
@collections.arguments(NewCollection())
@collections.response(201, NewCollectionResponse)
def make(body: dict[str, Any]) -> Any:
    """Make a collection of documents

    `title` and `note` are shown to everybody who opens a link to the collection. A document may be
    in any number of collections. With `token`, which may be `{}`, the response holds a link.
    """
    collection = _make(g.caller.owner_id, **body)
    return collection, 201, {"Location": f"{base_url()}/v1/collections/{collection.row.id}"}


@collections.get("", accepts=OWNER, scope=READ)
@collections.arguments(CollectionQuery(), location="query")
@collections.response(200, list_schema("collections", CollectionRecord))
def list_owned(query: dict[str, Any]) -> Any:
    """List the caller's collections"""
    return list_page(Collection.listed(g.caller.owner_id, **query))


@collections.get("/<id>", accepts=OWNER, scope=READ)
@collections.response(200, CollectionWithDocuments)
def get(id: str) -> Collection:
    """Return a collection with its documents"""
    return Collection.one_of(g.caller.owner_id, id)


@collections.patch("/<id>", accepts=OWNER, scope=(READ, WRITE))
@collections.arguments(CollectionEdit())
@collections.response(200, CollectionWithDocuments)
def edit(body: dict[str, Any], id: str) -> Collection:
    """Change the title, the note, the limit or the documents of a collection

    The call takes no whole list, so that a file that was added meanwhile is not lost. An id in
    `add` that is in the collection already, and an id in `remove` that is not, change nothing.
    """
    return Collection.edit(g.caller.owner_id, id, **body)


@collections.delete("/<id>", accepts=OWNER, scope=DELETE)
@collections.response(204)
def delete(id: str) -> None:
    """Delete a collection and revoke the links to it; its documents stay"""
    delete_collection(Collection.one_of(g.caller.owner_id, id))


@collections.get("/<id>/content", accepts=OWNER, scope=READ)
@collections.returns_file(ZIP)
def content(id: str) -> Response:
    """Return the originals of a collection as one ZIP file

    The last entry, `SHA256SUMS`, can be checked by `sha256sum -c`.
    """
    return send_originals(Collection.one_of(g.caller.owner_id, id), g.caller.grant)


@collections.get("/<id>/download", accepts=OWNER, scope=READ)
@collections.response(200, HTML, content_type="text/html")
def download(id: str) -> Response:
    """Download a collection as one self-contained HTML file

    The file has a contents page, readable without scripts, and a page for each document, which
    gives the original back byte for byte. All originals together are at most as large as one
    document may be; a larger collection is saved as a ZIP file.
    """
    return send_one_file(Collection.one_of(g.caller.owner_id, id), g.caller.grant)


@collections.post("/<id>/download", accepts=OWNER, scope=READ)
@collections.arguments(FilePassword())
@collections.response(200, HTML, content_type="text/html")
def download_encrypted(body: dict[str, Any], id: str) -> Response:
    """Download a collection as one self-contained HTML file that a password opens

    The contents page and each document are encrypted separately, and opened one at a time.
    """
    return send_one_file(Collection.one_of(g.caller.owner_id, id), g.caller.grant, body["password"])


@dataclass(frozen=True)
class NewCollectionWithLink(RowWith[Collection]):
    """A new collection, and its first link if the caller asked for a link."""

    token: IssuedLink | None


def _make(owner_id: str, token: Any, **facts: Any) -> NewCollectionWithLink:
    options = None if token is None else LinkOptions.of(**token)
    link = None
    with in_one_transaction():
        collection = Collection.make(owner_id, **facts)
        if options:
            link = with_addresses(DocumentToken.issue(collection, options))
    return NewCollectionWithLink(collection, link)

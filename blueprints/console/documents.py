"""The list of documents, and uploading."""

from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import Response, g, jsonify, request
from werkzeug.datastructures import MultiDict

from models import Document, DocumentToken, current_runtime
from models.documents import KINDS, ORDERS, documents_page, media_types_of, upload
from models.links import links_by_document

from ..http.body import seekable_body
from ..http.multipart import Part, fingerprint_of_parts, read_parts
from ..schemas.requests import NewDocumentToken
from ..schemas.uploads import UploadForm
from ..views.content import UNKNOWN_TYPE
from ..views.links import base_url
from .blueprint import HOME, Pages, go, render
from .forms import accepts_html, once, text
from .links import link_fields, show_new

documents = Pages("documents", "/documents")
ROWS = 14  # a page with its assets has at most 34 KiB
_MOST_TEXT = 4096  # bytes of a field of the form
_FILE_PARTS = {"file", "name", "metadata", "contentType", "expiresAt", "token"}


@documents.get("")
def show_documents(**_: str) -> Response:
    """List the documents, by name, type and order, page by page"""
    asked = {name: request.args.get(name, "").strip() for name in ("name", "type", "sort")}
    number, owner_id = max(1, request.args.get("page", 1, int)), g.caller.owner_id
    filters: dict[str, Any] = {"name": asked["name"], "media_types": media_types_of(asked["type"])}
    page = documents_page(owner_id, ROWS, number, order=asked["sort"], **filters)
    given = {name: value for name, value in asked.items() if value}
    shown: dict[str, Any] = {"kinds": KINDS, "sorts": ORDERS, "asked": asked, "list": page}
    shown |= {"address": lambda other: "?" + urlencode(given | {"page": other})}
    shown |= {"links": links_by_document(page.documents), "stored": Document.stored_by(owner_id)}
    runtime = current_runtime()
    shown |= {"quota": runtime.quota, "limit": runtime.settings.max_document_bytes}
    return render("documents", base=base_url(), **shown)


@documents.post("", shows=show_documents, form=UploadForm())
def upload_document() -> Response:
    """Upload a document, and make a link to it if one is asked for"""
    body, content_type = seekable_body(request), request.content_type or ""
    digest, key = fingerprint_of_parts(body, content_type), request.args.get("key", "")
    parts: Any = read_parts(body, content_type)
    g.typed = MultiDict(
        (part.name, part.content.head(_MOST_TEXT).decode(errors="replace"))
        for part in parts
        if part.name not in _FILE_PARTS
    )
    made = once(lambda: _store(parts), key, digest)
    if not accepts_html():
        return jsonify(made)
    return show_new(made["link"]) if made["link"] else go(made["address"])


def _store(parts: list[Part]) -> dict[str, Any]:
    """The address of the document's page, and the id of the link if one was asked for."""
    wants_link = text("act") == "link"
    terms = NewDocumentToken().load(link_fields()) if wants_link else None
    form: Any = [part for part in parts if part.name in _FILE_PARTS]
    facts = UploadForm().load(form)
    payload, _, type = facts.pop("payload"), facts.pop("token"), facts.pop("content_type", "")
    owner_id = g.caller.owner_id
    current_runtime().upload_limiter.spend(owner_id)
    if terms is not None:
        facts["prepare"] = partial(DocumentToken.first_link, owner_id, **terms)
    document, issued = upload(owner_id, payload, content_type=type or UNKNOWN_TYPE, **facts)
    return {"address": f"{HOME}/{document.id}", "link": issued.row.id if issued else None}

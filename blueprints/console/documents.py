"""The list of documents, and uploading."""

from typing import Any
from urllib.parse import urlencode

from flask import Response, g, jsonify, request

from models import Document, current_runtime
from models.documents import KINDS, find_documents, media_types_of, upload
from models.links import count_live_links

from ..http.body import seekable_body
from ..http.multipart import fingerprint_of_parts, read_parts
from ..schemas.uploads import UploadForm
from ..views.content import UNKNOWN_TYPE
from ..views.links import base_url
from .blueprint import HOME, Pages, go, render
from .forms import accepts_html, once

documents = Pages("documents", "/documents")
ROWS = 20  # a page with its assets has at most 30 KiB


@documents.get("")
def show_documents(**_: str) -> Response:
    """List the documents, newest first, by name and type"""
    asked = {name: request.args.get(name, "").strip() for name in ("name", "type")}
    filters = {"name": asked["name"] or None, "media_types": media_types_of(asked["type"])}
    owner_id, after = g.caller.owner_id, request.args.get("after")
    rows, further = find_documents(owner_id, ROWS, after, **filters)
    given = {name: value for name, value in asked.items() if value}
    shown: dict[str, Any] = {"links": count_live_links(rows), "kinds": KINDS, "asked": asked}
    shown |= {"older": further and "?" + urlencode(given | {"after": further}), "after": after}
    shown |= {"newest": "?" + urlencode(given), "stored": Document.stored_by(owner_id)}
    runtime = current_runtime()
    shown |= {"quota": runtime.quota, "limit": runtime.settings.max_document_bytes}
    return render("documents", documents=rows, base=base_url(), **shown)


@documents.post("", shows=show_documents, form=UploadForm())
def upload_document() -> Response:
    """Upload a document"""
    body, content_type = seekable_body(request), request.content_type or ""
    digest, key = fingerprint_of_parts(body, content_type), request.args.get("key", "")
    parts: Any = read_parts(body, content_type)
    address = once(lambda: _store(**UploadForm().load(parts)), key, digest)
    return go(address) if accepts_html() else jsonify(address=address)


def _store(payload: Any, token: Any, content_type: str = UNKNOWN_TYPE, **facts: Any) -> str:  # noqa: ARG001
    current_runtime().upload_limiter.spend(g.caller.owner_id)
    document, _ = upload(g.caller.owner_id, payload, content_type=content_type, **facts)
    return f"{HOME}/{document.id}"

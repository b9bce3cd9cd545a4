"""The list of documents, and uploading."""

from typing import Any
from urllib.parse import urlencode

from flask import Response, g, jsonify, request

from models import Document, StoredResponse, current_runtime
from models.document_search import find_documents
from models.links import count_live_links
from models.upload import upload

from ..http.idempotency import execute_once
from ..http.multipart import fingerprint_of_parts, read_parts
from ..http.upload_body import seekable_body
from ..schemas.uploads import UploadForm
from ..views.content import UNKNOWN_TYPE
from ..views.links import base_url
from .blueprint import HOME, Pages, go, render
from .forms import WAIT_SECONDS, accepts_html
from .kinds import KINDS

documents = Pages("documents", "/documents")
ROWS = 25


@documents.get("")
def show_documents(**_: str) -> Response:
    """List the documents, newest first, by name and type"""
    asked = {name: request.args.get(name, "") for name in ("name", "type")}
    filters: dict[str, Any] = {"name": asked["name"].strip() or None}
    if asked["type"] in KINDS:
        filters["media_types"] = f" {KINDS[asked['type']].media_types} "
    rows, further = find_documents(g.caller.owner_id, ROWS, request.args.get("after"), **filters)
    given = {name: value for name, value in asked.items() if value}
    settings, stored = current_runtime().settings, Document.stored_by(g.caller.owner_id)
    return render(
        "documents",
        documents=rows,
        links=count_live_links(rows),
        kinds=KINDS,
        asked=asked,
        is_first=not request.args.get("after"),
        older=further and "?" + urlencode(given | {"after": further}),
        newest="?" + urlencode(given),
        stored=stored,
        quota=current_runtime().quota,
        limit=settings.max_document_bytes,
        base=base_url(),
    )


@documents.post("", shows=show_documents, form=UploadForm())
def upload_document() -> Response:
    """Upload a document"""
    body, content_type = seekable_body(request), request.content_type or ""
    current_runtime().upload_limiter.spend(g.caller.owner_id)
    key = request.args.get("key", "")
    id = StoredResponse.id_of("upload", g.caller.owner_id, key)
    fingerprint = fingerprint_of_parts(body, content_type)
    parts: Any = read_parts(body, content_type)
    store = lambda: _store(**UploadForm().load(parts))  # noqa: E731
    address = execute_once(g.caller.owner_id, id, fingerprint, store, WAIT_SECONDS)
    return go(address) if accepts_html() else jsonify(address=address)


def _store(payload: Any, token: Any, content_type: str = UNKNOWN_TYPE, **facts: Any) -> str:  # noqa: ARG001
    payload.refuse_if_longer(current_runtime().settings.max_document_bytes)
    facts |= {"size": payload.size, "content_type": content_type}
    document, _ = upload(g.caller.owner_id, payload.pieces(), **facts)
    return f"{HOME}/{document.id}"

"""The list of documents, and uploading."""

from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import Response, g, jsonify, request
from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict

import viewer
from models import Collection, DocumentToken, current_runtime
from models.core import NotFound
from models.documents import (
    ORDERS,
    binned,
    documents_page,
    put_in_bin,
    upload,
    with_binned,
)
from models.links import links_by_target

from ..http.body import seekable_body
from ..http.multipart import FORM_DATA, Part, fingerprint_of_parts, read_parts
from ..schemas.requests import NewDocumentToken
from ..schemas.uploads import UploadForm
from ..views import archive
from ..views.content import UNKNOWN_TYPE
from ..views.links import base_url
from .blueprint import HOME, Pages, go, page_of, render
from .forms import accepts_html, once, text, today
from .links import link_fields, show_new

documents = Pages("documents", "/documents")
ROWS = 9  # a page with its assets has at most 34 KiB
MOST_SELECTED = 100
_MOST_TEXT = 4096  # bytes of a field of the form
_FILE_PARTS = {"file", "name", "metadata", "contentType", "expiresAt", "token", "collectionId"}


@documents.get("")
def show_documents(**_: str) -> Response:
    """List the documents, by name, type and order, page by page"""
    asked = {name: request.args.get(name, "").strip() for name in ("name", "type", "sort")}
    number, owner_id = page_number(), g.caller.owner_id
    media_types = viewer.media_types_of(asked["type"])
    filters: dict[str, Any] = {"name": asked["name"], "media_types": media_types}
    page = documents_page(owner_id, ROWS, number, order=asked["sort"], **filters)
    given = {name: value for name, value in asked.items() if value}
    shown: dict[str, Any] = {"kinds": viewer.KINDS, "sorts": ORDERS, "asked": asked, "list": page}
    shown |= {"address": lambda other: "?" + urlencode(given | {"page": other})}
    shown |= {"links": links_by_target(page.documents)}
    shown["gone"] = binned(owner_id, request.args.getlist("id")[:MOST_SELECTED])
    shared = request.args.getlist("shared")[:MOST_SELECTED]  # by a phone, which stored them
    kept = (one for one in with_binned(owner_id, shared) if one.binned_at is None)
    shown["shared"] = [one.show_bare_if_damaged() for one in kept]
    runtime = current_runtime()
    shown |= {"quota": runtime.quota, "limit": runtime.settings.max_document_bytes}
    return render("documents", base=base_url(), **shown)


def page_number() -> int:
    return max(1, request.args.get("page", 1, int))


@documents.post("", shows=show_documents, form=UploadForm())
def upload_document() -> Response:
    """Upload a document, with a link if one is asked for; or act on those that are selected"""
    if request.mimetype != FORM_DATA:
        return _act_on_selected()
    made = store_sent()
    if not accepts_html():
        return jsonify(made)
    if made["link"]:
        return show_new(made["link"])
    into = made["collection"]
    return go(f"/app/collections/{into}", "uploaded") if into else go(made["address"])


def store_sent(**facts: Any) -> dict[str, Any]:
    """What `store` answers for the form of this request, which is stored once."""
    body, content_type = seekable_body(request), request.content_type or ""
    digest, key = fingerprint_of_parts(body, content_type), request.args.get("key", "")
    parts: Any = read_parts(body, content_type)
    g.typed = MultiDict(
        (part.name, part.content.head(_MOST_TEXT).decode(errors="replace"))
        for part in parts
        if part.name not in _FILE_PARTS
    )
    made: dict[str, Any] = once(lambda: store(parts, **facts), key, digest)
    return made


def _act_on_selected() -> Response:
    owner_id, ticked = g.caller.owner_id, request.form.getlist("id")
    ids, act = list(dict.fromkeys(ticked))[:MOST_SELECTED], request.form.get("act")
    if not ids or act not in {"bin", "zip", "collect"}:
        raise ValidationError({"": ["Select documents, then what is to be done with them."]})
    if act == "zip":
        return _save(owner_id, ids)
    if act == "collect":
        title = f"{len(ids)} document{'' if len(ids) == 1 else 's'}, {today()}"
        made, _ = Collection.make(owner_id, title, document_ids=ids)
        return go(f"/app/collections/{made.id}", "collected")
    put_in_bin(owner_id, ids)
    return go(page_of(request.form.get("back", "")) or HOME, "binned", id=ids)


def _save(owner_id: str, ids: list[str]) -> Response:
    found = [one.show_bare_if_damaged() for one in with_binned(owner_id, ids) if not one.binned_at]
    entries = archive.entries_of(one for one in found if one.sha256)
    if not entries:
        raise NotFound
    for document in found:
        document.record_read("document.downloaded")
    return archive.send(entries, f"{len(entries)} documents {today()}")


def store(parts: list[Part], **more: Any) -> dict[str, Any]:
    """The address of the document's page, and the ids of the link if one was asked for, and of the
    collection that has it. `more` is what `upload` takes beside what the parts say.
    """
    wants_link = text("act") == "link"
    terms = NewDocumentToken().load(link_fields()) if wants_link else None
    form: Any = [part for part in parts if part.name in _FILE_PARTS]
    facts = UploadForm().load(form)
    payload, _, type = facts.pop("payload"), facts.pop("token"), facts.pop("content_type", "")
    into = facts.pop("collection_id", None)
    owner_id = g.caller.owner_id
    current_runtime().upload_limiter.spend(owner_id)
    if terms is not None:
        facts["prepare"] = partial(DocumentToken.first_link, owner_id, **terms)
    elif into:
        facts["prepare"] = partial(Collection.taking, owner_id, into)
    facts |= more
    document, issued = upload(owner_id, payload, content_type=type or UNKNOWN_TYPE, **facts)
    link = issued.row.id if wants_link else None
    return {"address": f"{HOME}/{document.id}", "link": link, "collection": into}

"""The pages of documents: the list and uploading, one with preview, facts and links, the bin."""

from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify, request
from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict

import viewer
from models import Collection, Document, DocumentToken, current_runtime, in_one_transaction
from models.core import NotFound, counted, current_payer, now
from models.documents import (
    ORDERS,
    bin_page,
    binned,
    documents_page,
    put_back,
    put_in_bin,
    require_room,
    upload,
    with_binned,
)
from models.links import (
    LinkOptions,
    LinkState,
    count_live_links,
    delete_document,
    delete_for_good,
    is_shared,
    link_of_owner,
    links_by_target,
    replace_document,
    shared_collections,
    shared_in_collections,
)

from ..http import DELETE, READ, WRITE, g
from ..http.body import seekable_body
from ..http.multipart import FORM_DATA, Part, fingerprint_of_parts, read_parts
from ..schemas.requests import DocumentEdit, DownloadRequest, NewDocumentToken, UploadForm
from ..views import content, document_pages
from ..views.collection import entries_of, send_zip
from ..views.content import UNKNOWN_TYPE
from ..views.links import base_url, fits_one_file, qr_code
from .activity import timelines
from .forms import (
    accepts_html,
    by_day,
    days_asked_for,
    end,
    months_since,
    once,
    text,
    today,
)
from .large_files import unfinished_uploads
from .links import go_to_ready, issue, link_fields
from .routes import (
    HOME,
    Pages,
    from_here,
    go,
    go_back,
    page_number,
    page_of,
    render,
    search_from_here,
)
from .words import address_of, names_of

documents = Pages("documents", "/documents")
document = Pages("document", "/documents/<id>")
bin = Pages("bin", "/bin")
share_target = Pages("share_target")
BIN_PATH = "/app/bin"
ON_A_PAGE = 50
BINNED_ON_A_PAGE = 50
SORTED_BY_DAY = ("", "oldest")  # the orders of a list with headings
FIRST_KINDS = ("PDF", "Pictures", "Tables", "Texts")  # the filters that stand beside the list
MOST_SELECTED = 100
MOST_LINKS = 100
SHOWN_LINKS = 20
SHOWN_COLLECTIONS = 20
MOST_TITLE_CHARACTERS = 190  # of a document's name in the title of a collection
# which documents are listed, and in which order
_ASKED = ("name", "is", "type", "when", "offset", "sort", "older")
_MOST_TEXT_BYTES = 4096  # the most bytes of a field of the form
_NEEDS = {"bin": DELETE, "zip": READ, "collect": WRITE, "share": WRITE}  # acts on those selected
_FILE_PARTS = {"file", "name", "metadata", "contentType", "expiresAt", "token", "collectionId"}


def _owned(id: str) -> Document:
    return Document.one_of(g.caller.owner_id, id)


# The list


@documents.get("")
@search_from_here("name", "sort")
def show_documents(**_: str) -> Response:
    """List the documents, by name, state, type, days and order, page by page"""
    owner_id = g.caller.owner_id
    # the documents of this page of the list
    asked = {name: request.args.get(name, "").strip() for name in _ASKED}
    days = days_asked_for()
    if days is None:
        asked |= {"when": "", "offset": ""}
    given = {name: value for name, value in asked.items() if value}
    page = documents_page(
        owner_id,
        ON_A_PAGE,
        page_number(),
        name=asked["name"],
        older=asked["older"] or None,
        media_types=viewer.media_types_of(asked["type"]),
        order=asked["sort"],
        period=None if days is None else days.period,
        is_received=True if asked["is"] == "received" else None,
        meeting=is_shared() if asked["is"] == "shared" else None,
    )
    # documents that a phone has shared and stored
    shared = request.args.getlist("shared")[:MOST_SELECTED]
    stored = [one for one in with_binned(owner_id, shared) if one.binned_at is None]
    # links that were made here a moment ago
    made = [link_of_owner(owner_id, id) for id in request.args.getlist("made")[:MOST_SELECTED]]
    runtime = current_runtime()
    return render(
        "documents",
        asked=asked,
        given=given,
        when=None if days is None else days.words,
        months=months_since(Document.oldest_moment(owner_id) or now()),
        list=page,
        days=by_day(page.documents) if asked["sort"] in SORTED_BY_DAY else [("", page.documents)],
        address=lambda number: "?" + urlencode(given | {"page": number}),
        narrowed=partial(_narrowed, given),
        kinds=viewer.KINDS,
        first_kinds=FIRST_KINDS,
        sorts=ORDERS,
        links=links_by_target(page.documents),
        together=shared_in_collections(page.documents),
        uploaders=names_of(filter(None, (one.uploader_id for one in page.documents))),
        gone=binned(owner_id, request.args.getlist("id")[:MOST_SELECTED]),
        shared=stored,
        **_ready([one for one in made if not one.state.has_ended]),
        quota=runtime.quota,
        unfinished=unfinished_uploads(),
        base=base_url(),
    )


def _narrowed(given: dict[str, str], **changes: str) -> str:
    """Return the address of the list with these filters instead of those that are given.

    A search begins again with the newest documents, unless a change names the cursor `older`.
    """
    asked = {"older": ""} | changes
    query = {name: value for name, value in (given | asked).items() if value}
    return f"{HOME}?{urlencode(query)}" if query else HOME


@documents.post("", scope=READ, shows=show_documents, form=UploadForm())
def upload_document() -> Response:
    """Upload documents, with a link if one is asked for; or act on those that are selected"""
    if request.mimetype != FORM_DATA:
        return _act_on_selected()
    g.caller.require(WRITE)
    made = _store_sent()
    if not accepts_html():
        return jsonify(made)
    if made["link"]:
        return go_to_ready([made["link"]])
    if made["collection"]:
        return go(f"/app/collections/{made['collection']}", "uploaded")
    return go(made["address"], "uploaded" if made["address"] == HOME else "")


def _ready(made: list[DocumentToken]) -> dict[str, Any]:
    """Return the values of the card for links that were made: those whose address is known."""
    known = {link: address for link in made if (address := address_of(link))}
    lines = [f"{link.target.name}: {address}" for link, address in known.items()]
    only = next(iter(known.values())) if len(known) == 1 else None
    return {"made": list(known), "lines": "\n".join(lines), "qr": qr_code(only) if only else ""}


def _act_on_selected() -> Response:
    owner_id = g.caller.owner_id
    ids = list(dict.fromkeys(request.form.getlist("id")))[:MOST_SELECTED]
    act = request.form.get("act")
    if not ids or act not in _NEEDS:
        raise ValidationError({"": ["Select documents, then what is to be done with them."]})
    g.caller.require(_NEEDS[act])
    if act == "share":
        if len(ids) < len(set(request.form.getlist("id"))):
            raise ValidationError({"": [f"Share at most {MOST_SELECTED} documents at once."]})
        return _share_together(owner_id, ids)
    if act == "zip":
        return _save_selected(owner_id, ids)
    if act == "collect":
        title = f"{counted(len(ids), 'document')}, {today()}"
        made = Collection.make(owner_id, title, document_ids=ids)
        return go(f"/app/collections/{made.id}", "collected")
    put_in_bin(owner_id, ids)
    return go(page_of(request.form.get("back", "")) or HOME, "binned", id=ids)


def _share_together(owner_id: str, ids: list[str]) -> Response:
    """Create one link to these documents, and answer the script with its address."""
    id = once(lambda: _link_to_all(owner_id, ids, NewDocumentToken().load(link_fields())))
    if accepts_html():
        return go_to_ready([id])
    return jsonify(id=id, address=address_of(link_of_owner(owner_id, id)))


def _link_to_all(owner_id: str, ids: list[str], terms: dict[str, Any]) -> str:
    """Create a link to a document, or to a new collection of several, and return the link's id."""
    if len(ids) == 1:
        options = LinkOptions.of(**terms)
        return str(DocumentToken.issue(_owned(ids[0]), options).row.id)
    first = _owned(ids[0]).name[:MOST_TITLE_CHARACTERS]
    options = LinkOptions.of(**terms)
    with in_one_transaction():
        together = Collection.make(owner_id, f"{first} + {len(ids) - 1}", document_ids=ids)
        return str(DocumentToken.issue(together, options, with_upload=True).row.id)


def _save_selected(owner_id: str, ids: list[str]) -> Response:
    found = [one for one in with_binned(owner_id, ids) if not one.binned_at]
    entries = entries_of(one for one in found if one.sha256)
    if not entries:
        raise NotFound
    for document in found:
        document.record_reading("document.downloaded")
    title = f"{counted(len(entries), 'document')} {today()}"
    return send_zip(entries, title, g.caller.grant)


# Uploading


def _store_sent(former: Document | None = None) -> dict[str, Any]:
    """Store the form of this request once, and return the result of `_store`."""
    body = seekable_body(request)
    content_type = request.content_type or ""
    digest = fingerprint_of_parts(body, content_type)
    parts: Any = read_parts(body, content_type)
    g.typed = MultiDict(
        (part.name, part.content.head(_MOST_TEXT_BYTES).decode(errors="replace"))
        for part in parts
        if part.name not in _FILE_PARTS
    )
    key = request.args.get("key", "")
    made: dict[str, Any] = once(lambda: _store(parts, former), key, digest)
    return made


def _store(parts: list[Part], former: Document | None) -> dict[str, Any]:
    """Store the files of a form. Return the path of a page, and the ids of a link and a collection.

    Either id may be None. A single file takes the place of the `former` document, if there is one.
    Of several files none is stored if one is refused.
    """
    wants_link = text("act") == "link"
    terms = NewDocumentToken().load(link_fields()) if wants_link else None
    files = [part for part in parts if part.name == "file"]
    if len(files) > 1:
        return _store_several(files, [part for part in parts if part.name == "collectionId"], terms)
    return _store_one(parts, terms, former)


def _store_one(
    parts: list[Part], terms: dict[str, Any] | None, former: Document | None = None
) -> dict[str, Any]:
    owner_id = g.caller.owner_id
    # what the form says of the document
    form: Any = [part for part in parts if part.name in _FILE_PARTS]
    facts = UploadForm().load(form)
    payload = facts.pop("payload")
    content_type = facts.pop("content_type", "") or UNKNOWN_TYPE
    collection_id = facts.pop("collection_id", None)
    del facts["token"]
    # refusals, before anything is stored
    current_runtime().upload_limiter.spend(current_payer.get())
    require_room(owner_id, payload)
    if collection_id:
        Collection.one_of(owner_id, collection_id)
    options = None if terms is None else LinkOptions.of(**terms)
    # the document, with its link and its place in a collection, or all that the former one had
    link_id = None
    former_id = former.id if former else None
    with upload(
        owner_id, payload, content_type=content_type, replaces=former_id, **facts
    ) as document:
        if options:
            link_id = DocumentToken.issue(document, options, with_upload=True).row.id
        if collection_id:
            Collection.append(owner_id, collection_id, document)
        if former:
            replace_document(former.id, document)
    address = f"{HOME}/{document.id}"
    return {"address": address, "link": link_id, "collection": collection_id}


def _store_several(
    files: list[Part], into: list[Part], terms: dict[str, Any] | None
) -> dict[str, Any]:
    owner_id = g.caller.owner_id
    stored: list[str] = []
    try:
        for file in files:
            made = _store_one([file, *into], None)
            stored.append(made["address"].rpartition("/")[2])
        link = None if terms is None else _link_to_all(owner_id, stored, terms)
    except Exception:
        for id in stored:
            delete_document(_owned(id))
        raise
    return {"address": HOME, "link": link, "collection": made["collection"]}


@share_target.post("/share", scope=WRITE, from_anywhere=True, form=UploadForm())
def receive() -> Response:
    """Store what another app on the phone shares, and lead to the page that makes links to it

    The system sends the form with the cookie, as after a tap on a link (Web Share Target API).
    """
    parts = read_parts(seekable_body(request), request.content_type or "")
    made = [_store_one([part], None) for part in _shared_files(parts)]
    stored = [one["address"].rpartition("/")[2] for one in made]
    return go(HOME, "uploaded" if stored else "", shared=stored)


def _shared_files(parts: list[Part]) -> Iterator[Part]:
    """Yield the files; if there are none, the shared text or address as one file."""
    files = [part for part in parts if part.name == "file" and part.size]
    texts = [part for part in parts if part.name in {"text", "url"} and part.size]
    if files or not texts:
        yield from files
        return
    title = next((part.content.head(200) for part in parts if part.name == "title"), b"")
    name = f"{title.decode(errors='replace').strip() or 'Shared text'}.txt"
    yield Part("file", name, "text/plain;charset=utf-8", texts[0].content)


# One document


@document.get("")
def show_document(id: str) -> Response:
    """Show a document: preview, facts, links"""
    found = _owned(id)
    links, _further = DocumentToken.page_of_target(found, MOST_LINKS, None)
    links.sort(key=lambda link: link.state is not LinkState.LIVE)
    return render(
        "document",
        document=found,
        fits=fits_one_file(found),
        uploaders=names_of(filter(None, [found.uploader_id])),
        links=links,
        collections=shared_collections(found, SHOWN_COLLECTIONS),
        lines="\n".join(f"{name}: {value}" for name, value in found.metadata.items()),
        most_shown=SHOWN_LINKS,
        timelines=timelines(found.owner_id, id),
        former=with_binned(found.owner_id, request.args.getlist("former")[:1]),
    )


@document.post("", scope=WRITE, shows=show_document)
def edit_document(id: str) -> Response:
    """Change the document's name, metadata or end"""
    fields: dict[str, Any] = {"name": text("name") or "", **end()}
    metadata = _metadata()
    if metadata != _owned(id).metadata:  # else it stays, also where its path would be refused today
        fields["metadata"] = metadata
    body = DocumentEdit().load(fields)
    may_end_earlier = "expires_at" not in body or g.caller.uses(DELETE)
    Document.edit(g.caller.owner_id, id, **body, may_end_earlier=may_end_earlier)
    return go(f"{HOME}/{id}", "saved")


def _metadata() -> dict[str, str]:
    """Return the metadata as it was typed, a `name: value` pair a line.

    Raise `ValidationError` for a line without a colon and for a repeated name.
    """
    lines = [line for line in request.form.get("metadata", "").splitlines() if line.strip()]
    pairs = [line.partition(":") for line in lines]
    found = {name.strip(): value.strip() for name, colon, value in pairs if colon}
    if len(found) < len(lines):
        raise ValidationError({"metadata": ["Write each line as `name: value`, each name once."]})
    return found


@document.get("/view")
def view(id: str) -> Response:
    """Show the document in the page's frame"""
    return document_pages.render("view", _owned(id), g.caller.grant.on_page_of(id))


@document.get("/content")
@from_here
def save_original(id: str) -> Response:
    """Return the original's bytes"""
    return content.read(_owned(id), g.caller.grant)


@document.get("/download")
@from_here
def save_file(id: str) -> Response:
    """Save the document as one HTML file"""
    return document_pages.render("download", _owned(id), g.caller.grant)


@document.post("/download", scope=READ, shows=show_document)
def save_sealed_file(id: str) -> Response:
    """Save the document as one HTML file that a password opens"""
    body = DownloadRequest().load({"password": request.form.get("password", "")})
    return document_pages.encrypted_download(_owned(id), g.caller.grant, body["password"])


@document.post("/end", scope=DELETE, shows=show_document)
def end_document(id: str) -> Response:
    """Delete the document for good, if its name is typed; or tomorrow, by way of the bin"""
    found = _owned(id)
    if request.form.get("act") == "tomorrow":
        put_in_bin(found.owner_id, [id])
        return go(HOME, "binned", id=[id])
    if (text("sure") or "").split() != found.name.split():
        raise ValidationError({"sure": ["This is not its name. Type it as it stands above."]})
    delete_document(found)
    return go(HOME, "deleted")


@document.get("/newer", scope=WRITE)
def ask_for_newer(id: str) -> Response:
    """Show the form for a newer file in place of the document"""
    found = _owned(id)
    return render(
        "newer",
        document=found,
        live=count_live_links(found),
        places=len(Collection.holding(found)),
    )


@document.post("/newer", scope=WRITE, shows=ask_for_newer, form=UploadForm())
def store_newer(id: str) -> Response:
    """Store a newer file: links to the document and its places in collections lead there"""
    made = _store_sent(former=_owned(id))
    return go(made["address"], "newer", former=id) if accepts_html() else jsonify(made)


@document.post("/links", scope=WRITE, shows=show_document)
def share(id: str) -> Response:
    """Create a link and show it, ready to be sent"""
    link_id = issue(_owned(id), link_fields())
    if accepts_html():
        return go_to_ready([link_id])
    return jsonify(id=link_id, address=address_of(link_of_owner(g.caller.owner_id, link_id)))


# The bin: documents that were deleted in the pages, for a day


@bin.get("")
def show_bin() -> Response:
    """List what is in the bin, page by page"""
    return render("bin", list=bin_page(g.caller.owner_id, BINNED_ON_A_PAGE, page_number()))


@bin.post("", scope=DELETE)
def take_out() -> Response:
    """Put documents back"""
    put_back(g.caller.owner_id, request.form.getlist("id")[:MOST_SELECTED])
    return go_back(HOME, "restored")


@bin.post("/<id>/delete", scope=DELETE)
def delete_now(id: str) -> Response:
    """Delete a document that is in the bin for good"""
    delete_for_good(g.caller.owner_id, id)
    return go(BIN_PATH, "deleted")

"""The pages of collections: all of them, and one with its documents and its links."""

from typing import Any

from flask import Response, request
from marshmallow import ValidationError

from models import Collection, Document, DocumentToken, in_one_transaction
from models.documents import Found, Search, existing_page
from models.links import (
    LinkOptions,
    LinkState,
    count_live_links,
    delete_collection,
    links_by_target,
)
from viewer import format_size

from ..http import DELETE, READ, WRITE, g
from ..schemas.requests import CollectionEdit, FilePassword, NewCollection, NewDocumentToken
from ..views.collection import send_one_file, send_originals
from ..views.links import fits_one_file
from .activity import timelines
from .forms import once, room, text
from .large_files import unfinished_uploads
from .links import go_to_ready, issue, link_fields
from .routes import Pages, from_here, go, go_back, page_number, render, search_from_here

collections = Pages("collections", "/collections")
PATH = "/app/collections"
ON_A_PAGE = 50
MOST_LINKS = 100
SHOWN_LINKS = 20
SHOWN_KINDS = 4  # documents on the tile of a collection


def _owned(id: str) -> Collection:
    return Collection.one_of(g.caller.owner_id, id)


@collections.get("")
def show_collections() -> Response:
    """List the collections, with their first documents and live links"""
    after = request.args.get("after")
    found, further = Collection.listed(g.caller.owner_id, ON_A_PAGE, after)
    older = further and f"?after={further}"
    links = links_by_target(found)
    return render(
        "collections",
        collections=found,
        first=Collection.first_documents(found, SHOWN_KINDS),
        links=links,
        older=older,
        after=after,
    )


@collections.post("", scope=WRITE, shows=show_collections)
def make_collection() -> Response:
    """Make a collection"""
    facts = NewCollection().load(words_of_form())
    del facts["token"]
    id = once(lambda: Collection.make(g.caller.owner_id, **facts).id)
    asks_for_files = request.form.get("act") == "request"
    return go(f"{PATH}/{id}/requests" if asks_for_files else f"{PATH}/{id}", "made")


@collections.get("/<id>")
@search_from_here("find")
def show_collection(id: str) -> Response:
    """Show a collection: its documents in order, its links, what can be added"""
    found = _owned(id)
    documents = found.documents
    number, pages = existing_page(len(documents), ON_A_PAGE, page_number())
    first = ON_A_PAGE * (number - 1)
    here = documents[first : first + ON_A_PAGE]
    links, _further = DocumentToken.page_of_target(found, MOST_LINKS, None)
    links.sort(key=lambda link: link.state is not LinkState.LIVE)
    asked = request.args.get("find")
    return render(
        "collection",
        collection=found,
        documents=here,
        first=first,
        number=number,
        pages=pages,
        links=links,
        most_shown=SHOWN_LINKS,
        timelines=timelines(found.owner_id, id),
        fits=fits_one_file(found),
        asked=asked,
        found=None if asked is None else _addable(found, asked.strip(), request.args.get("older")),
        unfinished=unfinished_uploads(id),
    )


def _addable(collection: Collection, name: str, older: str | None) -> Found[Document]:
    """Find the newest documents of this name that are not in the collection."""
    in_it = set(collection.document_ids)
    with Search.of(g.caller.owner_id, name) as search:
        return search.documents(older or None, ON_A_PAGE, leaving_out=in_it)


@collections.post("/<id>", scope=WRITE, shows=show_collection)
def change_collection(id: str) -> Response:
    """Change title and note, or which documents are in it and in which order"""
    changes = CollectionEdit().load(_changes(_owned(id)))
    Collection.edit(g.caller.owner_id, id, **changes)
    return go_back(f"{PATH}/{id}", "saved")


@collections.get("/<id>/content")
@from_here
def save_collection(id: str) -> Response:
    """Save the originals of a collection as one ZIP file"""
    return send_originals(_owned(id), g.caller.grant)


@collections.get("/<id>/download")
@from_here
def save_collection_file(id: str) -> Response:
    """Save a collection as one HTML file"""
    return send_one_file(_owned(id), g.caller.grant)


@collections.post("/<id>/download", scope=READ, shows=show_collection)
def save_sealed_collection(id: str) -> Response:
    """Save a collection as one HTML file that a password opens"""
    body = FilePassword().load({"password": request.form.get("password", "")})
    return send_one_file(_owned(id), g.caller.grant, body["password"])


@collections.get("/<id>/links", scope=WRITE)
def ask_for_link(id: str) -> Response:
    """Show the form for a link to a collection"""
    return render("collection_link", collection=_owned(id), takes=False)


@collections.post("/<id>/links", scope=WRITE, shows=ask_for_link)
def share_collection(id: str) -> Response:
    """Create a link to a collection and show it, ready to be sent"""
    return go_to_ready([issue(_owned(id), link_fields())])


@collections.get("/<id>/requests", scope=WRITE)
def ask_for_request(id: str) -> Response:
    """Show the form for a link that takes files"""
    return render("collection_link", collection=_owned(id), takes=True)


@collections.post("/<id>/requests", scope=WRITE, shows=ask_for_request)
def request_files(id: str) -> Response:
    """Create a link that takes files, and show it with a sentence to send along"""
    collection = _owned(id)
    changes = _changed_room(collection)
    terms = NewDocumentToken().load(link_fields() | {"permissions": ["upload"]})
    options = LinkOptions.of(**terms)

    def make() -> Any:
        with in_one_transaction():
            if changes:
                Collection.edit(collection.owner_id, id, **changes)
            return DocumentToken.issue(collection, options).row.id

    return go_to_ready([once(make)])


def _changed_room(collection: Collection) -> dict[str, Any]:
    """Return the room that was typed, unless it is the one that the form has shown."""
    is_shown = text("maxBytes") == format_size(collection.max_bytes or 0)
    size = None if is_shown else room()
    return {} if size is None else CollectionEdit().load({"maxBytes": size})


@collections.get("/<id>/delete", scope=DELETE)
def ask_to_delete_collection(id: str) -> Response:
    """Ask before a collection is deleted, and say what ends with it"""
    found = _owned(id)
    return render("collection_delete", collection=found, live=count_live_links(found))


@collections.post("/<id>/delete", scope=DELETE, shows=ask_to_delete_collection)
def end_collection(id: str) -> Response:
    """Delete a collection, whose title is typed, and end its links; its documents stay"""
    found = _owned(id)
    if text("title") != found.title.strip():
        raise ValidationError({"title": ["This is not its title. Type it as it stands above."]})
    delete_collection(found)
    return go(PATH, "apart")


def words_of_form() -> dict[str, Any]:
    """Return title and note of the form of a collection, as the API names them."""
    note = text("note")
    return {"title": text("title") or "", "note": note and note.replace("\r\n", "\n")}


def _changes(collection: Collection) -> dict[str, Any]:
    """Return the change that the pressed button names with the id of a document.

    Without such a button, return the title and the note of the form.
    """
    for name in ("add", "remove"):
        if ids := request.form.getlist(name):
            return {name: ids}
    for name, step in (("up", -1), ("down", 1)):
        if id := request.form.get(name):
            return {"order": _moved(collection, id, step)}
    return words_of_form()


def _moved(collection: Collection, id: str, step: int) -> list[str]:
    """Return all ids, this one swapped with its neighbour among the documents that are shown."""
    shown = [one.id for one in collection.documents]
    ids = collection.document_ids
    at = shown.index(id) + step if id in shown else -1
    if not 0 <= at < len(shown):
        return ids
    here = ids.index(id)
    there = ids.index(shown[at])
    ids[here], ids[there] = ids[there], ids[here]
    return ids

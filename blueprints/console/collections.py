"""Collections: all of them, and one with its documents and its links."""

from typing import Any

from flask import Response, g, request
from marshmallow import ValidationError

from models import Collection, DocumentToken, current_runtime
from models.documents import documents_page, within
from models.links import count_live_links, links_by_target

from ..schemas.collections import CollectionEdit, FilePassword, NewCollection
from ..views import archive, one_file
from .blueprint import Pages, from_here, go, go_back, render
from .documents import page_number
from .forms import once, text
from .links import issue, link_fields, show_new

collections, collection = Pages("collections", "/collections"), Pages("collection", "/collections")
PATH, ROWS, MOST_LINKS = "/app/collections", 6, 100


def _owned(id: str) -> Collection:
    return Collection.one_of(g.caller.owner_id, id)


@collections.get("")
def show_collections() -> Response:
    """List the collections, with their live links"""
    after = request.args.get("after")
    found, further = Collection.listed(g.caller.owner_id, ROWS, after)
    older = further and f"?after={further}"
    links = links_by_target(found)
    return render("collections", collections=found, links=links, older=older, after=after)


@collections.post("", shows=show_collections)
def make_collection() -> Response:
    """Make a collection"""
    facts = NewCollection().load(_words())
    facts.pop("token")
    id = once(lambda: Collection.make(g.caller.owner_id, **facts)[0].id)
    return go(
        f"{PATH}/{id}/requests" if request.form.get("act") == "request" else f"{PATH}/{id}", "made"
    )


@collection.get("/<id>")
def show_collection(id: str) -> Response:
    """Show a collection: its documents in order, its links, what can be added"""
    found, owner_id = _owned(id), g.caller.owner_id
    documents = found.documents
    number, pages = within(len(documents), ROWS, page_number())
    first = ROWS * (number - 1)
    here = [one.show_bare_if_damaged() for one in documents[first : first + ROWS]]
    links, _further = DocumentToken.page_of_target(found, MOST_LINKS, None)
    links.sort(key=lambda link: link.has_ended() or link.revoked_at is not None)
    shown: dict[str, Any] = {"documents": here, "first": first, "number": number, "pages": pages}
    shown |= {"links": links, "found": None, "fits": one_file.fits(found)}
    asked = request.args.get("find")
    if asked is not None:
        listed = documents_page(owner_id, ROWS, 1, order="", name=asked.strip(), media_types=None)
        shown["found"] = [one for one in listed.documents if one.id not in found.document_ids]
    limit = current_runtime().settings.max_document_bytes
    return render("collection", collection=found, asked=asked, limit=limit, **shown)


@collection.post("/<id>", shows=show_collection)
def change_collection(id: str) -> Response:
    """Change title and note, or which documents are in it and in which order"""
    changes = CollectionEdit().load(_changes(_owned(id)))
    Collection.edit(g.caller.owner_id, id, **changes)
    return go_back(f"{PATH}/{id}", "saved")


@collection.get("/<id>/content")
@from_here
def save_collection(id: str) -> Response:
    """Save the originals of a collection as one ZIP file"""
    return archive.send_collection(_owned(id))


@collection.get("/<id>/download")
@from_here
def save_collection_file(id: str) -> Response:
    """Save a collection as one HTML file"""
    return one_file.send(_owned(id), None)


@collection.post("/<id>/download", shows=show_collection)
def save_sealed_collection(id: str) -> Response:
    """Save a collection as one HTML file that a password opens"""
    body = FilePassword().load({"password": request.form.get("password", "")})
    return one_file.send(_owned(id), None, body["password"])


@collection.get("/<id>/links")
def ask_for_link(id: str) -> Response:
    """Show the form for a link to a collection"""
    return render("collection_link", collection=_owned(id), takes=False)


@collection.post("/<id>/links", shows=ask_for_link)
def share_collection(id: str) -> Response:
    """Create a link to a collection and show it"""
    return show_new(issue(_owned(id), link_fields()))


@collection.get("/<id>/requests")
def ask_for_request(id: str) -> Response:
    """Show the form for a link that takes files"""
    return render("collection_link", collection=_owned(id), takes=True)


@collection.post("/<id>/requests", shows=ask_for_request)
def request_files(id: str) -> Response:
    """Create a link that takes files, and show it with a sentence to send along"""
    return show_new(issue(_owned(id), link_fields() | {"permissions": ["upload"]}))


@collection.get("/<id>/delete")
def ask_to_delete_collection(id: str) -> Response:
    """Ask before a collection is deleted, and say what ends with it"""
    found = _owned(id)
    return render("collection_delete", collection=found, live=count_live_links(found))


@collection.post("/<id>/delete", shows=ask_to_delete_collection)
def delete_collection(id: str) -> Response:
    """Delete a collection, whose title is typed, and end its links; its documents stay"""
    found = _owned(id)
    if text("title") != found.title.strip():
        raise ValidationError({"title": ["This is not its title. Type it as it stands above."]})
    found.delete_with_tokens()
    return go(PATH, "apart")


def _words() -> dict[str, Any]:
    note = text("note")
    return {"title": text("title") or "", "note": note and note.replace("\r\n", "\n")}


def _changes(collection: Collection) -> dict[str, Any]:
    """What the button that was pressed names, with the id of a document; else title and note."""
    for name in ("add", "remove"):
        if ids := request.form.getlist(name):
            return {name: ids}
    for name, step in (("up", -1), ("down", 1)):
        if id := request.form.get(name):
            return {"order": _moved(collection, id, step)}
    return _words()


def _moved(collection: Collection, id: str, step: int) -> list[str]:
    """All ids, of which this one has changed places with the one beside it that is shown."""
    shown, ids = [one.id for one in collection.documents], collection.document_ids
    at = shown.index(id) + step if id in shown else -1
    if not 0 <= at < len(shown):
        return ids
    here, there = ids.index(id), ids.index(shown[at])
    ids[here], ids[there] = ids[there], ids[here]
    return ids

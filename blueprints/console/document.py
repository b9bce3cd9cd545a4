"""One document: preview, saving, its facts, its links."""

from functools import partial
from typing import Any

from flask import Response, g, jsonify, request
from marshmallow import ValidationError

from models import Collection, Document, DocumentToken, current_runtime
from models.documents import put_in_bin, with_binned
from models.links import TokenGrant, count_live_links, link_of_owner, replacing

from ..schemas.requests import DocumentEdit, DownloadRequest
from ..schemas.uploads import UploadForm
from ..views import content, pages
from .activity import readings
from .blueprint import HOME, Pages, from_here, go, render
from .documents import store_sent
from .forms import accepts_html, end, text
from .links import issue, link_fields, show_new
from .templating import address_of

document = Pages("document", "/documents/<id>")
MOST_LINKS = 100


def _owned(id: str) -> Document:
    return Document.one_of(g.caller.owner_id, id)


@document.get("")
def show_document(id: str) -> Response:
    """Show a document: preview, facts, links"""
    found, owner_id = _owned(id), g.caller.owner_id
    links, _further = DocumentToken.page_of_target(found, MOST_LINKS, None)
    lines = "\n".join(f"{name}: {value}" for name, value in found.metadata.items())
    links.sort(key=lambda link: link.has_ended() or link.revoked_at is not None)
    seen, former = readings(owner_id, id), with_binned(owner_id, request.args.getlist("former")[:1])
    shown: dict[str, Any] = {"links": links, "lines": lines, "seen": seen, "former": former}
    return render("document", document=found, **shown)


@document.post("", shows=show_document)
def edit_document(id: str) -> Response:
    """Change the document's name, metadata or end"""
    fields = {"name": text("name") or "", "metadata": _pairs(), **end()}
    _owned(id).edit(**DocumentEdit().load(fields))
    return go(f"{HOME}/{id}", "saved")


@document.get("/view")
def view(id: str) -> Response:
    """Show the document in the page's frame"""
    grant = TokenGrant.of_owner(g.caller.id, _owned(id).id, g.caller.owner_id)
    return pages.render("view", _owned(id), grant)


@document.get("/content")
@from_here
def save_original(id: str) -> Response:
    """Return the original's bytes"""
    return content.read(_owned(id), None)


@document.get("/download")
@from_here
def save_file(id: str) -> Response:
    """Save the document as one HTML file"""
    return pages.render("download", _owned(id), None)


@document.post("/download", shows=show_document)
def save_sealed_file(id: str) -> Response:
    """Save the document as one HTML file that a password opens"""
    body = DownloadRequest().load({"password": request.form.get("password", "")})
    return pages.encrypted_download(_owned(id), None, body["password"])


@document.post("/end", shows=show_document)
def end_document(id: str) -> Response:
    """Delete the document for good, if its name is typed; or tomorrow, by way of the bin"""
    found = _owned(id)
    if request.form.get("act") == "tomorrow":
        put_in_bin(found.owner_id, [id])
        return go(HOME, "binned", id=[id])
    if (text("sure") or "").split() != found.name.split():
        raise ValidationError({"sure": ["This is not its name. Type it as it stands above."]})
    found.delete_with_tokens()
    return go(HOME, "deleted")


@document.get("/newer")
def ask_for_newer(id: str) -> Response:
    """Show the form for a newer file in place of the document"""
    found = _owned(id)
    shown = {"live": count_live_links(found), "places": len(Collection.holding(found))}
    limit = current_runtime().settings.max_document_bytes
    return render("newer", document=found, limit=limit, **shown)


@document.post("/newer", shows=ask_for_newer, form=UploadForm())
def store_newer(id: str) -> Response:
    """Store a newer file: links to the document and its places in collections lead there"""
    former, take_over = _owned(id), partial(replacing, g.caller.owner_id, id)
    kept = {"metadata": former.metadata, "expires_at": former.expires_at}
    made = store_sent(prepare=take_over, **kept)
    return go(made["address"], "newer", former=id) if accepts_html() else jsonify(made)


@document.post("/links", shows=show_document)
def share(id: str) -> Response:
    """Create a link and show it"""
    link_id = issue(_owned(id), link_fields())
    if accepts_html():
        return show_new(link_id)
    return jsonify(id=link_id, address=address_of(link_of_owner(g.caller.owner_id, link_id)))


def _pairs() -> dict[str, str]:
    """The metadata: a pair a line, as in `name: value`."""
    lines = [line for line in request.form.get("metadata", "").splitlines() if line.strip()]
    pairs = [line.partition(":") for line in lines]
    found = {name.strip(): value.strip() for name, colon, value in pairs if colon}
    if len(found) < len(lines):
        raise ValidationError({"metadata": ["Write each line as `name: value`, each name once."]})
    return found

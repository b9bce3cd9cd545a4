"""What a link opens: what it was before, and what it may be instead."""

from typing import Any

from flask import Response, g, request
from marshmallow import ValidationError

from models import Collection, DocumentToken
from models.documents import documents_page, with_binned
from models.links import UPLOAD, FormerTarget, link_of_owner, target_of

from ..schemas.requests import LinkEdit
from .blueprint import Pages, go, render

targets = Pages("targets", "/links/<id>/target")
ROWS, MOST_COLLECTIONS = 8, 1000


@targets.get("")
def show_target(id: str) -> Response:
    """Show what a link opens and has opened, and find what it may open instead"""
    owner_id, asked = g.caller.owner_id, request.args.get("find", "").strip()
    link = link_of_owner(owner_id, id)
    listed, _ = Collection.listed(owner_id, MOST_COLLECTIONS, None)
    matching = [one for one in listed if asked.casefold() in one.title.casefold()]
    found: list[tuple[str, Any]] = [("collectionId", one) for one in matching[:ROWS]]
    if link.permissions != UPLOAD:
        page = documents_page(owner_id, ROWS, 1, order="", name=asked, media_types=None)
        found += [("documentId", one.show_bare_if_damaged()) for one in page.documents]
    others = [one for one in found if one[1].id != link.target_id]
    former = [(one, _name(owner_id, one.target_id)) for one in FormerTarget.all_of(link.id)]
    shown: dict[str, Any] = {"found": others, "asked": asked, "former": former}
    return render("target", link=link, target=link.target, **shown)


@targets.post("", shows=show_target)
def change_target(id: str) -> Response:
    """Change what a link opens: its address and its terms stay"""
    target_id = LinkEdit().load(request.form.to_dict()).get("target_id")
    if target_id is None:
        raise ValidationError({"": ["Choose a document or a collection."]})
    DocumentToken.edit(g.caller.owner_id, id, target_of(g.caller.owner_id, target_id))
    return go(f"/app/links/{id}", "led")


def _name(owner_id: str, id: str) -> str | None:
    """None if it is deleted."""
    found: list[Any] = with_binned(owner_id, [id])
    if id.startswith(Collection.PREFIX):
        found = Collection.with_root_keys([one for one in [Collection.find(id)] if one])
    return next((str(one.show_bare_if_damaged().name) for one in found), None)

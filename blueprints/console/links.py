"""Links: all of them, and one with its terms and openings."""

from flask import Response, g, request
from markupsafe import Markup

from models import DocumentToken
from models.links import link_of_owner, links_of_owner, openings

from ..schemas.requests import DocumentTokenEdit
from ..views.links import base_url
from .blueprint import Pages, ask, go, page_of, referring_page, render
from .document import link_fields
from .templating import for_whom, quoted

links = Pages("links", "/links")
PATH, ROWS = "/app/links", 16


@links.get("")
def show_links() -> Response:
    """List the links to all documents, live ones first"""
    owner_id, after = g.caller.owner_id, request.args.get("after")
    state = "ended" if request.args.get("state") == "ended" else "live"
    found, further = links_of_owner(owner_id, ROWS, after, state)
    if state == "live" and not further:
        state = "ended"
        ended, further = links_of_owner(owner_id, max(1, ROWS - len(found)), None, state)
        found += ended
    older = further and f"?state={state}&after={further}"
    return render("links", links=found, older=older, after=after, base=base_url())


@links.get("/<id>")
def show_link(id: str) -> Response:
    """Show a link's terms and openings"""
    link = link_of_owner(g.caller.owner_id, id)
    return render("link", link=link, document=link.document, openings=openings(link))


@links.post("/<id>", shows=show_link)
def change_link(id: str) -> Response:
    """Change a link without sending it anew"""
    fields = link_fields()
    if not (fields["password"] or "open" in request.form):
        del fields["password"]
    body = DocumentTokenEdit().load(fields)
    document = link_of_owner(g.caller.owner_id, id).document
    DocumentToken.edit(document, id, **body)
    return go(f"{PATH}/{id}", "saved")


@links.get("/<id>/revoke")
def ask_to_revoke_link(id: str) -> Response:
    """Ask before a link is revoked"""
    link = link_of_owner(g.caller.owner_id, id)
    what = quoted(link.document.name), for_whom(link.label)
    times = f"{link.views:,} time{'' if link.views == 1 else 's'}"
    opened = f"It was opened {times}, the last time" if link.views else "Nobody has opened it yet"
    facts = (opened, link.last_used_at), ("Once it is revoked, nobody can open it", None)
    question = Markup("Revoke the link to {}{}?").format(*what)
    return ask(question, facts, "Revoke", f"{PATH}/{id}")


@links.post("/<id>/revoke")
def revoke_link(id: str) -> Response:
    """Revoke a link"""
    DocumentToken.one_of(g.caller.owner_id, id).revoke()
    return go(page_of(request.form.get("back", "")) or referring_page() or PATH, "taken")

"""The pages of links: all of them, and one with its terms and openings."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify, request
from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict

from models import Collection, DocumentToken
from models.core import NotFound, TokenRevoked, now
from models.documents import Searched, with_binned
from models.events import NO_MAIL, has_mail
from models.links import (
    LinkOptions,
    ListedLink,
    Opening,
    Target,
    find_links,
    link_of_owner,
    links_of_owner,
    readings_by_link,
    send_link,
    target_of,
)

from ..http import WRITE, g
from ..schemas.requests import DocumentTokenEdit, LinkNote, NewDocumentToken
from ..views.content import POLICY
from ..views.links import qr_code, receipt_file
from .forms import accepts_html, end, number, once, text, typed
from .routes import HOME, Pages, go, go_back, render, search_from_here
from .words import address_of, notices_wait, notifies

links = Pages("links", "/links")
PATH = "/app/links"
ON_A_PAGE = 50
OPENINGS_ON_A_PAGE = 6
MOST_AT_ONCE = 100
TEXT = "text/plain; charset=utf-8"
_MARKED = "watermark"  # a word of the choice among what a link permits: `view watermark`
LISTED_AFTER_MS = 60_000  # openings in the minute after another are listed as one


@links.get("")
@search_from_here("name")
def show_links() -> Response:
    """List all links, live ones first, or those with words, or to one document or collection"""
    owner_id = g.caller.owner_id
    after = request.args.get("after")
    for noun in ("document", "collection"):
        if id := request.args.get(noun):
            return _links_of(noun, target_of(owner_id, id), after)
    if words := request.args.get("name", "").strip():
        found = find_links(owner_id, words, after, ON_A_PAGE)
        return _render_links(found.rows, found.searched.older, {"name": words}, found.searched)
    state = "ended" if request.args.get("state") == "ended" else "live"
    listed, further = links_of_owner(owner_id, ON_A_PAGE, after, state)
    if state == "live" and not further:
        state = "ended"
        ended, further = links_of_owner(owner_id, max(1, ON_A_PAGE - len(listed)), None, state)
        listed += ended
    return _render_links(listed, further, {"state": state})


def _render_links(
    found: list[ListedLink],
    further: str | None,
    query: dict[str, str],
    searched: Searched | None = None,
) -> Response:
    targets = [link.row.target for link in found if link.target_name is not None]
    Collection.find_totals([one for one in targets if isinstance(one, Collection)])
    return render(
        "links",
        links=found,
        older=further and f"?{urlencode(query | {'after': further})}",
        asked=query.get("name", ""),
        state=query.get("state"),
        searched=searched,
    )


def _links_of(noun: str, target: Target, after: str | None) -> Response:
    found, further = DocumentToken.page_of_target(target, ON_A_PAGE, after)
    older = further and f"?{noun}={target.id}&after={further}"
    return render("links", links=found, noun=noun, target=target, older=older)


@links.get("/<id>")
def show_link(id: str) -> Response:
    """Show a link's terms and openings, and what they have shown"""
    link = link_of_owner(g.caller.owner_id, id)
    if not accepts_html():  # the script copies it
        g.caller.require(WRITE)
        return jsonify(address=address_of(link))
    used = readings_by_link(link)
    ids = {data["documentId"] for _, data in used if data.get("documentId")}
    read = with_binned(g.caller.owner_id, ids)
    openings, older = Opening.page_of_link(link, OPENINGS_ON_A_PAGE, request.args.get("after"))
    readings: dict[str, list[Any]] = {}
    for event, data in used:
        readings.setdefault(data.get("openingId", ""), []).append((event, data))
    address = address_of(link)
    return render(
        "link",
        link=link,
        target=link.target,
        address=address,
        qr=qr_code(address) if address and "qr" in request.args else "",
        names={one.id: one.name for one in read},
        openings=openings,
        older=older,
        readings=readings,
        is_incomplete=bool(link.last_used_at and now() - link.last_used_at < LISTED_AFTER_MS),
    )


@links.get("/openings/<id>")
def show_receipt(id: str) -> Response:
    """Show the receipt of what was accepted at an opening of a link, to read and to print"""
    found = Opening.one_of(g.caller.owner_id, id).with_target()
    found.receipt()  # raises `NotFound` without an agreement
    text = found.accepted_text()
    return render("receipt", opening=found, agreement=text, target=found.target)


@links.get("/openings/<id>/receipt")
def save_receipt(id: str) -> Response:
    """Save the receipt of what was accepted at an opening of a link"""
    return receipt_file(Opening.one_of(g.caller.owner_id, id))


@links.get("/openings/<id>/agreement")
def show_agreement(id: str) -> Response:
    """Show the text that was accepted at an opening of a link"""
    found = Opening.one_of(g.caller.owner_id, id).with_target()
    text = found.accepted_text()
    return Response(text, headers={"Content-Security-Policy": POLICY}, content_type=TEXT)


def issue(target: Target, fields: dict[str, Any]) -> str:
    """Create a link by the fields of its form, and return its id."""
    body = NewDocumentToken().load(fields)
    made = once(lambda: DocumentToken.issue(target, LinkOptions.of(**body)).row.id)
    return str(made)


def go_to_ready(ids: list[str], done: str = "") -> Response:
    """Redirect to the first page, whose card shows these new links; `done` is as for `go`."""
    return go(f"{HOME}?{urlencode({'made': ids}, doseq=True)}", done)


@links.post("/<id>", scope=WRITE, shows=show_link)
def change_link(id: str) -> Response:
    """Change a link without sending it anew"""
    fields = link_fields()
    link = link_of_owner(g.caller.owner_id, id)
    if not (fields["password"] or "open" in request.form):
        del fields["password"]
    kept = (_guards_of(link) | {"notifyOwner": notifies(link)}).items()
    changed = {name: value for name, value in fields.items() if (name, value) not in kept}
    DocumentToken.edit(g.caller.owner_id, id, **DocumentTokenEdit().load(changed))
    return go(f"{PATH}/{id}", "asked" if changed.get("notifyOwner") and notices_wait() else "saved")


@links.post("/<id>/enabled", scope=WRITE)
def turn_link(id: str) -> Response:
    """Turn a link off, or on again at the same address"""
    enabled = request.form.get("enabled") == "yes"
    DocumentToken.edit(g.caller.owner_id, id, enabled=enabled)
    return go_back(f"{PATH}/{id}", "on" if enabled else "off", link=id)


@links.post("/<id>/notify", scope=WRITE, shows=show_link)
def notify_of_link(id: str) -> Response:
    """Have a mail sent to the account when a link is opened, or no more"""
    return go_back(f"{PATH}/{id}", _notify_of([id]))


@links.post("", scope=WRITE)
def notify_of_links() -> Response:
    """Have a mail sent to the account when one of the links just made is opened, or no more"""
    ids = list(dict.fromkeys(request.form.getlist("id")))
    if not 0 < len(ids) <= MOST_AT_ONCE:
        raise ValidationError({"": [f"Choose 1 to {MOST_AT_ONCE} links."]})
    return go_to_ready(ids, _notify_of(ids))


def _notify_of(ids: list[str]) -> str:
    """Store for these links whether their owner gets a mail; return the key of the sentence.

    A link that was deleted meanwhile stays as it is, if there are others.
    """
    if not has_mail():
        raise NotFound(NO_MAIL)
    wanted = request.form.get("notifyOwner") == "yes"
    for id in ids:
        try:
            DocumentToken.edit(g.caller.owner_id, id, notifies_owner=wanted)
        except TokenRevoked:
            if len(ids) == 1:
                raise
    return "asked" if wanted and notices_wait() else "saved"


@links.post("/<id>/send", scope=WRITE, shows=show_link)
def send_by_mail(id: str) -> Response:
    """Send a link to the people whom it names, with a line of text"""
    body = LinkNote().load({"note": text("note")})
    sent = send_link(g.caller.owner_id, id, body["note"])
    return go_back(f"{PATH}/{id}", "unsent" if sent.not_sent_to else "sent")


@links.post("/<id>/revoke", scope=WRITE)
def revoke_link(id: str) -> Response:
    """Delete a link, for good"""
    DocumentToken.one_of(g.caller.owner_id, id).revoke()
    return go_back(PATH, "taken")


def link_fields() -> dict[str, Any]:
    """Return the fields of a form for a link, as the API names them.

    A password counts only if its box is ticked: a browser may have filled the field with the one
    of the login. Raise `ValidationError` for the tick without a password.
    """
    fields = typed()
    password = (fields.get("password") or None) if "withPassword" in fields else None
    if "withPassword" in fields and password is None:
        raise ValidationError({"password": ["Type the password, or take the tick away."]})
    permissions = " ".join(fields.getlist("permissions")).split()
    return {
        "label": text("label"),
        "permissions": [one for one in permissions if one != _MARKED],
        "maxViews": number("maxViews"),
        "password": password,
        "allowedOrigins": fields.get("allowedOrigins", "").split(),
        **end(),
        **_choices(fields),
        **_guards(fields, _MARKED in permissions),
    }


def _choices(fields: MultiDict[str, str]) -> dict[str, bool]:
    """Return whether the link hides the name of what it opens, and whether its owner gets a mail
    when it is opened, as far as the form asks for that.
    """
    asked = [name for name in ("hideName", "notifyOwner") if name in fields]
    return {name: "1" in fields.getlist(name) for name in asked}


def _guards(fields: Mapping[str, str], is_marked: bool) -> dict[str, Any]:
    """Return what the link asks of its readers, by these fields of a form."""
    guards: dict[str, Any] = {}
    if "recipients" in fields:
        guards["recipients"] = re.findall(r"[^\s,;]+", fields["recipients"]) or None
    if "agreement" in fields:
        text = fields["agreement"].replace("\r\n", "\n")
        guards["agreement"] = text if text.strip() else None
        guards["watermark"] = is_marked or None
    return guards


def _guards_of(link: DocumentToken) -> dict[str, Any]:
    """Return the same values as `_guards` for an existing link.

    Line ends are normalised, as browsers change them in a form.
    """
    text = link.agreement and re.sub("\r\n?", "\n", link.agreement)
    return {
        "recipients": list(link.recipients) or None,
        "agreement": text,
        "watermark": link.watermark or None,
    }

"""The pages that show a document, the files that hold it, and the pages of a PDF.

A view is counted after the document was decrypted. Previews of the document are kept. The PDF may
also be the result of a conversion: clients get sizes and texts of its pages, and pictures.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

from flask import Response, request

import viewer
from models import Collection, Document, current_runtime
from models.core import Allowance, Invalid, NotFound, ScopeMissing, WrongCredentials
from models.documents import Client
from models.links import Target, TokenGrant, count_code_request, request_code
from models.runtime import BeingMadeError, network_of

from ..http import TICKET, Caller, is_form, responding
from ..http.caller import current_request
from ..http.serving import reserve_memory
from .collection import contents_page, send_one_file, send_originals
from .content import content_of
from .links import TooLargeForOneFile, address_of_request, base_url, fits_one_file
from .prompt import (
    ASKS_FIRST,
    VIEW_ONLY,
    admit,
    credential_of,
    needs_prompt,
    prompt,
    prompts_now,
    receipt_url,
    require_open,
    require_saving,
)
from .small_pages import asks_again, prefers_json, preparing_page

NO_PAGES = "This document has no pages: it is no PDF that can be read, nor converted to one."
NO_PAGE = "There is no such page, or it could not be drawn. Save the original to read it."
LOCKED = "This PDF has a password. Send the right one: POST, with the field password."


def render(action: str, target: Target, grant: TokenGrant) -> Response:
    """Return the page for `action`, `view` or `download`; for a link with a prompt, the prompt.

    A preview of a link that is viewed gets the prompt, too; a file is sent to every program.
    """
    if prompts_now(grant) if action == "view" else needs_prompt(grant):
        return prompt(grant, action, target)
    return _open(action, target, grant)


def unlock(action: str, target: Target, grant: TokenGrant, proof: dict[str, Any]) -> Response:
    """Return the page; for a form in which something is wrong or missing, return the prompt."""
    try:
        grant = admit(target, grant, proof)
    except (WrongCredentials, Invalid) as error:
        if is_form():
            return prompt(grant, action, target, error)
        raise
    return _open(action, target, grant)


def count_code() -> Allowance | None:
    """Count a request for a code against the limit of its network."""
    return count_code_request(network_of(request.remote_addr or ""))


def send_code(
    target: Target, grant: TokenGrant, email: str
) -> Response | tuple[dict[str, Any], int]:
    """Send a code. The answer is the same for every address.

    A browser gets the prompt, which then asks for the code.
    """
    expires_at = request_code(target.owner_id, grant, email)
    if not is_form() or prefers_json():
        return {"expires_at": expires_at}, 202
    action = "view" if "view" in grant.permissions else "download"
    page = prompt(grant, action, target)
    page.status_code = 202
    return page


def _open(action: str, target: Target, grant: TokenGrant) -> Response:
    if action == "download" and not fits_one_file(target):
        return _save_original(target, grant)
    if isinstance(target, Collection):
        if action == "view":
            return contents_page(target, grant)
        return send_one_file(target, grant)
    # the document, with its preview
    document = target
    request = current_request()
    saves = action == "download"
    as_pages = request.args.get("as") == "pages" and not saves
    original = grant.shown(document, _client(action, grant), as_pages=as_pages)
    headers_only = request.method == "HEAD"
    # its file
    if saves:
        page = viewer.download(original, headers_only=headers_only)
        return _record_and_send(page, document, grant, "document.downloaded")
    # or its page, which is not there yet while the preview is made
    try:
        page = viewer.view(
            original,
            frame_ancestors=grant.origins,
            embed=request.args.get("embed") == "1",
            may_save=grant.may_save,
            headers_only=headers_only,
            neighbours=_neighbours(document.id, grant),
            **_addresses(original, grant.on_page_of(document.id)),
        )
    except BeingMadeError as preparing:
        if request.method == "POST":
            grant = _opened_ahead(document, grant)
        return preparing_page(preparing.progress, document.id, grant)
    return _record_and_send(page, document, grant, "document.viewed")


def _save_original(target: Target, grant: TokenGrant) -> Response:
    """Return the original, or all originals of a collection, for the form of a browser, which has
    no other way to them behind a prompt. Raise `TooLargeForOneFile` for all else.
    """
    if not is_form():
        raise TooLargeForOneFile(target)
    if isinstance(target, Collection):
        return send_originals(target, grant, partial(grant.record_reading, target))
    response = content_of(target, grant, saves=True)
    grant.record_reading(target, "document.downloaded")
    return response


def _client(action: str, grant: TokenGrant) -> Client:
    """Return what the client of this request does while a preview is made."""
    if action == "download":
        return Client.SAVES
    return Client.ASKS_AGAIN if asks_again(grant) else Client.WAITS


def _opened_ahead(document: Document, grant: TokenGrant) -> TokenGrant:
    """Count the view now, as a form opened the document, and return the grant by a ticket.

    The page that the ticket loads later counts no view.
    """
    opened = replace(grant, came_by=grant.ticket(shows_original=False))
    if not grant.came_by:
        grant.count_view(document, "document.viewed")
    current_runtime().reads_by_ticket.hit(f"{opened.came_by} document.viewed")
    return opened


def _addresses(original: viewer.ShownDocument, grant: TokenGrant) -> dict[str, str | None]:
    """Return the addresses that the page loads from, or names; None for each that it has not.

    A page loads by tickets, which end with the token or session.
    """
    origin = base_url() if grant.is_link else address_of_request()
    path = f"{origin}/v1/documents/{original.id}"
    content = _content_url(path, original, grant)
    return {
        "content_url": content,
        "save_url": content and f"{content}&save=1",
        "pages_url": _pages_url(path, original, grant),
        "other_view_url": _other_view_url(path, original, grant),
        "oembed_url": _oembed_url(original.id, grant),
        "receipt_url": receipt_url(grant),
    }


def _content_url(path: str, original: viewer.ShownDocument, grant: TokenGrant) -> str | None:
    """Return the address of an original that is too large for the page to hold."""
    if viewer.embeds(original):
        return None
    return f"{path}/content?ticket={grant.ticket(shows_original=original.shows_original)}"


def _pages_url(path: str, original: viewer.ShownDocument, grant: TokenGrant) -> str | None:
    """Return the address of the further pages of a PDF."""
    if not original.has_pages:
        return None
    return f"{path}/pages?ticket={grant.ticket(shows_original=False)}"


def _other_view_url(path: str, original: viewer.ShownDocument, grant: TokenGrant) -> str | None:
    """Return the address of a workbook as pages, or of one that is shown so as tables."""
    if not original.has_two_views:
        return None
    embed = "&embed=1" if request.args.get("embed") == "1" else ""
    view = "" if original.as_pages else "&as=pages"
    return f"{path}/view?ticket={grant.ticket(shows_original=False)}{embed}{view}"


def _oembed_url(id: str, grant: TokenGrant) -> str | None:
    """Return the oEmbed address of a link to one document that opens without a prompt."""
    token = current_request().args.get("token")
    if token is None or needs_prompt(grant) or grant.collection_id:
        return None
    base = base_url()
    url = f"{_quoted(base)}%2Fv1%2Fdocuments%2F{id}%2Fview%3Ftoken%3D{quote(token, safe='')}"
    return f"{base}/oembed?format=json&url={url}"


@lru_cache(32)
def _quoted(address: str) -> str:
    """Return an address of this service as a value in another one. Python quotes it slowly."""
    return quote(address, safe="")


def _neighbours(id: str, grant: TokenGrant) -> viewer.Neighbours | None:
    """Return the neighbours of a page in a collection, with addresses for its credential."""
    if grant.collection is None:
        return None
    ids = [document.id for document in grant.collection.documents]
    if id not in ids:  # the document ended a moment ago
        raise NotFound
    at = ids.index(id)
    query = credential_of(grant) + ("&embed=1" if request.args.get("embed") == "1" else "")

    def address(position: int) -> str | None:
        inside = 0 <= position < len(ids)
        return f"{base_url()}/v1/documents/{ids[position]}/view?{query}" if inside else None

    contents = f"{base_url()}/s?{query}"
    return viewer.Neighbours(at + 1, len(ids), address(at - 1), address(at + 1), contents)


def _record_and_send(
    page: viewer.RenderedPage, document: Document, grant: TokenGrant, type: str
) -> Response:
    """Record the view or download, and return the page.

    HEAD is not recorded and has no Content-Length: the preview would have to be drawn.
    """
    request = current_request()
    if request.method == "HEAD":
        return responding.Response(page.body, headers=page.headers)
    reserve_memory(request, page.held_bytes)
    if not (grant.came_by and _is_counted(grant, type)):
        grant.record_reading(document, type)
    headers = page.headers | {"Content-Length": str(page.length)}
    return responding.Response(page.body, headers=headers, direct_passthrough=True)


def _is_counted(grant: TokenGrant, type: str) -> bool:
    """Return whether `_opened_ahead` has counted this view by ticket."""
    return not current_runtime().reads_by_ticket.allowance(f"{grant.came_by} {type}").left


def save(target: Target, grant: TokenGrant) -> Response:
    """Return the file, or the prompt of a link that has a prompt.

    Raise `ScopeMissing` by ticket, except for the ticket of a collection whose link permits to
    save.
    """
    if grant.came_by and not (grant.collection_id and grant.may_save):
        raise ScopeMissing(VIEW_ONLY)
    return render("download", target, grant)


def download_by_password(
    target: Target,
    caller: Caller,
    password: str | None = None,
    pdf_password: str | None = None,
    **proof: str,
) -> Response:
    """Return the file for a link's form, or a file encrypted with a password.

    The password is one of the caller's choice, or `pdf_password`, that of an encrypted PDF. An
    opened page of one document sends that of the PDF as `password`, too. A guarded link treats JSON
    like a form. Raise `ScopeMissing` for another link with a password, which opens by its form.
    """
    grant = caller.grant
    if caller.credential_type == TICKET:
        require_saving(grant)  # without the permission a page loads only what it shows
        if not grant.collection_id and pdf_password is None:
            password, pdf_password = None, password
    elif is_form() or grant.is_guarded:
        return unlock("download", target, grant, {"password": password, **proof})
    elif grant.has_password:
        raise ScopeMissing(ASKS_FIRST)
    return encrypted_download(target, grant, password, pdf_password)


def encrypted_download(
    target: Target,
    grant: TokenGrant,
    password: str | None,
    pdf_password: str | None = None,
) -> Response:
    """Return the file encrypted with the caller's password, or with an encrypted PDF opened.

    Raise `Invalid` if there is neither password.
    """
    if not password and pdf_password is None:
        raise Invalid("#/password", "A password is needed: it will open the file.")
    if isinstance(target, Collection):
        return send_one_file(target, grant, password)
    if not fits_one_file(target):
        raise TooLargeForOneFile(target)
    original = grant.shown(target, Client.SAVES, password=pdf_password)
    if pdf_password is not None:
        opened_pdf(original)  # refuses a wrong password
    if password:
        seal = target.password_seal(password)
        page = viewer.sealed_download(original, seal)
    else:
        page = viewer.download(original)
    return _record_and_send(page, target, grant, "document.downloaded")


def opened_pdf(original: viewer.ShownDocument) -> tuple[viewer.PdfPages, viewer.Overview]:
    """Return the pages of a document.

    Raise `NotFound` if it has none, `WrongCredentials` for an encrypted PDF whose password is
    missing or wrong, `TooManyRequests` after many wrong passwords.
    """
    if not original.has_pages:
        raise NotFound(NO_PAGES)
    failures = current_runtime().link_password_failures
    address = request.remote_addr or ""
    if original.password is not None:
        failures.refuse_if_many(original.id, address)
    try:
        pages = original.pages()
        return pages, pages.overview()
    except viewer.SandboxError:
        raise NotFound(NO_PAGES) from None
    except viewer.PdfLockedError:
        if original.password is not None:
            failures.record_failure(original.id, address)
        raise WrongCredentials(LOCKED) from None


def list_pages(
    document: Document, caller: Caller, first: int, password: str | None = None
) -> dict[str, Any]:
    with _pages_for(document, caller, password) as (pages, overview):
        read = pages.texts(first) if first <= overview.count else viewer.PageTexts([], [], [])
    following = first + viewer.TEXT_PAGES
    return {
        "total": overview.total,
        "pages": [
            {"number": frame.number, "width": frame.width, "height": frame.height, "text": text}
            for frame, text in zip(read.frames, read.texts, strict=True)
        ],
        "outline": [
            {"depth": depth, "title": title, "page": page, "top": top}
            for depth, title, page, top in read.outline
        ],
        "next_cursor": following if following <= overview.count else None,
    }


def drawn_page(
    document: Document, caller: Caller, number: str, scale: int, password: str | None = None
) -> dict[str, Any]:
    with _pages_for(document, caller, password) as (pages, overview):
        if not re.fullmatch("[1-9][0-9]{0,5}", number) or int(number) > overview.count:
            raise NotFound(NO_PAGE)
        page = pages.one(int(number), overview.count, scale)
    return {
        "number": page.number,
        "width": page.width,
        "height": page.height,
        "picture": page.picture,
        "text": [
            {"x": x, "y": y, "width": width, "height": height, "text": text}
            for x, y, width, height, text in page.text
        ],
        "links": [
            {
                "x": x,
                "y": y,
                "width": width,
                "height": height,
                "page": None if isinstance(target, str) else target,
                "top": top,
                "url": target if isinstance(target, str) else None,
            }
            for x, y, width, height, target, top in page.links
        ],
    }


@contextmanager
def _pages_for(
    document: Document, caller: Caller, password: str | None
) -> Iterator[tuple[viewer.PdfPages, viewer.Overview]]:
    """Yield the pages of a PDF, for a caller who may see them now.

    Raise `ScopeMissing`, `NotFound`, `WrongCredentials` or `TooManyRequests`.
    """
    if caller.credential_type != TICKET:
        require_open(caller.grant, counts=False)
        document.record_reading("document.viewed")
    try:
        yield opened_pdf(caller.grant.shown(document, password=password, as_pages=True))
    except viewer.SandboxError:
        raise NotFound(NO_PAGE) from None

"""Pages: routes that declare their credentials, common parts, errors as pages, assets."""

import gzip
import re
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from flask.blueprints import BlueprintSetupState
from markupsafe import Markup
from marshmallow import Schema
from werkzeug.urls import iri_to_uri

import viewer
from models import Document, Issued, Session, User, Webhook
from models.accounts import Member, MemberSpace, spaces_of
from models.core import NotFound, RegistrationClosed, SessionExpired, now, rfc3339
from models.documents import shown_document
from models.events import has_mail
from models.links import count_received, named_people, secret_of
from models.runtime import ProviderAway, service_error_of

from ..http import COOKIE, NOBODY, READ, WRITE, g
from ..http.declarations import Declaration, declare
from ..http.problems import PROBLEM
from ..login import (
    MADE_FOR,
    LeftSpace,
    OwnerChanged,
    caller_of_page,
    clear_cookie,
    clear_space_cookie,
)
from ..schemas.fields import Timestamp
from ..views.links import frame, visible, with_addresses
from ..views.notices import brand, prefers_html
from . import sentences
from .forms import (
    accepts_html,
    form,
    form_key,
    friday_after_tomorrow,
    link_ends,
    show_again,
    today,
)
from .sentences import State

HOME = "/app/documents"
SPACES = "/app/spaces"
PUBLIC = (NOBODY, COOKIE)
MOST_ADDRESS_CHARACTERS = 2000  # of an address that leads back to a page
_POLICY = (
    "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; "
    "img-src 'self'; manifest-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {  # with `no-referrer` our own forms would come with `Origin: null`
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# A page is compressed for a person and for our own pages. Its length says which of its parts are
# alike: another site, which could have it loaded again and again with words of its own, would learn
# from the lengths what else is on the page (BREACH, 2013). Browsers say who asks (Fetch Metadata).
_ASKED_FOR_HERE = ("none", "same-origin")
_COMPRESSION_OF_PAGES = 3  # of a list of 57 KB: 7.1 KB in 0.25 ms; 6 makes 6.6 KB in 0.64 ms
_LEADS_TO = {"/login": "/app/login", "/signup": "/app/signup", "/app/": HOME, "/docs/": "/docs"}
_KEPT = (
    "Allow",
    "Retry-After",
    "Set-Cookie",
    "WWW-Authenticate",
)  # headers that an error's page keeps
_EVENT_WORDS = {  # of the types of events
    "document.created": "document uploaded",
    "document.viewed": "document opened",
    "document.downloaded": "document saved",
    "document.binned": "document moved to the bin",
    "document.expired": "document deleted at its end",
    "collection.updated": "collection changed",
    "collection.added": "document added to a collection",
    "collection.removed": "document removed from a collection",
    "collection.viewed": "collection opened",
    "collection.downloaded": "collection saved",
    "token.created": "link created",
    "token.updated": "link changed",
    "token.revoked": "link deleted",
    "token.sent": "link sent by mail",
    "token.opened": "link opened for the first time",
    "token.visited": "link used, with a mail to you",
    "token.refused": "link refused someone",
    "token.spent": "link ended",
    "api_key.created": "key created",
    "api_key.revoked": "key revoked",
    "api_key.rotated": "key replaced",
    "webhook.disabled": "webhook switched off",
    "session.created": "logged in",
    "session.ended": "logged out",
    "member.added": "member added",
    "member.accepted": "member entered for the first time",
    "member.changed": "role of a member changed",
    "invitation.created": "someone invited",
    "invitation.withdrawn": "invitation withdrawn",
    "identity.linked": "login added",
    "identity.unlinked": "login removed",
    "login.failed": "wrong password",
}
_FOR_A_DAY = {"Cache-Control": "public, max-age=86400"}
_ASSETS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_SOURCES = {  # templates that are joined, in this order: a later rule of a style wins
    "css": (
        "base.css",
        "console/styles/scales.css",
        "console/styles/frame.css",
        "console/styles/text.css",
        "console/styles/cards.css",
        "console/styles/messages.css",
        "console/styles/forms.css",
        "console/styles/buttons.css",
        "console/styles/lists.css",
        "console/styles/selection.css",
        "console/styles/rows.css",
        "console/styles/names.css",
        "console/styles/states.css",
        "console/styles/people.css",
        "console/styles/requests.css",
        "console/styles/tiles.css",
        "console/styles/uploads.css",
        "console/styles/document.css",
        "console/styles/menus.css",
        "console/styles/deliveries.css",
        "console/styles/asking.css",
        "console/styles/secrets.css",
        "console/styles/pills.css",
        "console/styles/composer.css",
        "console/styles/readers.css",
        "console/styles/switches.css",
        "console/styles/receipts.css",
        "console/styles/jump.css",
        "console/styles/spaces.css",
    ),
    "js": (
        "console/scripts/page.js",
        "counts.js",
        "folders.js",
        "moments.js",
        "console/scripts/times.js",
        "console/scripts/forms.js",
        "console/scripts/copy.js",
        "console/scripts/menus.js",
        "console/scripts/passphrase.js",
        "console/scripts/terms.js",
        "console/scripts/list.js",
        "console/scripts/jump.js",
        "console/scripts/upload.js",
        "console/scripts/share.js",
        "console/scripts/drafts.js",
    ),
}
_ICONS = {  # file -> its facts in the manifest
    "icon.svg": {"type": "image/svg+xml", "sizes": "any"},
    "icon-192.png": {"type": "image/png", "sizes": "192x192"},
    "icon-512.png": {"type": "image/png", "sizes": "512x512", "purpose": "any maskable"},
}
_MANIFEST = {
    "id": "/app",
    "name": "Document Service",
    "short_name": "Documents",
    "description": "Send a document by a link, see when it was opened, take it back.",
    "start_url": HOME,
    "scope": "/app/",
    "display": "standalone",
    "background_color": "#f3f4f6",
    "theme_color": "#ffffff",  # in dark mode a `meta` of the pages names another colour
    "icons": [{"src": f"/app/{name}", **facts} for name, facts in _ICONS.items()],
    "share_target": {
        "action": "/app/share",
        "method": "POST",
        "enctype": "multipart/form-data",
        "params": {
            "title": "title",
            "text": "text",
            "url": "url",
            "files": [
                {
                    "name": "file",
                    "accept": [
                        "image/*",
                        "application/*",
                        "text/*",
                        "audio/*",
                        "video/*",
                        "message/*",
                    ],
                }
            ],
        },
    },
}

Page = Callable[..., Response]


class Pages(Blueprint):
    """The pages of one noun, below `/app`."""

    def __init__(self, noun: str, prefix: str = "", reads: str = READ) -> None:
        """`reads` is the scope that a member of a space needs for the pages; '' for a person's."""
        super().__init__(f"console_{noun}", __name__, url_prefix=f"/app{prefix}")
        self._reads = (reads,) if reads else ()

    def route(
        self,
        rule: str,
        *,
        accepts: tuple[str, ...] = (COOKIE,),
        scope: str = "",
        for_members: bool = False,
        from_anywhere: bool = False,
        shows: Page | None = None,
        form: Schema | None = None,
        **options: Any,
    ) -> Any:
        """Register a page that `accepts` these credentials.

        In a space a form needs a role with its `scope`, and is a person's own without one, unless
        it is `for_members` of any role. It is refused if it was made for another space or account,
        unless it may be sent `from_anywhere`. If a form is refused, the page `shows` shows the
        errors at the fields; without `shows`, the errors have a page of their own. `form` is the
        schema of an upload's parts.
        """
        register = super().route(rule, **options)
        reads = self._reads if options.get("methods") == ["GET"] else ()
        declaration = Declaration(
            accepts=accepts,
            scopes=(scope,) if scope else reads,
            for_members=for_members,
            resolve_caller=caller_of_page,
            from_anywhere=from_anywhere,
            form=form,
        )

        def registered(view: Page) -> Any:
            page = show_again(view, shows)
            declare(page, declaration)
            return register(page)

        return registered


def render(template: str, status_code: int = 200, **values: Any) -> Response:
    """Return a page of `templates/console/`."""
    nonce = secrets.token_urlsafe(16)
    html = render_template(f"console/{template}.html", nonce=nonce, brand=brand(), **values)
    policy = {"Content-Security-Policy": _POLICY.format(nonce)}
    page = Response(html, status_code, _HEADERS | policy)
    if _accepts_gzip() and request.headers.get("Sec-Fetch-Site") in _ASKED_FOR_HERE:
        page.data = gzip.compress(page.data, _COMPRESSION_OF_PAGES, mtime=0)
        page.headers["Content-Encoding"] = "gzip"
        page.headers["Vary"] = "Accept-Encoding, Sec-Fetch-Site"
    return page


def _accepts_gzip() -> bool:
    return request.accept_encodings["gzip"] > 0


def go(path: str, done: str = "", **more: Any) -> Response:
    """Redirect with 303 to a page that shows a sentence; `done` is the key of the sentence."""
    query = urlencode({"done": done} | more, doseq=True) if done else ""
    joint = query and ("&" if "?" in path else "?")
    return Response("", 303, {"Location": iri_to_uri(path + joint + query)})


def go_back(otherwise: str, done: str, **more: Any) -> Response:
    """Redirect to the page that the form names or was on, which shows the sentence of `done`."""
    back = page_of(request.form.get("back", "")) or referring_page() or otherwise
    return go(back, done, **more)


def page_number() -> int:
    """Return the number of the page of a list that is asked for."""
    return max(1, request.args.get("page", 1, int))


def from_here(view: Page) -> Page:
    """Wrap a GET that is recorded or expensive: a link of another site leads to the page above.

    Browsers send the cookie with such a link. The page above asks first.
    """

    @wraps(view)
    def guarded(**path: str) -> Response:
        if _comes_from_another_site():
            return go(_page_above())
        return view(**path)

    return guarded


def search_from_here(*names: str) -> Callable[[Page], Page]:
    """Decorate a GET that looks through all names for one of these values of its query: a link of
    another site leads to the page without a query.
    """

    def decorate(view: Page) -> Page:
        @wraps(view)
        def guarded(**path: str) -> Response:
            if _comes_from_another_site() and any(map(request.args.get, names)):
                return go(request.path)
            return view(**path)

        return guarded

    return decorate


def _comes_from_another_site() -> bool:
    return request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}


def page_of(address: str) -> str:
    """Return the address, a path and perhaps a query, if it leads to a page of ours, else ''."""
    if (
        len(address) > MOST_ADDRESS_CHARACTERS
        or not address.isprintable()
        or not address.startswith("/app/")
    ):
        return ""
    segments = unquote(urlsplit(address).path).split("/")[1:]
    leaves = "\\" in address or "//" in address or not {"", ".", ".."}.isdisjoint(segments)
    return "" if leaves else address


def referring_page() -> str:
    """Return the path of the page that holds this form; '' if it is not known."""
    with suppress(ValueError):
        return page_of(urlsplit(request.referrer or "").path)
    return ""


def turned_link() -> str | None:
    """Return the id of the link that was turned off or on by the form that led to this page."""
    id = request.args.get("link", "")
    is_turned = request.args.get("done") in {"on", "off"}
    return id if is_turned and re.fullmatch(r"tok_[0-9a-z]+", id) else None


def this_page() -> str:
    """Return the path of this page with its query, without what a form said that led here."""
    query = request.args.to_dict(flat=False)
    kept = {name: values for name, values in query.items() if name not in {"done", "link"}}
    return f"{request.path}?{urlencode(kept, doseq=True)}" if kept else request.path


def _page_above() -> str:
    """Return the path of the nearest page above the address of this request."""
    pages = current_app.url_map.bind("")
    path = request.path.rpartition("/")[0]
    while path.startswith("/app/") and not pages.test(path, "GET"):
        path = path.rpartition("/")[0]
    return path


def end_own_sessions() -> None:
    """End the sessions that this browser has: the person's, and that of a space."""
    for caller in filter(None, (g.caller, g.caller.person)):
        with suppress(SessionExpired):  # there was none, or it has ended meanwhile
            Session.of_request(caller.owner_id, caller.id).end()


# Errors


def errors_as_pages(response: Response) -> Response:
    """Replace a problem by a page for people, as an after-request hook.

    Below `/app` people get a page, and the console's script gets the problem. Browsers also get a
    page at any unknown address outside `/v1/`.
    """
    if response.status_code < 400 or response.mimetype != PROBLEM or not accepts_html():
        return response
    path = request.path
    if path != "/app" and not path.startswith("/app/"):
        is_mistyped = request.url_rule is None and not path.startswith("/v1/")
        if not (is_mistyped and prefers_html()):
            return response
    if path in _LEADS_TO:
        return go(_LEADS_TO[path])
    if response.status_code == 405 and request.method in {"GET", "HEAD"}:
        return go(_page_above())  # the address of a form, loaded again
    error = g.get("error")
    if isinstance(error, LeftSpace):
        response = go(SPACES, "out")
        clear_space_cookie(response)
        return response
    if response.status_code == 401:
        return _to_login()
    if isinstance(error, RegistrationClosed):
        return refuse_sign_in(response.status_code, error.sentence)
    is_inside = "caller" in g and g.caller.credential_type == COOKIE
    if isinstance(error, ProviderAway) and not is_inside:
        page = refuse_sign_in(response.status_code, error.sentence)
    else:
        problem = response.get_json()
        elsewhere = _form_is_of() if isinstance(error, OwnerChanged) else None
        page = render("error", response.status_code, problem=problem, elsewhere=elsewhere)
    page.headers.extend(pair for pair in response.headers if pair[0] in _KEPT)
    return page


@dataclass(frozen=True)
class Elsewhere:
    """Where somebody has to go for a form that was made there: the path of the act, and words."""

    path: str
    name: str


def _form_is_of() -> Elsewhere | None:
    """Return for which space or account of the person a refused form was made, if for one."""
    made_for = request.args.get(MADE_FOR, "")
    caller = g.caller
    if caller.member and made_for in {"", caller.person_id}:
        return Elsewhere(f"{SPACES}/{caller.owner_id}/leave", "My documents")
    space = next((one for one in spaces_of(caller.person_id) if one.id == made_for), None)
    return Elsewhere(f"{SPACES}/{space.id}/enter", space.name) if space else None


def refuse_sign_in(status: int, sentence: str) -> Response:
    """Return the page of somebody whom neither the proxy nor the provider lets in."""
    return render("sign_in_refused", status, status=status, sentence=sentence)


def _to_login() -> Response:
    """Redirect to the login, and from there back to this page, or to the page of the form."""
    is_form = request.method == "POST"
    page = referring_page() if is_form else request.full_path.rstrip("?")
    response = go(f"/app/login?next={quote(page)}")
    clear_cookie(response)
    return response


# The stylesheet and the script; icons and manifest, by which a phone puts the pages on its home
# screen (W3C Web Application Manifest)

assets = Pages("assets")
assets.after_app_request(errors_as_pages)


@dataclass(frozen=True)
class Asset:
    """The stylesheet or the script of the pages, whose address changes with its content."""

    address: str
    content_type: str
    content: bytes
    compressed: bytes


@cache
def asset(kind: str) -> Asset:
    """Return the stylesheet (`css`) or the script (`js`) of the pages; made once."""
    texts = [render_template(source) for source in _SOURCES[kind]]
    shown = brand()
    if kind == "css" and shown:
        texts.append(shown.css)
    content = "\n".join(texts).encode()
    version = sha256(content).hexdigest()[:16]
    address = f"/app/console-{version}.{kind}"
    return Asset(address, _ASSETS[kind], content, gzip.compress(content, mtime=0))


@assets.get("/console-<version>.<any(css,js):kind>", accepts=PUBLIC)
def static(version: str, kind: str) -> Response:  # noqa: ARG001
    """Return the stylesheet or the script of the pages"""
    found = asset(kind)
    if request.path != found.address:  # the address of another version
        raise NotFound
    is_compressed = _accepts_gzip()
    response = Response(
        found.compressed if is_compressed else found.content,
        content_type=found.content_type,
        headers={
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        },
    )
    version = found.address.rpartition("/")[2]
    if is_compressed:
        response.headers["Content-Encoding"] = "gzip"
        version += ".gz"
    response.set_etag(version)
    response.make_conditional(request)
    return response


@assets.get("/<any('icon.svg','icon-192.png','icon-512.png'):name>", accepts=PUBLIC)
def icon(name: str) -> Response:
    """Return an icon"""
    file = Path(current_app.root_path) / "templates" / "icons" / name
    return Response(file.read_bytes(), headers=_FOR_A_DAY, content_type=_ICONS[name]["type"])


@assets.get("/manifest.webmanifest", accepts=PUBLIC)
def manifest() -> Response:
    """Describe the pages as an app that a phone installs"""
    shown = brand()
    response = jsonify(_MANIFEST | ({"name": shown.name} if shown and shown.name else {}))
    response.headers.update(_FOR_A_DAY)
    response.content_type = "application/manifest+json"
    return response


# Functions that the templates may use besides their values


def prepare_templates(state: BlueprintSetupState) -> None:
    environment = state.app.jinja_env
    environment.trim_blocks = True
    environment.lstrip_blocks = True
    environment.globals.update(
        account_holder=account_holder,
        asset=asset,
        form=form,
        form_key=form_key,
        friday=friday_after_tomorrow,
        has_switch=sentences.has_switch,
        in_space=in_space,
        link_ends=link_ends,
        made_for=made_for,
        mails=has_mail,
        mails_owner=mails_owner,
        may=may,
        notices_wait=notices_wait,
        notifies=notifies,
        new_files=new_files,
        whereabouts=whereabouts,
        this_page=this_page,
        say=sentences,
        time=sentences.time,
        today=today,
        turned_link=turned_link,
    )
    environment.filters.update(
        address=address_of,
        badge=_badge,
        badge_of=viewer.badge,
        event_words=_event_words,
        frame=frame,
        initials=initials,
        has_pages=_has_pages,
        key_state=_key_state,
        kind=_kind,
        link_state=sentences.link_state,
        milliseconds=Timestamp().deserialize,
        moment=rfc3339,
        named_people=named_people,
        size=viewer.format_size,
        visible=visible,
        webhook_state=_webhook_state,
        zip=zip,
    )


assets.record_once(prepare_templates)


def quoted(text: str) -> Markup:
    """Return the text isolated, so that right-to-left text leaves the sentence's order alone."""
    return Markup("<bdi>{}</bdi>").format(visible(text))


def for_whom(label: str | None) -> Markup:
    """Return the words that follow `link` in a sentence: for whom it is, or nothing."""
    return Markup(" for “{}”").format(quoted(label)) if label else Markup()


def address_of(link: Any) -> str | None:
    """Return the address at which a link opens, or saves if it permits nothing else.

    Return None if the link's secret is not known, and for the member of a space who may not make a
    link: as at the API, whoever has the address has the link.
    """
    secret = secret_of(link) if may(WRITE) else None
    if secret is None:
        return None
    issued = with_addresses(Issued(link, secret))
    saves = link.permissions == "download"
    return issued.short_url.replace("/s?", "/s/download?") if saves else issued.short_url


@dataclass(frozen=True)
class AccountHolder:
    """The person who is logged in, as the menu of the account shows them."""

    email: str
    name: str | None

    @property
    def called(self) -> str:
        return self.name or self.email

    @property
    def initials(self) -> str:
        return initials(self.called)


def may(scope: str) -> bool:
    """Return whether the role in the space permits this; elsewhere everything is permitted."""
    return bool(g.caller.may(scope))


def in_space() -> bool:
    """Return whether the pages are those of a space."""
    return bool(g.get("caller") and g.caller.member)


def made_for(joint: str) -> str:
    """Return what stands behind the address of a form, joined by `joint`, to say whose form it is.

    It is nothing but in a space: so a form of the person's own is as it was without spaces.
    """
    space_id = g.caller.made_for if g.get("caller") else ""
    return f"{joint}{MADE_FOR}={space_id}" if space_id else ""


@dataclass(frozen=True)
class Whereabouts:
    """The spaces of the person at the pages, and the one in which they are, if in one."""

    spaces: list[MemberSpace]
    here: MemberSpace | None
    is_awaited: bool  # in a space to which somebody has added them


def whereabouts() -> Whereabouts:
    """Return where the person is, and where else they may go."""
    spaces = spaces_of(g.caller.person_id)
    here = next((one for one in spaces if one.id == g.caller.owner_id), None)
    return Whereabouts(spaces, here, Member.waits_for(g.caller.person_id))


def names_of(user_ids: Iterable[str]) -> dict[str, str]:
    """Return what people are called, by their ids: members of a space, now or before."""
    ids = sorted(set(user_ids))
    found = User.rows(User.select().where(User.id.in_(ids))) if ids else []
    return {one.id: _called(one) for one in found}


def _called(user: User) -> str:
    try:
        return user.name or user.email
    except Exception as error:
        if service_error_of(error):
            return user.email
        raise


def account_holder() -> AccountHolder:
    user = g.caller.person.user if g.caller.person else g.caller.user
    try:
        return AccountHolder(user.email, user.name)
    except Exception as error:
        if service_error_of(error):
            return AccountHolder(user.email, None)
        raise


def new_files() -> int:
    """Return how many files came by links since their owner has looked at the requests."""
    return count_received(g.caller.owner_id, g.caller.user.received_seen_at or 0)


def initials(name: str) -> str:
    """Return the initials of a person by their name or address: `AS` for `ana.silva@a.example`."""
    words = re.findall(r"[^\W_]+", name.partition("@")[0])
    named = words[:1] + words[1:][-1:]
    return "".join(word[0] for word in named).upper() or "•"


def _kind(document: Any) -> str:
    return viewer.kind_of(document.media_type, document.name)


def _has_pages(target: Any) -> bool:
    """Return whether the target is a document with pages that can be read."""
    try:
        return isinstance(target, Document) and shown_document(target).has_pages
    except Exception as error:
        if service_error_of(error):
            return False
        raise


def _badge(document: Any) -> str:
    return viewer.badge(document.name, _kind(document))


def _event_words(type: str) -> str:
    """Return the words for a type of events: `link ended` for `token.spent`."""
    return _EVENT_WORDS.get(type, type.replace(".", " "))


def notices_wait() -> bool:
    """Return whether somebody at the account's own address has yet to agree to notices."""
    webhook = _own_notices()
    return webhook is not None and webhook.is_unconfirmed


def notifies(link: Any) -> bool:
    """Return whether the account gets a mail when the link is opened, or will once it agrees."""
    webhook = _own_notices() if link.notifies_owner else None
    if webhook is None or not webhook.reports_visits:
        return False
    return webhook.is_unconfirmed or webhook.disabled_at is None


def mails_owner() -> bool:
    """Return whether the owner can get mail: a space has no address."""
    return has_mail() and not g.caller.made_for


def _own_notices() -> Webhook | None:
    return Webhook.mailing_to(g.caller.owner_id, g.caller.user.email) if mails_owner() else None


def _webhook_state(webhook: Any) -> State:
    if webhook.disabled_at is None:
        failing = webhook.failing_since
        return ("soon", "failing", failing) if failing else ("live", "on", None)
    why = {
        "failing": "off: it failed for five days",
        "gone": "off: it answered 410 Gone",
        "unconfirmed": "not confirmed yet",
    }
    return "over", why.get(webhook.disabled_reason, "off"), webhook.disabled_at


def _key_state(key: Any) -> State:
    for word, at in (("revoked", key.revoked_at), ("ended", key.expires_at)):
        if at and at <= now():
            return "over", word, at
    if key.revoked_at:
        return "soon", "replaced, works until", key.revoked_at
    return "live", "works until" if key.expires_at else "works", key.expires_at

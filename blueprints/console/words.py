"""Functions and filters of the templates, besides their values: who is here, and words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import request
from flask.blueprints import BlueprintSetupState
from markupsafe import Markup

import viewer
from models import Document, Issued, User, Webhook
from models.accounts import Member, MemberSpace, initials, spaces_of
from models.core import now, rfc3339
from models.documents import shown_document
from models.events import event_type, has_mail
from models.links import count_received, named_people
from models.runtime import service_error_of

from ..http import WRITE, g
from ..login import MADE_FOR
from ..schemas.fields import Timestamp
from ..views.links import fits_one_file, frame, visible, with_addresses
from . import sentences
from .assets import asset
from .forms import form, form_key, friday_after_tomorrow, link_ends, today
from .large_files import UploadLimits
from .sentences import State


def prepare_templates(state: BlueprintSetupState) -> None:
    """Give the templates the functions and filters that they use besides their values."""
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
        upload_limits=UploadLimits.of_service,
    )
    environment.filters.update(
        address=address_of,
        badge=_badge,
        badge_of=viewer.badge,
        event_type=event_type,
        frame=frame,
        initials=_initials,
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
    secret = link.kept_secret if may(WRITE) else None
    if secret is None:
        return None
    issued = with_addresses(Issued(link, secret))
    if link.permissions != "download":
        return issued.short_url
    target = vars(link).get("target")
    has_no_file = target is not None and not fits_one_file(target)
    saves = "content" if has_no_file and link.is_plain else "download"
    return issued.short_url.replace("/s?", f"/s/{saves}?")


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
        return _initials(self.called)


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
    here = next((one for one in spaces if one.row.id == g.caller.owner_id), None)
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


def _initials(called: str) -> str:
    """Return the initials of a person, or of what stands for one; a dot if there is no letter."""
    return initials(called) or "•"


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
        return State("soon", "failing", failing) if failing else State("live", "on", None)
    why = {
        "failing": "off: it failed for five days",
        "gone": "off: it answered 410 Gone",
        "unconfirmed": "not confirmed yet",
    }
    return State("over", why.get(webhook.disabled_reason, "off"), webhook.disabled_at)


def _key_state(key: Any) -> State:
    for word, at in (("revoked", key.revoked_at), ("ended", key.expires_at)):
        if at and at <= now():
            return State("over", word, at)
    if key.revoked_at:
        return State("soon", "replaced, works until", key.revoked_at)
    return State("live", "works until" if key.expires_at else "works", key.expires_at)

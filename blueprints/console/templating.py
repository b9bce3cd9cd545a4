"""What the templates of the pages may use besides their values."""

from typing import Any

from flask.blueprints import BlueprintSetupState
from markupsafe import Markup

import viewer
from models import Document, Issued
from models.core import now, rfc3339
from models.events import has_mail
from models.links import secret_of
from models.records import has_passed
from models.runtime import service_error_of

from ..schemas.fields import Timestamp
from ..views.links import frame, visible, with_addresses
from .blueprint import asset
from .forms import form, form_key, friday_after_tomorrow, link_ends, today

State = tuple[str, str, int | None]  # a class of the stylesheet, words, a moment


def prepare_templates(state: BlueprintSetupState) -> None:
    environment = state.app.jinja_env
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.globals.update(asset=asset, form=form, form_key=form_key, link_ends=link_ends)
    environment.globals |= {"friday": friday_after_tomorrow, "today": today, "mails": has_mail}
    environment.filters |= {"moment": rfc3339, "milliseconds": Timestamp().deserialize}
    environment.filters |= {"size": viewer.format_size, "kind": _kind, "visible": visible}
    environment.filters |= {"badge": _badge, "zip": zip, "event_words": _event_words}
    environment.filters |= {"address": address_of, "frame": frame, "has_pages": _has_pages}
    states = {"key_state": _key_state, "link_state": _link_state, "webhook_state": _webhook_state}
    environment.filters |= states


def quoted(text: str) -> Markup:
    """In a sentence, whose order it leaves alone where it is written from right to left."""
    return Markup("<bdi>{}</bdi>").format(visible(text))


def for_whom(label: str | None) -> Markup:
    """What stands behind `link`."""
    return Markup(" for “{}”").format(quoted(label)) if label else Markup()


def address_of(link: Any) -> str | None:
    """Where it opens, or for one that saves only, where it saves; None if it is not known."""
    secret = secret_of(link)
    if secret is None:
        return None
    issued = with_addresses(Issued(link, secret))
    saves = link.permissions == "download"
    return issued.short_url.replace("/s?", "/s/download?") if saves else issued.short_url


def _kind(document: Any) -> str:
    return viewer.kind_of(document.media_type, document.name)


def _has_pages(target: Any) -> bool:
    """Whether it is a document with pages that can be read."""
    try:
        return isinstance(target, Document) and target.has_pages()
    except Exception as error:
        if service_error_of(error):
            return False
        raise


def _badge(document: Any) -> str:
    return viewer.badge(document.name, _kind(document))


def _event_words(type: str) -> str:
    """A type of events, such as `token.spent`, for people: `link ended`."""
    for name, word in (("token", "link"), ("api_", ""), ("spent", "ended"), (".", " ")):
        type = type.replace(name, word)
    return type


def _link_state(link: Any) -> State:
    """The moment is the one it ends or has ended at."""
    if link.revoked_at:
        return "over", "revoked", link.revoked_at
    if getattr(link, "target_name", "") is None:  # of all links: its document is in the bin
        return "over", "ended", None
    if has_passed(link.expires_at):
        return "over", "ended", link.expires_at
    if link.max_views and link.views >= link.max_views:
        return "over", "used up", link.last_used_at
    return "live", "live", link.expires_at


def _webhook_state(webhook: Any) -> State:
    if webhook.disabled_at is None:
        failing = webhook.failing_since
        return ("soon", "failing", failing) if failing else ("live", "on", None)
    why = {"gone": "off: it answered 410 Gone", "failing": "off: it failed for five days"}
    why["unconfirmed"] = "not confirmed yet"
    return "over", why.get(webhook.disabled_reason, "off"), webhook.disabled_at


def _key_state(key: Any) -> State:
    for word, at in (("revoked", key.revoked_at), ("ended", key.expires_at)):
        if at and at <= now():
            return "over", word, at
    if key.revoked_at:
        return "soon", "replaced, works until", key.revoked_at
    return "live", "works until" if key.expires_at else "works", key.expires_at

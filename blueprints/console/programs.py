"""The pages for programs: API keys, and webhooks with their deliveries."""

import json
from collections.abc import Callable
from typing import Any

from flask import Response, request

from models import EVENT_TYPES, SCOPES, ApiKey, Event, Issued, Webhook
from models.accounts import KeyOfSpace

from ..http import API_KEYS, WEBHOOKS, g
from ..schemas.requests import ApiKeyRotation, NewApiKey, NewWebhook, WebhookEdit
from ..schemas.responses import ApiKeyWithSecret, WebhookWithSecret
from ..views.links import base_url
from .forms import end, number, once, text
from .routes import PUBLIC, Pages, go, render
from .words import names_of

keys = Pages("keys", "/keys", reads=API_KEYS)
webhooks = Pages("webhooks", "/webhooks", reads=WEBHOOKS)
KEYS_PATH = "/app/keys"
WEBHOOKS_PATH = "/app/webhooks"
KEYS_ON_A_PAGE = 50
WEBHOOKS_ON_A_PAGE = 100  # all webhooks: nobody may have more
DELIVERIES_ON_A_PAGE = 50
_NOUNS = {"document": "Documents", "collection": "Collections", "token": "Links", "api_key": "Keys"}
_GROUPS: dict[str, list[str]] = {  # of the types of events
    noun: [type for type in EVENT_TYPES if _NOUNS.get(type.partition(".")[0], "Account") == noun]
    for noun in (*_NOUNS.values(), "Account")
}


@keys.get("")
def show_keys(**_: str) -> Response:
    """List the API keys (keys masked)"""
    after = request.args.get("after")
    found, further = ApiKey.page_of_user(g.caller.user, KEYS_ON_A_PAGE, after)
    makers = [one.maker_id for one in found if isinstance(one, KeyOfSpace)]
    return render(
        "keys",
        keys=found,
        makers=names_of(filter(None, makers)),
        further=further,
        scopes=SCOPES,
        base=base_url(),
    )


@keys.post("", scope=API_KEYS, shows=show_keys)
def create_key() -> Response:
    """Create an API key and show it, this once"""
    scopes = request.form.getlist("scopes")
    body = NewApiKey().load({"name": text("name"), "scopes": scopes, **end()})
    body["scopes"] = " ".join(dict.fromkeys(body["scopes"]))
    return _show_key(lambda: ApiKey.issue(g.caller.user, **body))


@keys.post("/<id>/rotate", scope=API_KEYS, shows=show_keys)
def rotate_key(id: str) -> Response:
    """Replace an API key by a new one, shown this once"""
    body = ApiKeyRotation().load({"overlapSeconds": number("overlapSeconds") or 0})
    old = ApiKey.one_of(g.caller.owner_id, id)
    return _show_key(lambda: old.rotate(g.caller.user, **body))


@keys.post("/<id>/revoke", scope=API_KEYS)
def revoke_key(id: str) -> Response:
    """Revoke an API key"""
    ApiKey.one_of(g.caller.owner_id, id).revoke()
    return go(KEYS_PATH, "revoked")


def _show_key(issue: Callable[[], Issued[ApiKey]]) -> Response:
    issued = once(lambda: ApiKeyWithSecret().dump(issue()))
    return render("key", key=issued, base=base_url())


@webhooks.get("")
def show_webhooks() -> Response:
    """List the webhooks"""
    found, _further = Webhook.page(g.caller.owner_id, WEBHOOKS_ON_A_PAGE, None)
    return render("webhooks", webhooks=found, types=list(EVENT_TYPES), groups=_GROUPS)


@webhooks.post("", scope=WEBHOOKS, shows=show_webhooks)
def create_webhook() -> Response:
    """Have events sent to an address; its secret is shown this once"""
    body = NewWebhook().load(_webhook_fields())
    return _show_secret(lambda: Webhook.register(g.caller.owner_id, **body))


@webhooks.get("/<id>")
def show_webhook(id: str) -> Response:
    """Show a webhook and its deliveries"""
    webhook = _own_webhook(id)
    after = request.args.get("after")
    deliveries, further = webhook.deliveries(DELIVERIES_ON_A_PAGE, after)
    sent = {} if webhook.mail_address else {one.id: _sent_body(one) for one in deliveries}
    return render(
        "webhook",
        webhook=webhook,
        deliveries=deliveries,
        further=further,
        groups=_GROUPS,
        sent=sent,
        waiting=webhook.waiting(),
        is_changing=webhook.disabled_at is None and any(one.due_at for one in deliveries),
    )


def _sent_body(delivery: Any) -> str:
    """Return the body of a delivery, indented; '' if its event is no longer kept."""
    event = Event.find(delivery.owner_id, delivery.event_id)
    return json.dumps(json.loads(event.sent_body), indent=2) if event else ""


@webhooks.post("/<id>", scope=WEBHOOKS, shows=show_webhook)
def change_webhook(id: str) -> Response:
    """Change a webhook, switch it off, or on again"""
    fields = _webhook_fields() | {"enabled": "enabled" in request.form}
    _own_webhook(id).edit(**WebhookEdit().load(fields))
    return go(f"{WEBHOOKS_PATH}/{id}", "saved")


@webhooks.get("/<id>/confirm", accepts=PUBLIC)
def show_confirmation(id: str) -> Response:
    """Ask somebody whether notices may come by mail, or are to end"""
    code = request.values.get("code", "")
    return render("notices", webhook=Webhook.of_code(id, code), code=code)


@webhooks.post("/<id>/confirm", accepts=PUBLIC, shows=show_confirmation)
def confirm_webhook(id: str) -> Response:
    """Let notices come by mail, or end them"""
    code = request.form.get("code", "")
    wants = request.form.get("answer") == "yes"
    Webhook.of_code(id, code).answer(wanted=wants)
    return render("notices", webhook=Webhook.of_code(id, code), code="")


@webhooks.post("/<id>/test", scope=WEBHOOKS, shows=show_webhook)
def test_webhook(id: str) -> Response:
    """Send a test to a webhook"""
    once(lambda: _own_webhook(id).test().id)
    return go(f"{WEBHOOKS_PATH}/{id}", "tested")


@webhooks.post("/<id>/rotate", scope=WEBHOOKS, shows=show_webhook)
def rotate_secret(id: str) -> Response:
    """Replace the secret, shown this once"""
    return _show_secret(_own_webhook(id).rotate_secret)


@webhooks.post("/<id>/delete", scope=WEBHOOKS)
def delete_webhook(id: str) -> Response:
    """Delete a webhook with its deliveries"""
    _own_webhook(id).remove()
    return go(WEBHOOKS_PATH, "removed")


@webhooks.post("/<id>/deliveries/<delivery_id>/redeliver", scope=WEBHOOKS, shows=show_webhook)
def redeliver(id: str, delivery_id: str) -> Response:
    """Send an event once more"""
    _own_webhook(id).redeliver(delivery_id)
    return go(f"{WEBHOOKS_PATH}/{id}", "resent")


def _own_webhook(id: str) -> Webhook:
    return Webhook.one_of(g.caller.owner_id, id)


def _webhook_fields() -> dict[str, Any]:
    return {
        "url": text("url") or "",
        "description": text("description"),
        "events": request.form.getlist("events"),
    }


def _show_secret(issue: Callable[[], Issued[Webhook] | Webhook]) -> Response:
    """Show the secret of a webhook, this once.

    A webhook that sends mail has no secret: redirect to its page, as a mail asks its address first.
    """
    issued = once(lambda: WebhookWithSecret().dump(issue()))
    if "secret" in issued:
        return render("secret", webhook=issued)
    return go(f"{WEBHOOKS_PATH}/{issued['id']}", "asked")

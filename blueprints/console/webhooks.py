"""Webhooks, and what was sent to them."""

import json
from typing import Any

from flask import Response, g, request

from models import EVENT_TYPES, Event, Webhook
from models.events import has_mail

from ..http import COOKIE, NOBODY
from ..schemas.requests import NewWebhook, WebhookEdit
from ..schemas.responses import WebhookWithSecret
from .blueprint import Pages, go, render
from .forms import once, text

webhooks = Pages("webhooks", "/webhooks")
PATH = "/app/webhooks"
_NOUNS = {"document": "Documents", "collection": "Collections", "token": "Links", "api_key": "Keys"}
_GROUPS = {  # of the types of events
    noun: [type for type in EVENT_TYPES if _NOUNS.get(type.partition(".")[0], "Account") == noun]
    for noun in (*_NOUNS.values(), "Account")
}


def _owned(id: str) -> Webhook:
    return Webhook.one_of(g.caller.owner_id, id)


@webhooks.get("")
def show_webhooks() -> Response:
    """List the webhooks"""
    found, _ = Webhook.page_of(g.caller.owner_id, 100, None)
    return render("webhooks", webhooks=found, types=EVENT_TYPES, groups=_GROUPS, mails=has_mail())


@webhooks.post("", shows=show_webhooks)
def create_webhook() -> Response:
    """Have events sent to an address; its secret is shown this once"""
    body = NewWebhook().load(_fields())
    return _show_secret(lambda: Webhook.register(g.caller.owner_id, **body))


@webhooks.get("/<id>")
def show_webhook(id: str) -> Response:
    """Show a webhook and its deliveries"""
    found = _owned(id)
    deliveries, further = found.deliveries(25, request.args.get("after"))
    shown: dict[str, Any] = {"deliveries": deliveries, "further": further, "groups": _GROUPS}
    shown["waiting"] = found.waiting()
    shown["sent"] = {one.id: _sent_body(one) for one in deliveries if not found.mail_address}
    return render("webhook", webhook=found, **shown)


def _sent_body(delivery: Any) -> str:
    """Laid out to be read; '' if its event is no longer kept."""
    event = Event.find(delivery.event_id)
    return json.dumps(json.loads(event.sent_body), indent=2) if event else ""


@webhooks.post("/<id>", shows=show_webhook)
def change_webhook(id: str) -> Response:
    """Change a webhook, switch it off, or on again"""
    body = WebhookEdit().load(_fields() | {"enabled": "enabled" in request.form})
    _owned(id).edit(**body)
    return go(f"{PATH}/{id}", "saved")


@webhooks.get("/<id>/confirm", accepts=(NOBODY, COOKIE))
def show_confirmation(id: str) -> Response:
    """Ask somebody whether notices may come by mail, or are to end"""
    code = request.values.get("code", "")
    return render("notices", webhook=Webhook.of_code(id, code), code=code)


@webhooks.post("/<id>/confirm", accepts=(NOBODY, COOKIE), shows=show_confirmation)
def confirm_webhook(id: str) -> Response:
    """Let notices come by mail, or end them"""
    found = Webhook.of_code(id, request.form.get("code", ""))
    found.answer(wanted=request.form.get("answer") == "yes")
    return render("notices", webhook=Webhook.of_code(id, request.form["code"]), code="")


@webhooks.post("/<id>/test", shows=show_webhook)
def test_webhook(id: str) -> Response:
    """Send a test to a webhook"""
    once(lambda: _owned(id).test().id)
    return go(f"{PATH}/{id}", "tested")


@webhooks.post("/<id>/rotate", shows=show_webhook)
def rotate_secret(id: str) -> Response:
    """Replace the secret, shown this once"""
    return _show_secret(_owned(id).rotate_secret)


@webhooks.post("/<id>/delete")
def delete_webhook(id: str) -> Response:
    """Delete a webhook with its deliveries"""
    _owned(id).remove()
    return go(PATH, "removed")


@webhooks.post("/<id>/deliveries/<delivery_id>/redeliver", shows=show_webhook)
def redeliver(id: str, delivery_id: str) -> Response:
    """Send an event once more"""
    _owned(id).redeliver(delivery_id)
    return go(f"{PATH}/{id}", "resent")


def _fields() -> dict[str, Any]:
    types = request.form.getlist("events")
    return {"url": text("url") or "", "description": text("description"), "events": types}


def _show_secret(issue: Any) -> Response:
    issued = once(lambda: WebhookWithSecret().dump(issue()))
    has_secret = "secret" in issued
    return render("secret", webhook=issued) if has_secret else go(f"{PATH}/{issued['id']}", "asked")

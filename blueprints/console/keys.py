"""API keys: list, create, rotate, revoke."""

from flask import Response, g, request

from models import SCOPES, ApiKey

from ..schemas.requests import ApiKeyRotation, NewApiKey
from ..schemas.responses import ApiKeyWithSecret
from ..views.links import base_url
from .blueprint import Pages, go, render
from .forms import end, number, once, text

keys = Pages("keys", "/keys")
PATH = "/app/keys"


@keys.get("")
def show_keys(**_: str) -> Response:
    """List the API keys (keys masked)"""
    found, further = ApiKey.page_of_user(g.caller.user, 6, request.args.get("after"))
    return render("keys", keys=found, further=further, scopes=SCOPES, base=base_url())


@keys.post("", shows=show_keys)
def create_key() -> Response:
    """Create an API key and show it, this once"""
    scopes = request.form.getlist("scopes")
    body = NewApiKey().load({"name": text("name"), "scopes": scopes, **end()})
    body["scopes"] = " ".join(dict.fromkeys(body["scopes"]))
    return _show_once(once(lambda: _secret(ApiKey.issue(g.caller.user, **body))))


@keys.post("/<id>/rotate", shows=show_keys)
def rotate_key(id: str) -> Response:
    """Replace an API key by a new one, shown this once"""
    body = ApiKeyRotation().load({"overlapSeconds": number("overlapSeconds") or 0})
    old = ApiKey.one_of(g.caller.owner_id, id)
    return _show_once(once(lambda: _secret(old.rotate(g.caller.user, **body))))


@keys.post("/<id>/revoke")
def revoke_key(id: str) -> Response:
    """Revoke an API key"""
    ApiKey.one_of(g.caller.owner_id, id).revoke()
    return go(PATH, "revoked")


def _secret(issued: object) -> object:
    return ApiKeyWithSecret().dump(issued)


def _show_once(key: object) -> Response:
    return render("key", key=key, base=base_url())

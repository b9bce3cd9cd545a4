"""API keys: create, list, revoke, rotate."""

from typing import Any

from models import ApiKey, Issued

from .http import API_KEYS, SESSION, ApiBlueprint, g
from .schemas.requests import ApiKeyRotation, NewApiKey, PageQuery
from .schemas.responses import ApiKeyRecord, ApiKeyWithSecret, list_page, list_schema

api_keys = ApiBlueprint("api_keys", __name__, url_prefix="/v1/api-keys", description="API keys")


@api_keys.post("", accepts=[SESSION], scope=API_KEYS, idempotent=True)
@api_keys.arguments(NewApiKey())
@api_keys.response(201, ApiKeyWithSecret)
def create(body: dict[str, Any]) -> Issued[ApiKey]:
    """Create a new API key

    The response is the only one that shows `key`. Without `scopes`, the key has all scopes.
    """
    scopes = " ".join(dict.fromkeys(body["scopes"]))
    return ApiKey.issue(g.caller.user, body["name"], scopes, body["expires_at"])


@api_keys.get("", accepts=[SESSION], scope=API_KEYS)
@api_keys.arguments(PageQuery(), location="query")
@api_keys.response(200, list_schema("apiKeys", ApiKeyRecord))
def list_masked(query: dict[str, Any]) -> Any:
    """List API keys (keys masked)"""
    return list_page(ApiKey.page_of_user(g.caller.user, **query))


@api_keys.delete("/<id>", accepts=[SESSION], scope=API_KEYS)
@api_keys.response(204)
def revoke(id: str) -> None:
    """Revoke an API key

    The key stops at once. A second call changes nothing.
    """
    ApiKey.one_of(g.caller.owner_id, id).revoke()


@api_keys.post("/<id>/rotate", accepts=[SESSION], scope=API_KEYS, idempotent=True)
@api_keys.arguments(ApiKeyRotation())
@api_keys.response(201, ApiKeyWithSecret)
def rotate(body: dict[str, int], id: str) -> Issued[ApiKey]:
    """Replace an API key by a new one of the same name, scopes and expiry"""
    return ApiKey.one_of(g.caller.owner_id, id).rotate(g.caller.user, body["overlap_seconds"])

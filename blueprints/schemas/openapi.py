"""The OpenAPI description: what flask-smorest gathers, with every status that can come.

Which refusals an operation can answer follows from what is declared on its handler: the
credentials it takes, a body, a query, an id in its path, and what `refuses` adds.
"""

from collections.abc import Iterator
from typing import Any

from flask import Flask
from flask_smorest import Api

from models import current_runtime

from ..http.declarations import ANYONE, API_KEY, DOCUMENT_TOKEN, SESSION, TICKET
from ..http.problems import PROBLEM, STATUS
from .responses import Problem

ABOUT = """\
Documents sealed with AES-256-GCM, shown inline, handed out as one HTML file, shared by tokens
that can be taken back.

Every error is `application/problem+json` (RFC 9457) with a stable `code`. Every answer carries
`X-Request-Id`; a caller's own (1 to 64 of `A-Za-z0-9._-`) is kept. Lists are newest first;
`nextCursor` goes on where a page ended. `HEAD` works wherever `GET` does.
"""
CODES_OF_BODY = ("malformed_json", "unsupported_media_type", "payload_too_large", "invalid_request")
NEW_PASSWORDS = (("Registration", "password"), ("NewPassword", "newPassword"))
SCHEMES = {
    SESSION: {"type": "http", "scheme": "bearer", "bearerFormat": "PASETO v4.local"},
    API_KEY: {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    DOCUMENT_TOKEN: {"type": "apiKey", "in": "query", "name": "token"},
    TICKET: {"type": "apiKey", "in": "query", "name": "ticket"},
}


def described(app: Flask, api: Api) -> dict[str, Any]:
    for name, scheme in SCHEMES.items():
        api.spec.components.security_scheme(name, scheme)
    api.spec.components.schema("Problem", schema=Problem)
    description: dict[str, Any] = api.spec.to_dict()
    description["info"]["description"] = ABOUT
    _tell_settings(description["components"]["schemas"])
    for rule in app.url_map.iter_rules():
        path = description["paths"].get(rule.rule.replace("<", "{").replace(">", "}"), {})
        view = app.view_functions[rule.endpoint]
        for method in rule.methods or ():
            if method.lower() in path:
                _describe(path[method.lower()], view, rule.arguments)
    return description


def _tell_settings(schemas: dict[str, Any]) -> None:
    """What is taken depends on how the service is set up."""
    settings = current_runtime().settings
    for schema, name in NEW_PASSWORDS:
        schemas[schema]["properties"][name]["minLength"] = settings.password_min_length
    for schema in ("NewWebhook", "WebhookEdit") if settings.webhook_allow else ():
        del schemas[schema]["properties"]["url"]["pattern"]


def _describe(operation: dict[str, Any], view: Any, arguments: set[str]) -> None:
    responses = operation["responses"]
    for status in [key for key, response in responses.items() if "$ref" in response]:
        del responses[status]  # flask-smorest's own wording of a refused body
    for code in _codes(operation, view, arguments):
        response = responses.setdefault(str(STATUS[code]), _response())
        response["description"] = " / ".join(filter(None, [response["description"], f"`{code}`"]))
    operation["responses"] = {key: responses[key] for key in sorted(responses)}


def _codes(operation: dict[str, Any], view: Any, arguments: set[str]) -> Iterator[str]:
    """Without duplicates, in the order of the table of statuses."""
    codes = {"ambiguous_credentials", "not_authenticated", "session_expired", "key_revoked"}
    codes |= {refusal.code for refusal in getattr(view, "may_fail_with", ())}
    codes |= {"internal_error", "key_unavailable", "busy"}
    if set(view.accepts) != set(ANYONE):
        codes |= {"session_required"} if API_KEY not in view.accepts else {"scope_missing"}
    if arguments:
        codes.add("not_found")
    if "requestBody" in operation:
        codes |= set(CODES_OF_BODY)
    if any(one.get("in") == "query" for one in operation.get("parameters", ())):
        codes.add("invalid_request")
    codes.add("token_spent")  # of a spent document token, wherever it is presented
    yield from (code for code in STATUS if code in codes)


def _response() -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": "", "content": {PROBLEM: {"schema": schema}}}

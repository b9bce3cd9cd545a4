"""The OpenAPI description: flask-smorest's, completed by the declarations of handlers.

Errors are described once, by the class of their status, as any operation may return any of them.
"""

from collections.abc import Callable, Iterable
from functools import cache, partial
from inspect import cleandoc
from threading import Lock
from typing import Any

from flask import Flask
from werkzeug.http import HTTP_STATUS_CODES

from models import current_runtime
from models.core import ServiceError

from ..http import API_KEY, DOCUMENT_TOKEN, SESSION, TICKET, UPLOAD_TICKET, ApiBlueprint
from ..http.declarations import Declaration, View, declaration_of
from ..http.problems import PROBLEM, STATUS, ProblemApi
from .responses import Problem

ABOUT = """\
Documents are stored sealed with AES-256-GCM, shown in the browser, downloaded as one HTML file that
opens offline, and shared by links that can be revoked.

Register an account, log in, and send the session token as `Authorization: Bearer …`. A program
sends an API key as `X-API-Key`. A link has a document token, which opens one document; it is also
taken as a Bearer token. A ticket is what an open page loads a large original with.

A space owns documents that several people share. `POST /v1/spaces/{id}/sessions` gives a member a
session token with which every call acts as the space, as far as the member's role permits.

Every error is `application/problem+json` (RFC 9457) with a stable `code`. Every response has an
`X-Request-Id`; one that you send (1 to 64 of `A-Za-z0-9._-`) is kept. Lists are newest first, and
`nextCursor` leads to the next page. `HEAD` works wherever `GET` does. Text holds no NUL character.
"""
SCHEMES = {
    SESSION: {"type": "http", "scheme": "bearer", "bearerFormat": "PASETO v4.local"},
    API_KEY: {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    DOCUMENT_TOKEN: {"type": "apiKey", "in": "query", "name": "token"},
    TICKET: {"type": "apiKey", "in": "query", "name": "ticket"},
    UPLOAD_TICKET: {"type": "apiKey", "in": "query", "name": "ticket"},
}
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same key and body within 24 hours get the first response again, with "
    "`Idempotency-Replayed: true`; nothing is created twice. If the document or webhook has been "
    "deleted since, the response is 404.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
SUCCESS = {
    "200": "Done.",
    "201": "Created.",
    "202": "Accepted: it is sent now.",
    "204": "Done. There is no body.",
    "206": "The range asked for.",
}
OF_PAGES = {"origin_not_allowed", "owner_changed"}  # which the description leaves out
DETAILS = {  # meanings of errors whose message depends on the case
    "malformed_json": "The body is not exactly one JSON object in UTF-8.",
    "invalid_request": "A field or a parameter is wrong. `errors` names each.",
    "payload_too_large": "The body is too large. The message says how large it may be.",
    "quota_exceeded": "You have as much as you may have. Delete something.",
    "range_not_satisfiable": "The range begins after the document's last byte.",
    "too_many_requests": "There were too many of these. Wait as long as `Retry-After` says.",
    "internal_error": "Something went wrong here. The log knows more by the `requestId`.",
}

_PHRASE = "correct horse battery"
_EXPIRY = "2099-01-31T09:30:00.000Z"
_IDS = {
    "documents": "doc",
    "collections": "col",
    "spaces": "spc",
    "members": "usr",
    "tokens": "tok",
    "openings": "opn",
    "uploads": "upl",
    "api-keys": "key",
    "sessions": "ses",
    "webhooks": "whk",
    "deliveries": "dlv",
}

BODIES: dict[str, Any] = {
    "Registration": {"email": "me@example.org", "password": _PHRASE, "name": "Mia Example"},
    "Login": {"email": "me@example.org", "password": _PHRASE},
    "ProfileEdit": {"name": "Mia Example", "showName": True},
    "PasswordReset": {"email": "me@example.org"},
    "PasswordChange": {"currentPassword": _PHRASE, "newPassword": "a better horse battery"},
    "NewSpace": {"name": "Accounting"},
    "NewMember": {"email": "ana@example.org", "role": "write"},
    "MemberEdit": {"role": "manage"},
    "NewApiKey": {"name": "backup", "scopes": ["documents:read"], "expiresAt": _EXPIRY},
    "ApiKeyRotation": {"overlapSeconds": 3600},
    "Upload": {"payload": "SGVsbG8=", "contentType": "text/plain", "name": "hello.txt"},
    "UploadForm": {"file": "Hello", "name": "hello.txt", "metadata": {"project": "alpha"}},
    "DocumentEdit": {"name": "welcome.txt", "metadata": {"project": "alpha"}},
    "NewCollection": {"title": "Offer", "note": "For Monday.", "documentIds": []},
    "CollectionEdit": {"title": "Our offer", "maxBytes": 1 << 30},
    "NewDocumentToken": {"label": "for the auditor", "permissions": ["view"], "maxViews": 10},
    "LinkEdit": {"label": "for the auditor"},
    "DocumentTokenEdit": {"expiresAt": _EXPIRY, "maxViews": None},
    "SentFile": {"file": "Hello", "from": "Mia"},
    "LinkNote": {"note": "The contract, as agreed on Monday."},
    "CodeRequest": {"email": "ana@example.org"},
    "ViewRequest": {"password": "what the link asks for"},
    "FilePassword": {"password": "what will open the file"},
    "PdfPassword": {"password": "that of the PDF"},
    "DownloadRequest": {"password": "what will open the file"},
    "NewWebhook": {"url": "https://example.org/hook", "events": ["document.created"]},
    "WebhookEdit": {"enabled": False},
}
PATH_PARAMETERS: dict[str, dict[str, str]] = {  # by the segment before the parameter
    "pages": {"example": "1", "description": "Of a page, from 1."},
    "agreements": {"example": "1f" * 32, "description": "Of the text, in hex."},
} | {
    noun: {
        "example": f"{prefix}_01k5x8m3v7q2r9t4w6y0z1a2b3",
        "description": f"It begins with `{prefix}_`.",
    }
    for noun, prefix in _IDS.items()
}


def description_of(
    app: Flask, api: ProblemApi, blueprints: Iterable[ApiBlueprint]
) -> Callable[[], dict[str, Any]]:
    """Return a function that returns the description, and makes it at its first call."""
    describe, making = cache(partial(_describe_api, app, api, blueprints)), Lock()

    def made_once() -> dict[str, Any]:
        with making:
            return describe()

    return made_once


def _describe_api(
    app: Flask, api: ProblemApi, blueprints: Iterable[ApiBlueprint]
) -> dict[str, Any]:
    """Return the description as an OpenAPI 3.1 object."""
    settings = current_runtime().settings
    for blueprint in blueprints:
        name = blueprint.name
        blueprint.register_views_in_doc(api, app, api.spec, name=name, parameters=None)
        api.spec.tag({"name": name, "description": blueprint.description})
    for name, scheme in SCHEMES.items():
        api.spec.components.security_scheme(name, scheme)
    api.spec.components.schema("Problem", schema=Problem)
    description: dict[str, Any] = api.spec.to_dict()
    description["info"]["description"] = ABOUT
    description["servers"] = [{"url": settings.base_url or "/"}]
    components = description["components"]
    components["responses"] = _error_responses()
    _complete(components["schemas"], settings.password_min_length)
    for rule in app.url_map.iter_rules():
        path = description["paths"].get(rule.rule.replace("<", "{").replace(">", "}"), {})
        _describe_ids(path, rule.rule.split("/"))
        view = app.view_functions[rule.endpoint]
        for method in {name.lower() for name in rule.methods or ()} & path.keys():
            _describe(path[method], view)
    return description


def _complete(schemas: dict[str, Any], password_min_length: int) -> None:
    """Add to the schemas what apispec can't say of a field, and remove the unused ones."""
    schemas["Upload"]["properties"]["payload"]["contentEncoding"] = "base64"
    schemas["DownloadRequest"]["minProperties"] = 1
    schemas["Registration"]["properties"]["password"]["minLength"] = password_min_length
    schemas["PasswordChange"]["properties"]["newPassword"]["minLength"] = password_min_length
    for unused in ("Error", "PaginationMetadata"):
        del schemas[unused]
    for name in ("CollectionEdit", "DocumentTokenEdit", "LinkEdit", "WebhookEdit"):
        for field in schemas[name]["properties"].values():
            field.pop("default", None)  # an absent field stays as it is


def _describe_ids(path: dict[str, Any], segments: list[str]) -> None:
    for parameter in path.get("parameters", ()):
        noun = segments[segments.index(f"<{parameter['name']}>") - 1]
        parameter.update(PATH_PARAMETERS[noun])


def _describe(operation: dict[str, Any], view: View) -> None:
    route = declaration_of(view)
    text = cleandoc(view.__doc__ or "").partition("\n")[2].strip()
    operation["description"] = "\n\n".join(filter(None, [text, _credentials(route)]))
    operation["security"] = [] if route.is_public else [{name: []} for name in route.accepts]
    operation["responses"] = _responses(operation["responses"], route.opens_links)
    if route.idempotent:
        operation.setdefault("parameters", []).append(IDEMPOTENCY_KEY)
    for media in operation.get("requestBody", {}).get("content", {}).values():
        if "$ref" not in media["schema"]:  # bytes
            continue
        media["example"] = BODIES[media["schema"]["$ref"].rpartition("/")[2]]


def _credentials(route: Declaration) -> str:
    """Return one sentence: which credentials the operation takes."""
    if route.is_public:
        return "No credential is needed."
    kinds = {
        SESSION: "a session token",
        API_KEY: f"an API key with the scope `{'` and `'.join(route.scopes)}`",
        DOCUMENT_TOKEN: "a document token"
        + (f" with the permission `{route.permission}`" if route.permission else ""),
        UPLOAD_TICKET: "the ticket of the upload",
    }
    *others, last = (kinds[name] for name in route.accepts if name in kinds)
    return f"Takes {', '.join(others)} or {last}." if others else f"Takes {last}."


def _responses(described: dict[str, Any], has_pages: bool) -> dict[str, Any]:
    """Return the handler's own responses of success, and the two classes of errors."""
    successes = {
        status: response | {"description": SUCCESS.get(status, response.get("description"))}
        for status, response in described.items()
        if "$ref" not in response  # flask-smorest's own for a rejected body
    }
    pages = "OrPage" if has_pages else ""
    return {
        **{status: successes[status] for status in sorted(successes)},
        "4XX": {"$ref": f"#/components/responses/ClientError{pages}"},
        "5XX": {"$ref": f"#/components/responses/ServerError{pages}"},
    }


def _error_responses() -> dict[str, Any]:
    """Return the responses of the two classes of errors, each also with a page.

    An operation that a link opens may return the page to a browser.
    """
    page = {"text/html": {"schema": {"type": "string"}}}
    responses: dict[str, Any] = {}
    for name, example in (("ClientError", "not_found"), ("ServerError", "busy")):
        status = STATUS[example]
        problem = {
            "type": "about:blank",
            "title": HTTP_STATUS_CODES[status],
            "status": status,
            "detail": meanings()[example],
            "code": example,
            "requestId": "9f86d081884c7d65",
        }
        content = {
            PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": problem}
        }
        text = _codes_of_class(status // 100)
        responses[name] = {"description": text, "content": content}
        responses[f"{name}OrPage"] = {"description": text, "content": content | page}
    return responses


def _codes_of_class(hundreds: int) -> str:
    codes = [code for code in STATUS if STATUS[code] // 100 == hundreds and code not in OF_PAGES]
    lines = [f"- {STATUS[code]} `{code}`: {meanings()[code]}" for code in codes]
    return "\n".join(["An error. Its `code` is one of these:", "", *lines])


def meanings() -> dict[str, str]:
    """Return the meaning of each code: the error's message, if it does not depend on the case."""
    errors = [ServiceError]
    for error in errors:
        errors += error.__subclasses__()
    return {error.code: error.sentence for error in reversed(errors)} | DETAILS

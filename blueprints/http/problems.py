"""Every refusal becomes one problem (RFC 9457), and one table gives its status."""

import logging
import re
from collections.abc import Iterator
from typing import Any

from flask import Response, current_app, g, request
from flask_smorest import Api
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.http import HTTP_STATUS_CODES

from models.error_mapping import service_error_of
from models.errors import DocumentDamaged, PayloadTooLarge, ServiceError, TooManyRequests

from .rate_limiting import rate_limit

PROBLEM = "application/problem+json"
STATUS = {
    "malformed_json": 400,
    "ambiguous_credentials": 400,
    "not_authenticated": 401,
    "wrong_credentials": 401,
    "session_expired": 401,
    "key_revoked": 401,
    "session_required": 403,
    "scope_missing": 403,
    "registration_closed": 403,
    "quota_exceeded": 403,
    "not_found": 404,
    "email_taken": 409,
    "idempotency_in_progress": 409,
    "webhook_disabled": 409,
    "token_spent": 410,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "range_not_satisfiable": 416,
    "invalid_request": 422,
    "idempotency_mismatch": 422,
    "too_many_requests": 429,
    "internal_error": 500,
    "not_implemented": 501,
    "document_damaged": 500,
    "key_unavailable": 503,
    "busy": 503,
    "storage_full": 507,
}
CHALLENGE = 'Bearer realm="Document Service"'
_KEPT_OUT = {"content-type", "content-length"}  # of what werkzeug knows: the problem has its own


class MalformedJson(ServiceError):
    code = "malformed_json"


class UnsupportedMediaType(ServiceError):
    code = "unsupported_media_type"
    sentence = "Send JSON, and say so: Content-Type: application/json."


class ProblemApi(Api):
    """flask-smorest with problems for errors, and without an error response nobody described."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def handle_http_exception(self, error: HTTPException) -> Any:
        """What Flask, webargs and werkzeug refuse: a path, a method, a body or a query."""
        if error.code is None or error.code < 400:
            return error.get_response()
        if isinstance(error, RequestEntityTooLarge):
            limit = request.max_content_length or 0
            return handle_service_error(PayloadTooLarge(limit))
        if error.code >= 500:
            return handle_exception(error)
        errors = list(_errors(getattr(error, "data", {}).get("messages", {})))
        answer = problem(error.code, _code(error.code), _detail(error, errors), errors)
        kept = [pair for pair in error.get_headers() if pair[0].lower() not in _KEPT_OUT]
        answer.headers.extend(kept)
        return answer


def handle_service_error(refusal: ServiceError) -> Response:
    status = STATUS[refusal.code]
    errors = list(_pointed(refusal))
    detail = _told(errors) if errors else refusal.sentence
    answer = problem(status, refusal.code, detail, errors)
    answer.headers.extend(getattr(refusal, "headers", {}))
    if refusal.retry_after_seconds:
        answer.headers["Retry-After"] = str(refusal.retry_after_seconds)
    if isinstance(refusal, TooManyRequests):
        answer.headers.extend(rate_limit(refusal.allowance))
    if status == 401:
        answer.headers["WWW-Authenticate"] = CHALLENGE
    return answer


def handle_exception(error: Exception) -> Response:
    """Anything else: a refusal in another library's words, or a fault of ours, told to the log."""
    refusal = service_error_of(error)
    if refusal and not isinstance(refusal, DocumentDamaged):
        return handle_service_error(refusal)
    logging.getLogger("docservice").error("request %s failed", g.request_id, exc_info=error)
    if refusal:
        return handle_service_error(refusal)
    sentence = f"Something went wrong here. The log knows it as request {g.request_id}."
    return problem(500, "internal_error", sentence)


def problem(status: int, code: str, detail: str, errors: Any = ()) -> Response:
    body = {
        "type": "about:blank",
        "title": HTTP_STATUS_CODES.get(status, "Error"),
        "status": status,
        "detail": detail,
        "code": code,
        "requestId": g.request_id,
    }
    if errors:
        body["errors"] = errors
    text = current_app.json.dumps(body, separators=(",", ":"))
    return Response(text, status, content_type=PROBLEM)


def _pointed(refusal: ServiceError) -> Iterator[dict[str, str]]:
    """Where in the body, or in the query, the refusal points to."""
    if pointer := getattr(refusal, "pointer", None):
        place = getattr(refusal, "place", None)
        yield {"pointer": pointer, "detail": refusal.sentence} | ({"in": place} if place else {})


def _code(status: int) -> str:
    name = HTTP_STATUS_CODES.get(status, "error")
    return "invalid_request" if status == 422 else re.sub(r"\W+", "_", name.lower())


def _detail(error: HTTPException, errors: list[dict[str, str]]) -> str:
    if errors:
        return _told(errors)
    known = {
        404: "There is nothing at this address. /docs lists what there is.",
        405: "This address does not take this method. The header Allow lists those it takes.",
    }
    return known.get(error.code or 0, str(error.description))


def _told(errors: list[dict[str, str]]) -> str:
    """The first of them, in one sentence."""
    return f"{errors[0]['pointer']}: {errors[0]['detail']}"


def _errors(messages: dict[str, Any]) -> Iterator[dict[str, str]]:
    """marshmallow's messages, nested by place and field, as JSON pointers (RFC 6901)."""
    for place, nested in messages.items():
        where = {} if place == "json" else {"in": place}
        for pointer, sentence in _flat(nested, "#"):
            yield {"pointer": pointer, "detail": sentence} | where


def _flat(nested: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(nested, dict):
        for name, deeper in nested.items():
            step = "/" + str(name).replace("~", "~0").replace("/", "~1")
            yield from _flat(deeper, pointer + ("" if name == "_schema" else step))
    elif isinstance(nested, list):
        for one in nested:
            yield from _flat(one, pointer)
    else:  # a name may hold half a surrogate pair, which no answer could carry
        yield pointer.encode(errors="replace").decode(), str(nested)

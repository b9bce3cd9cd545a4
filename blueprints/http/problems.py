"""Errors as problem details (RFC 9457); one table gives every domain error its status."""

import logging
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from flask import Response, after_this_request, jsonify, request
from flask_smorest import Api
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.http import HTTP_STATUS_CODES

from models.core import (
    Allowance,
    Busy,
    DocumentDamaged,
    NotFound,
    PayloadTooLarge,
    ServiceError,
    StorageFull,
    TooManyRequests,
)
from models.runtime import service_error_of
from models.storage import RightLost, current_right

from .authentication import resolve_caller
from .caller import g

PROBLEM = "application/problem+json"
CODES = {
    400: ("malformed_json", "malformed_multipart", "ambiguous_credentials"),
    401: ("not_authenticated", "wrong_credentials", "session_expired", "key_revoked"),
    403: (
        "session_required",
        "scope_missing",
        "registration_closed",
        "passwords_off",
        "person_required",
        "quota_exceeded",
        "origin_not_allowed",
    ),
    404: ("not_found",),
    409: (
        "email_taken",
        "last_way_in",
        "owner_changed",
        "space_not_empty",
        "last_manager",
        "member_exists",
        "idempotency_in_progress",
        "token_revoked",
        "webhook_disabled",
        "offset_mismatch",
    ),
    410: ("token_spent",),
    412: ("precondition_failed", "wrong_tus_version"),
    413: ("payload_too_large",),
    415: ("unsupported_media_type",),
    416: ("range_not_satisfiable",),
    422: ("invalid_request", "idempotency_mismatch"),
    429: ("too_many_requests",),
    460: ("checksum_mismatch",),
    500: ("internal_error", "document_damaged"),
    501: ("not_implemented",),
    503: ("key_unavailable", "busy"),
    507: ("storage_full",),
}
STATUS = {code: status for status, codes in CODES.items() for code in codes}
CHALLENGE = 'Bearer realm="Document Service"'
_SEND_AGAIN = "Your right to do this changed meanwhile, and nothing was done. Send it again."
_REPLACED = {"content-type", "content-length"}  # headers of werkzeug's errors that a problem sets


class MalformedJson(ServiceError):
    code = "malformed_json"


class UnsupportedMediaType(ServiceError):
    code = "unsupported_media_type"
    sentence = "Send JSON, and say so: Content-Type: application/json."


class ProblemApi(Api):
    """flask-smorest with problems for errors, and without an undocumented default response."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def handle_http_exception(self, error: HTTPException) -> Any:
        """Return the problem for a path, a method, a body or a query that a library rejects.

        The library is Flask, webargs or werkzeug.
        """
        if error.code is None or error.code < 400:
            return error.get_response()
        if isinstance(error, RequestEntityTooLarge):
            return handle_service_error(PayloadTooLarge(request.max_content_length or 0))
        if error.code >= 500:
            return handle_exception(error)
        errors = list(_validation_errors(getattr(error, "data", {}).get("messages", {})))
        detail = _first(errors) if errors else _http_detail(error)
        response = problem(error.code, _http_code(error.code), detail, errors)
        kept = [pair for pair in error.get_headers() if pair[0].lower() not in _REPLACED]
        response.headers.extend(kept)
        return response


def handle_service_error(error: ServiceError) -> Response:
    """Return the problem, and keep the error for a browser's page (`views/small_pages.py`)."""
    g.error = error
    status, errors = STATUS[error.code], _pointer_error(error)
    response = problem(status, error.code, _first(errors) if errors else error.sentence, errors)
    response.headers.extend(getattr(error, "headers", {}))
    if error.retry_after_seconds:
        response.headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, TooManyRequests):
        response.headers.extend(rate_limit_fields(error.allowance))
    if status == 401:
        response.headers["WWW-Authenticate"] = CHALLENGE
    return response


def handle_exception(error: Exception) -> Response:
    """Return the problem for any other exception.

    It is another library's form of a domain error, or a bug, which is logged.
    """
    known = service_error_of(error) or _refusal_now()
    if known is None or isinstance(known, DocumentDamaged):
        logging.getLogger("docservice").error("request %s failed", g.request_id, exc_info=error)
    if known:
        return handle_service_error(known)
    sentence = f"Something went wrong here. The log knows it as request {g.request_id}."
    return problem(500, "internal_error", sentence)


def handle_lost_right(error: RightLost) -> Response:
    """Return the problem with which the next request by the same credential is answered.

    If that would be served, as somebody else or because the right is there again, it is `Busy`:
    this one has changed nothing.
    """
    current_right.set(None)
    return handle_service_error(_refusal_now(error.needed) or Busy(_SEND_AGAIN))


def log_failed_response(path: str, error: Exception) -> None:
    """Log an exception while a response was sent, in one line if it is no fault of the service.

    A document may be deleted while somebody reads it; a store may fail meanwhile.
    """
    log = logging.getLogger("docservice")
    known = service_error_of(error)
    if isinstance(known, NotFound):
        log.warning("%s broke off: its document was deleted meanwhile", path)
    elif isinstance(known, (Busy, StorageFull)):
        log.warning("%s broke off: %s", path, known.sentence)
    else:
        log.error("an exception while serving %s", path, exc_info=error)


def _refusal_now(needed: Iterable[str] = ()) -> ServiceError | None:
    """Return the error with which the caller would be refused now, or None.

    An account may be deleted while it stores something. `needed` are permissions that the handler
    requires beside those that the route declares.
    """
    try:
        caller = resolve_caller(request)
        for permission in needed:
            if caller:
                caller.require(permission)
    except Exception as error:  # noqa: BLE001
        return service_error_of(error)
    return None


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
    response = jsonify(body)
    response.status_code = status
    response.content_type = PROBLEM
    return response


def report_allowance(allowance: Allowance | None) -> None:
    """Add what is left of a limit to the response of this request, also if it is an error."""
    if allowance:
        fields = rate_limit_fields(allowance)

        @after_this_request
        def report(response: Response) -> Response:
            response.headers.extend(fields)
            return response


def rate_limit_fields(allowance: Allowance) -> dict[str, str]:
    """Return the header fields that say how much of a limit is left.

    draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy: "upload";q=60000;w=3600` and
    `RateLimit: "upload";r=59999`, with `;t=23` where the client has to wait.
    """
    limit = allowance.limit
    wait = f";t={math.ceil(allowance.wait_seconds)}" if allowance.wait_seconds else ""
    return {
        "RateLimit-Policy": f'"{limit.name}";q={limit.count};w={limit.seconds}',
        "RateLimit": f'"{limit.name}";r={allowance.left}{wait}',
    }


def _pointer_error(error: ServiceError) -> list[dict[str, str]]:
    """Return the place in the body or the query that the error names, if it names one."""
    pointer, place = getattr(error, "pointer", None), getattr(error, "place", None)
    where = {"in": place} if place else {}
    return [{"pointer": pointer, "detail": error.sentence} | where] if pointer else []


def _http_code(status: int) -> str:
    name = HTTP_STATUS_CODES.get(status, "error")
    return "invalid_request" if status == 422 else re.sub(r"\W+", "_", name.lower())


def _http_detail(error: HTTPException) -> str:
    details = {
        404: "There is nothing at this address. /docs lists what there is.",
        405: "This address does not take this method. The header Allow lists those it takes.",
    }
    return details.get(error.code or 0, str(error.description))


def _first(errors: list[dict[str, str]]) -> str:
    return f"{errors[0]['pointer']}: {errors[0]['detail']}"


def _validation_errors(messages: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Yield marshmallow's messages, nested by place and field, as the problem lists them."""
    for place, nested in messages.items():
        where = {} if place == "json" else {"in": place}
        for pointer, sentence in messages_by_pointer(nested):
            yield {"pointer": pointer, "detail": sentence} | where


def messages_by_pointer(nested: Any, pointer: str = "#") -> Iterator[tuple[str, str]]:
    """Yield marshmallow's messages, each with its JSON pointer (RFC 6901)."""
    if isinstance(nested, dict):
        for name, deeper in nested.items():
            step = "/" + str(name).replace("~", "~0").replace("/", "~1")
            deeper_pointer = pointer + ("" if name == "_schema" else step)
            yield from messages_by_pointer(deeper, deeper_pointer)
    elif isinstance(nested, list):
        for one in nested:
            yield from messages_by_pointer(one, pointer)
    else:  # a name may hold half of a surrogate pair, which UTF-8 can't encode
        yield pointer.encode(errors="replace").decode(), str(nested)

"""`Idempotency-Key`: the same request, sent again, is done once and answered alike."""

import hashlib
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, g, request
from flask_smorest import Blueprint
from werkzeug.datastructures import Headers

from models import StoredResponse, in_one_transaction
from models.errors import IdempotencyInProgress, IdempotencyMismatch, Invalid

from .upload_body import blocks_of, seekable_body

View = Callable[..., Any]
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_DESCRIBED = (
    "Takes the header `Idempotency-Key` (1 to 255 visible ASCII characters): the same key and body "
    "within 24 hours get the first answer again, with `Idempotency-Replayed: true`. No parameter "
    "declares it, since no schema can say that a key belongs to one body."
)


def idempotent(view: View) -> View:
    """Stands above `arguments`: what is kept is the finished answer."""

    @wraps(view)
    def once(*args: Any, **path: Any) -> Any:
        key = request.headers.get("Idempotency-Key")
        if key is None:
            return view(*args, **path)
        if not _KEY.fullmatch(key):
            raise Invalid("#", "Idempotency-Key takes 1 to 255 visible ASCII characters.")
        who = g.caller.owner_id or "anyone"
        id = StoredResponse.id_of(who, request.method, request.path, key)
        return _once(id, lambda: view(*args, **path))

    own: Any = once
    own.may_fail_with = (
        *getattr(view, "may_fail_with", ()),
        IdempotencyInProgress,
        IdempotencyMismatch,
    )
    documented: View = Blueprint.doc(description=_DESCRIBED)(own)
    return documented


def _once(id: str, answer: Callable[[], Response]) -> Response:
    fingerprint = _fingerprint()
    with StoredResponse.alone(id):
        given = StoredResponse.given(id, fingerprint)
        if given:
            return _replayed(given)
        with in_one_transaction():
            response = answer()
            location = response.headers.get("Location")
            kept = {"status": response.status_code, "text": response.get_data(as_text=True)}
            StoredResponse.keep(id, fingerprint, kept | {"location": location})
        return response


def _fingerprint() -> str:
    digest = hashlib.sha256()
    body = seekable_body(request)
    for block in blocks_of(body):
        digest.update(block)
    body.seek(0)
    return digest.hexdigest()


def _replayed(given: dict[str, Any]) -> Response:
    headers = Headers({"Idempotency-Replayed": "true"})
    if given["location"]:
        headers["Location"] = given["location"]
    return Response(given["text"], given["status"], headers, content_type="application/json")

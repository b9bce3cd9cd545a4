"""`Idempotency-Key`: a request sent again is executed once and gets the same response."""

import hashlib
import json
import re
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from flask import Response, request
from werkzeug.datastructures import Headers

from models import (
    Collection,
    Document,
    StoredResponse,
    Webhook,
    current_runtime,
    in_one_transaction,
)
from models.core import IdempotencyInProgress, Invalid, current_payer
from models.runtime import network_of
from models.storage import current_right, wait_for_earlier_syncs

from .body import seekable_body
from .caller import current_request, g
from .declarations import View
from .multipart import fingerprint_of_parts, upload_form

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_OF_OWNER: dict[str, Any] = {"documents": Document, "collections": Collection, "webhooks": Webhook}
_PATH = re.compile(rf"/v1/({'|'.join(_OF_OWNER)})/(\w+)")


def replay_responses(view: View) -> View:
    """Wrap the view so that a known `Idempotency-Key` gets the stored response."""

    @wraps(view)
    def replaying(*args: Any, **path: Any) -> Any:
        id = _id_by_key()
        if id is None:
            return view(*args, **path)
        execution = _Execution(partial(view, *args, **path))
        stored = execute_once(id, _fingerprint(), execution)
        is_own = stored is execution.facts
        return execution.response if is_own else _replayed(stored)

    return replaying


def _id_by_key() -> str | None:
    """Return the id of the stored result for the `Idempotency-Key`; None without one."""
    request = current_request()
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise Invalid("#", "Idempotency-Key takes 1 to 255 visible ASCII characters.")
    user = g.caller.owner_id or g.caller.id or network_of(request.remote_addr or "")
    return StoredResponse.id_of(user, request.method, request.path, key)


def once_by_key(fingerprint: str, execute: Callable[[], Any]) -> tuple[Any, bool]:
    """Return the result of `execute` as JSON, and whether an earlier request has had it.

    That is one with the same `Idempotency-Key`. Raises as `execute_once`.
    """
    id = _id_by_key()
    if id is None:
        return execute(), False
    own: list[Any] = []

    def execute_here() -> Any:
        own.append(execute())
        return own[0]

    result = execute_once(id, fingerprint, execute_here)
    return result, not own


class _Execution:
    """The call of a view: its response, and the facts of the response that are stored."""

    response: Response
    facts: dict[str, Any] | None = None

    def __init__(self, view: Callable[[], Response]) -> None:
        self._view = view

    def __call__(self) -> dict[str, Any]:
        self.response = self._view()
        self.facts = {
            "status": self.response.status_code,
            "text": self.response.get_data(as_text=True),
            "location": self.response.headers.get("Location"),
        }
        return self.facts


def execute_once(
    id: str, fingerprint: str, execute: Callable[[], Any], wait_seconds: float = 0
) -> Any:
    """Return the result of `execute` as JSON; for an id executed before, the stored result.

    Raise `IdempotencyMismatch` for another fingerprint, `IdempotencyInProgress` if the first
    execution still runs after `wait_seconds`, and `TooManyRequests` if much of this caller's is
    stored. Whoever has lost the right meanwhile gets no stored result: raise `RightLost`.
    """
    with StoredResponse.exclusive(id, wait_seconds):
        if (stored := _stored(id, fingerprint)) is not None:
            return stored
        count_for_payer()
        try:
            with in_one_transaction(partial(StoredResponse.lock, id, wait_seconds)):
                result = execute()
                StoredResponse.keep(id, fingerprint, result)
        except IdempotencyInProgress:  # another process executed it; the transaction here is undone
            if (result := _stored(id, fingerprint)) is None:
                raise
        return result


def count_for_payer() -> None:
    """Count a response that is to be stored; raise `TooManyRequests`."""
    runtime = current_runtime()
    payer = current_payer.get()
    if payer.link_id:
        runtime.stored_responses_of_link.spend(payer.link_id)
    runtime.stored_responses.spend(payer)


def _stored(id: str, fingerprint: str) -> Any:
    """Return the stored result, or None.

    A response with it waits for the sync as the first one does, which may not be sent yet.
    """
    stored = StoredResponse.replayed(id, fingerprint)
    right = current_right.get()
    if stored is not None:
        wait_for_earlier_syncs()
        if right:
            right.judge()
    return stored


def _fingerprint() -> str:
    """Return the SHA-256 of the body, in hex.

    For a form, hash the parts, as each request has another boundary.
    """
    body: Any = seekable_body(request)
    if upload_form(current_request()):
        return fingerprint_of_parts(body, request.content_type or "")
    body.seek(0)
    digest = hashlib.file_digest(body, "sha256").hexdigest()
    body.seek(0)
    return digest


def _replayed(stored: dict[str, Any]) -> Response:
    """Return the stored response.

    Raise `NotFound` if a document, collection or webhook that the response names has been deleted.
    """
    named = _PATH.findall(f"{request.path} {stored['location']}")
    if request.path.endswith("/collections"):
        documents = json.loads(stored["text"])["documents"]
        named += [("documents", document["id"]) for document in documents]
    for noun, id in named:
        _OF_OWNER[noun].one_of(g.caller.owner_id, id)
    headers = Headers({"Idempotency-Replayed": "true"})
    if stored["location"]:
        headers["Location"] = stored["location"]
    return Response(stored["text"], stored["status"], headers, content_type="application/json")

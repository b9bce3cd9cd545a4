"""The service itself: health, its description, the front page. No owner, no documents."""

import base64
import hashlib
from functools import cache
from typing import Any

from flask import Response, current_app, jsonify, render_template

from models import setup
from models.errors import KeyUnavailable

from .http.authentication import ANYONE, accepts
from .http.blueprint import ApiBlueprint
from .schemas.openapi import may_fail_with
from .schemas.responses import Health

VERSION = "0.1.0"

operations = ApiBlueprint("service", __name__, description="The service itself")


@operations.get("/healthz")
@accepts(*ANYONE)
@operations.response(200, Health)
def health() -> Any:
    """Say that the process lives"""
    return {"status": "ok", "version": VERSION}


@operations.get("/readyz")
@accepts(*ANYONE)
@may_fail_with(KeyUnavailable)
@operations.response(200, Health)
def ready() -> Any:
    """Say whether database and keys answer"""
    if not setup.is_ready():
        raise KeyUnavailable("The database or the keyring does not answer; the log says more.")
    return {"status": "ok", "version": VERSION}


@operations.get("/openapi.json")
@accepts(*ANYONE)
@operations.response(200, {"type": "object"})
def describe() -> Response:
    """Return this API's description (OpenAPI 3.1)"""
    return jsonify(current_app.extensions["description"]())


@operations.get("/docs")
@accepts(*ANYONE)
@operations.response(200, {"type": "string"}, content_type="text/html")
def docs() -> Response:
    """Show this API's description to a person"""
    return _page("docs.html", api=current_app.extensions["description"]())


@operations.get("/")
@accepts(*ANYONE)
@operations.response(200, {"type": "string"}, content_type="text/html")
def front() -> Response:
    """Lead a person from nothing to a first upload"""
    return _page("front.html", version=VERSION)


def _page(template: str, **facts: Any) -> Response:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    answer = Response(render_template(template, style=style, **facts))
    answer.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return answer


@cache
def _style() -> str:
    return render_template("page.css")

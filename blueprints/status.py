"""The service itself: health, API description, front page."""

import base64
import hashlib
import json
from functools import partial
from typing import Any

from flask import Response, current_app, g, jsonify, render_template

from models import User, current_runtime
from models.core import KeyUnavailable
from models.operations import setup

from .http import ANYONE, COOKIE, ApiBlueprint, may_fail_with
from .http.problems import STATUS
from .schemas.openapi import meanings
from .schemas.responses import Health
from .views.links import base_url

VERSION = "0.2.0"
_indented = partial(json.dumps, indent=2, ensure_ascii=False)

status = ApiBlueprint("status", __name__, description="The service itself")


@status.get("/healthz", accepts=ANYONE)
@status.response(200, Health)
def health() -> Any:
    """Say that the process lives"""
    return {"status": "ok", "version": VERSION}


@status.get("/readyz", accepts=ANYONE)
@may_fail_with(KeyUnavailable)
@status.response(200, Health)
def ready() -> Any:
    """Say whether database and keys answer"""
    if not setup.is_ready():
        raise KeyUnavailable("The database or the keyring does not answer; the log says more.")
    return {"status": "ok", "version": VERSION}


@status.get("/openapi.json", accepts=ANYONE)
@status.response(200, {"type": "object"})
def describe() -> Response:
    """Return this API's description (OpenAPI 3.1)"""
    return jsonify(current_app.extensions["description"]())


@status.get("/docs", accepts=ANYONE)
@status.response(200, {"type": "string"}, content_type="text/html")
def docs() -> Response:
    """Show this API's description to a person"""
    api = current_app.extensions["description"]()
    return _page("docs.html", api=api, statuses=STATUS, meanings=meanings(), dumps=_indented)


@status.get("/", accepts=(*ANYONE, COOKIE))
@status.alt_response(303, description="The browser is logged in: its documents.")
@status.response(200, {"type": "string"}, content_type="text/html")
def front_page() -> Response:
    """Lead a person from nothing to a first upload"""
    has_console = current_runtime().settings.console == "on"
    if has_console and g.caller.credential_type == COOKIE:
        return Response("", 303, {"Location": "/app/documents"})
    return _front_page(has_console)


def _front_page(has_console: bool) -> Response:
    shown = {"console": has_console, "may_register": has_console and User.may_register()}
    return _page("front.html", version=VERSION, base_url=base_url(), **shown)


def _page(template: str, **facts: Any) -> Response:
    style = render_template("base.css") + render_template("page.css")
    script = render_template("page.js")
    response = Response(render_template(template, style=style, script=script, **facts))
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return response


def _source(text: str) -> str:
    """What allows this text in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

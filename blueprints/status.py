"""The service itself: health, API description, front page."""

import json
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from flask import Response, current_app, jsonify, render_template
from markupsafe import escape

from models import User, current_runtime, setup
from models.core import KeyUnavailable

from .http import ANYONE, COOKIE, ApiBlueprint, g
from .http.problems import STATUS
from .login import caller_of_page
from .schemas.openapi import meanings
from .schemas.responses import Health
from .views.links import base_url
from .views.small_pages import Brand, brand, send_logo, source

VERSION = "1.0.1"
BASE_URL = "\0address\0"  # the placeholder for the address in a page that is drawn once
_indented = partial(json.dumps, indent=2, ensure_ascii=False)

status = ApiBlueprint("status", __name__, description="The service itself")


@status.get("/healthz", accepts=ANYONE)
@status.response(200, Health)
def health() -> Any:
    """Say that the process lives"""
    return {"status": "ok", "version": VERSION}


@status.get("/readyz", accepts=ANYONE)
@status.response(200, Health)
def ready() -> Any:
    """Say whether database and keys answer"""
    if why := setup.why_not_ready():
        raise KeyUnavailable(f"{why} The log says more.")
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
    page, policy = _drawn_docs(current_app.extensions["description"], brand())
    return _response(page.replace(BASE_URL, escape(base_url())), policy)


@status.get("/favicon.ico", accepts=ANYONE, also=["/apple-touch-icon.png"])
@status.returns_file("image/png")
def icon() -> Response:
    """Return the icon that browsers ask for"""
    icon = Path(current_app.root_path) / "templates" / "icons" / "icon-192.png"
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(icon.read_bytes(), headers=headers, content_type="image/png")


@status.get("/logo", accepts=ANYONE)
@status.returns_file("image/png", "image/jpeg", "image/webp")
def logo() -> Response:
    """Return the logo of the setting BRAND_LOGO"""
    return send_logo()


@status.get("/", accepts=(*ANYONE, COOKIE), resolve_caller=caller_of_page)
@status.alt_response(303, description="The browser is logged in: its documents.")
@status.response(200, {"type": "string"}, content_type="text/html")
def front_page() -> Response:
    """Lead a person from nothing to a first upload"""
    has_console = current_runtime().settings.console == "on"
    if has_console and g.caller.credential_type == COOKIE:
        return Response("", 303, {"Location": "/app/documents"})
    return _page("front.html", console=has_console, may_register=User.may_register())


@lru_cache(1)
def _drawn_docs(describe: Callable[[], dict[str, Any]], shown: Brand | None) -> tuple[str, str]:
    """Return the page and its Content-Security-Policy, with a placeholder for the address.

    The page is drawn once, as drawing takes longer than all other public pages together; the
    address may differ between requests.
    """
    facts = {"statuses": STATUS, "meanings": meanings(), "dumps": _indented}
    return _drawn("docs.html", shown, base_url=BASE_URL, api=describe(), **facts)


def _page(template: str, **facts: Any) -> Response:
    return _response(*_drawn(template, brand(), base_url=base_url(), **facts))


def _drawn(template: str, shown: Brand | None, **facts: Any) -> tuple[str, str]:
    """Return a page and its Content-Security-Policy."""
    style = render_template("base.css") + render_template("page.css") + (shown.css if shown else "")
    script = render_template("page.js")
    facts |= {"style": style, "script": script, "brand": shown, "version": VERSION}
    policy = (
        f"default-src 'none'; style-src {source(style)}; script-src {source(script)}; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return render_template(template, **facts), policy


def _response(page: str, policy: str) -> Response:
    return Response(page, headers={"Content-Security-Policy": policy})

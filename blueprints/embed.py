"""Embedding: the script for other people's pages, and oEmbed (https://oembed.com)."""

import re
from pathlib import Path
from typing import Any

from flask import Response, current_app

from models import Document, DocumentToken
from models.errors import NotFound, ServiceError

from .http.authentication import ANYONE, accepts
from .http.blueprint import ApiBlueprint
from .schemas.openapi import may_fail_with
from .schemas.requests import OEmbedQuery
from .schemas.responses import OEmbed
from .views.links import base_url, frame

embed = ApiBlueprint("embed", __name__, description="Embedding")
_VIEW = re.compile(r"/v1/documents/(doc_[0-9a-z]+)/view\?token=(dt_[0-9A-Za-z]+)")
STATIC = {"Cache-Control": "public, max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"}
WIDTH, HEIGHT = 800, 600


class FormatNotOffered(ServiceError):
    code = "not_implemented"
    sentence = "oEmbed is answered as JSON only: format=json."


@embed.get("/embed.js")
@accepts(*ANYONE)
@embed.response(200, {"type": "string"}, content_type="text/javascript")
def script() -> Response:
    """Return the script that puts a viewer into a page"""
    text = (Path(current_app.root_path) / "templates" / "embed.js").read_text()
    return Response(text, headers=STATIC, content_type="text/javascript; charset=utf-8")


@embed.get("/oembed")
@accepts(*ANYONE)
@may_fail_with(NotFound, FormatNotOffered)
@embed.arguments(OEmbedQuery(), location="query")
@embed.response(200, OEmbed)
def oembed(query: dict[str, Any]) -> dict[str, Any]:
    """Tell how to embed the document that a view link shows (oEmbed 1.0)"""
    if query["format"] == "xml":
        raise FormatNotOffered
    return _rich(query["url"], query["maxwidth"], query["maxheight"])


def _rich(url: str, most_width: int, most_height: int) -> dict[str, Any]:
    found = _VIEW.fullmatch(url.removeprefix(base_url()))
    if not found:
        raise NotFound
    grant = DocumentToken.of_secret(found[2])
    if grant.document_id != found[1]:
        raise NotFound
    width, height = min(WIDTH, most_width), min(HEIGHT, most_height)
    named = not grant.has_password and not grant.has_view_limit
    return {
        "title": Document.of_token(grant.document_id).name if named else "Document",
        "width": width,
        "height": height,
        "html": frame(url, width, height),
    }

"""Embedding in other sites' pages: a script, and oEmbed (https://oembed.com)."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from flask import Response, current_app

from models.core import NotFound, ServiceError
from models.links import UPLOAD, TokenGrant

from .http import ANYONE, ApiBlueprint
from .schemas.requests import OEmbedQuery
from .schemas.responses import OEmbed
from .views.links import base_url, frame
from .views.prompt import needs_prompt

embed = ApiBlueprint("embed", __name__, description="Embedding")
_STATIC = {"Cache-Control": "public, max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"}
WIDTH, HEIGHT = 800, 600


class FormatNotOffered(ServiceError):
    code = "not_implemented"
    sentence = "oEmbed is answered as JSON only: format=json."


@embed.get("/embed.js", accepts=ANYONE)
@embed.response(200, {"type": "string"}, content_type="text/javascript")
def script() -> Response:
    """Return the script that puts a viewer into a page

    A `script` element has this address as `src`, and a link's `viewUrl` or `shortUrl` as
    `data-url`. A frame takes the place of the element, and grows with the document. The link's
    `allowedOrigins` have to name the origin of the page.
    """
    text = (Path(current_app.root_path) / "templates" / "embed.js").read_text()
    return Response(text, headers=_STATIC, content_type="text/javascript; charset=utf-8")


@embed.get("/oembed", accepts=ANYONE)
@embed.arguments(OEmbedQuery(), location="query")
@embed.response(200, OEmbed)
def oembed(query: dict[str, Any]) -> dict[str, Any]:
    """Tell how to embed what a view link shows (oEmbed 1.0)"""
    if query["format"] == "xml":
        raise FormatNotOffered
    return _embedding(query["url"], query["maxwidth"], query["maxheight"])


def _embedding(url: str, max_width: int, max_height: int) -> dict[str, Any]:
    path, _, query = url.removeprefix(base_url()).partition("?")
    tokens = parse_qs(query).get("token", [])
    if len(tokens) != 1 or not path.startswith("/"):
        raise NotFound
    grant = TokenGrant.of_secret(tokens[0])
    shown_at = "/s", f"/v1/documents/{grant.target_id}/view"
    if path not in shown_at or UPLOAD in grant.permissions:
        raise NotFound
    width, height = min(WIDTH, max_width), min(HEIGHT, max_height)
    target = None if needs_prompt(grant) else grant.collection or grant.document(grant.target_id)
    return {
        "title": target.name if target else "Document",
        "width": width,
        "height": height,
        "html": frame(url, width, height),
    }

"""The assets of the pages: the stylesheet, the script, icons and the manifest.

By the manifest a phone puts the pages on its home screen (W3C Web Application Manifest).
"""

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from flask import Response, current_app, jsonify, render_template, request

from models.core import NotFound

from ..views.small_pages import brand
from .routes import HOME, PUBLIC, SHARED, Pages, accepts_gzip

assets = Pages("assets")
_FOR_A_DAY = {"Cache-Control": "public, max-age=86400"}
_ASSETS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_SOURCES = {  # templates that are joined, in this order: a later rule of a style wins
    "css": (
        "base.css",
        "console/styles/scales.css",
        "console/styles/frame.css",
        "console/styles/text.css",
        "console/styles/cards.css",
        "console/styles/messages.css",
        "console/styles/forms.css",
        "console/styles/buttons.css",
        "console/styles/lists.css",
        "console/styles/selection.css",
        "console/styles/rows.css",
        "console/styles/names.css",
        "console/styles/states.css",
        "console/styles/people.css",
        "console/styles/requests.css",
        "console/styles/tiles.css",
        "console/styles/uploads.css",
        "console/styles/document.css",
        "console/styles/menus.css",
        "console/styles/deliveries.css",
        "console/styles/asking.css",
        "console/styles/secrets.css",
        "console/styles/pills.css",
        "console/styles/composer.css",
        "console/styles/readers.css",
        "console/styles/switches.css",
        "console/styles/receipts.css",
        "console/styles/jump.css",
        "console/styles/spaces.css",
    ),
    "js": (
        "console/scripts/page.js",
        "counts.js",
        "kinds.js",
        "folders.js",
        "large_files.js",
        "moments.js",
        "console/scripts/times.js",
        "console/scripts/forms.js",
        "console/scripts/copy.js",
        "console/scripts/menus.js",
        "console/scripts/passphrase.js",
        "console/scripts/terms.js",
        "console/scripts/list.js",
        "console/scripts/newer.js",
        "console/scripts/jump.js",
        "console/scripts/upload.js",
        "console/scripts/share.js",
        "console/scripts/drafts.js",
    ),
}
_ICONS = {  # file -> its facts in the manifest
    "icon.svg": {"type": "image/svg+xml", "sizes": "any"},
    "icon-192.png": {"type": "image/png", "sizes": "192x192"},
    "icon-512.png": {"type": "image/png", "sizes": "512x512", "purpose": "any maskable"},
}
_MANIFEST = {
    "id": "/app",
    "name": "Document Service",
    "short_name": "Documents",
    "description": "Send a document by a link, see when it was opened, take it back.",
    "start_url": HOME,
    "scope": "/app/",
    "display": "standalone",
    "background_color": "#f3f4f6",
    "theme_color": "#ffffff",  # in dark mode a `meta` of the pages names another colour
    "icons": [{"src": f"/app/{name}", **facts} for name, facts in _ICONS.items()],
    "share_target": {
        "action": SHARED,
        "method": "POST",
        "enctype": "multipart/form-data",
        "params": {
            "title": "title",
            "text": "text",
            "url": "url",
            "files": [
                {
                    "name": "file",
                    "accept": [
                        "image/*",
                        "application/*",
                        "text/*",
                        "audio/*",
                        "video/*",
                        "message/*",
                    ],
                }
            ],
        },
    },
}


@dataclass(frozen=True)
class Asset:
    """The stylesheet or the script of the pages, whose address changes with its content."""

    address: str
    content_type: str
    content: bytes
    compressed: bytes


@cache
def asset(kind: str) -> Asset:
    """Return the stylesheet (`css`) or the script (`js`) of the pages; made once."""
    texts = [render_template(source) for source in _SOURCES[kind]]
    shown = brand()
    if kind == "css" and shown:
        texts.append(shown.css)
    content = "\n".join(texts).encode()
    version = sha256(content).hexdigest()[:16]
    address = f"/app/console-{version}.{kind}"
    return Asset(address, _ASSETS[kind], content, gzip.compress(content, mtime=0))


@assets.get("/console-<version>.<any(css,js):kind>", accepts=PUBLIC)
def static(version: str, kind: str) -> Response:  # noqa: ARG001
    """Return the stylesheet or the script of the pages"""
    found = asset(kind)
    if request.path != found.address:  # the address of another version
        raise NotFound
    is_compressed = accepts_gzip()
    response = Response(
        found.compressed if is_compressed else found.content,
        content_type=found.content_type,
        headers={
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        },
    )
    version = found.address.rpartition("/")[2]
    if is_compressed:
        response.headers["Content-Encoding"] = "gzip"
        version += ".gz"
    response.set_etag(version)
    response.make_conditional(request)
    return response


@assets.get("/<any('icon.svg','icon-192.png','icon-512.png'):name>", accepts=PUBLIC)
def icon(name: str) -> Response:
    """Return an icon"""
    file = Path(current_app.root_path) / "templates" / "icons" / name
    return Response(file.read_bytes(), headers=_FOR_A_DAY, content_type=_ICONS[name]["type"])


@assets.get("/manifest.webmanifest", accepts=PUBLIC)
def manifest() -> Response:
    """Describe the pages as an app that a phone installs"""
    shown = brand()
    response = jsonify(_MANIFEST | ({"name": shown.name} if shown and shown.name else {}))
    response.headers.update(_FOR_A_DAY)
    response.content_type = "application/manifest+json"
    return response

"""The pages as an app on a phone: its icons, its manifest, and what other apps share to it.

The manifest is a W3C Web Application Manifest with a share target (Web Share Target API): a shared
file comes as a form that the system sends, with the cookie, as after a tap on a link.
"""

from collections.abc import Iterator
from pathlib import Path

from flask import Response, current_app, g, jsonify, request

from ..http import COOKIE
from ..http.body import seekable_body
from ..http.multipart import Part, read_parts
from ..schemas.uploads import UploadForm
from ..views.branding import brand
from .blueprint import HOME, Pages, go
from .documents import store
from .sessions import PUBLIC

home_screen = Pages("home_screen")
_DAY = {"Cache-Control": "public, max-age=86400"}
_ICONS = {  # file -> where it is used, and for what
    "icon.svg": {"type": "image/svg+xml", "sizes": "any"},
    "icon-192.png": {"type": "image/png", "sizes": "192x192"},
    "icon-512.png": {"type": "image/png", "sizes": "512x512", "purpose": "any maskable"},
}
_SHARED = {"title": "title", "text": "text", "url": "url"}
_ACCEPTED = ["image/*", "application/*", "text/*", "audio/*", "video/*", "message/*"]
_MANIFEST = {
    "id": "/app",
    "name": "Document Service",
    "short_name": "Documents",
    "description": "Send a document by a link, see when it was opened, take it back.",
    "start_url": HOME,
    "scope": "/app/",
    "display": "standalone",
    "background_color": "#f3f4f6",
    "theme_color": "#ffffff",  # in dark mode a `meta` of the pages says another one
    "icons": [{"src": f"/app/{name}", **facts} for name, facts in _ICONS.items()],
    "share_target": {
        "action": "/app/share",
        "method": "POST",
        "enctype": "multipart/form-data",
        "params": {**_SHARED, "files": [{"name": "file", "accept": _ACCEPTED}]},
    },
}


@home_screen.get("/<any('icon.svg','icon-192.png','icon-512.png'):name>", accepts=PUBLIC)
def icon(name: str) -> Response:
    """Return an icon"""
    file = Path(current_app.root_path) / "templates" / "icons" / name
    return Response(file.read_bytes(), headers=_DAY, content_type=_ICONS[name]["type"])


@home_screen.get("/manifest.webmanifest", accepts=PUBLIC)
def manifest() -> Response:
    """Describe the pages as an app that a phone installs"""
    shown = brand()
    response = jsonify(_MANIFEST | ({"name": shown.name} if shown and shown.name else {}))
    response.headers.update(_DAY | {"Content-Type": "application/manifest+json"})
    return response


@home_screen.post("/share", accepts=PUBLIC, form=UploadForm())
def receive() -> Response:
    """Store what another app on the phone shares, and lead to the page that makes links to it"""
    if g.caller.credential_type != COOKIE:
        return go("/app/login", "share")
    parts = read_parts(seekable_body(request), request.content_type or "")
    stored = [store([part])["address"].rpartition("/")[2] for part in _files(parts)]
    return go(HOME, "uploaded" if stored else "", shared=stored)


def _files(parts: list[Part]) -> Iterator[Part]:
    """The files; if there are none, the text or the address that is shared, as one."""
    files = [part for part in parts if part.name == "file" and part.size]
    texts = [part for part in parts if part.name in {"text", "url"} and part.size]
    title = next((part.content.head(200) for part in parts if part.name == "title"), b"")
    name = f"{title.decode(errors='replace').strip() or 'Shared text'}.txt"
    yield from files or (
        Part("file", name, "text/plain;charset=utf-8", part.content) for part in texts[:1]
    )

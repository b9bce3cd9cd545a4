"""The operator's name, colour and logo, on pages for people: never in a saved file."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from urllib.parse import urlsplit

from flask import Response, current_app

from models import current_runtime
from models.core import NotFound

from .links import base_url


@dataclass(frozen=True)
class Brand:
    """`logo` is an address; `css` sets the colour. Each is '' without its setting."""

    name: str
    css: str
    logo: str

    @property
    def host(self) -> str:
        """Where the page is, which a brand does not hide."""
        return urlsplit(base_url()).netloc


def brand() -> Brand | None:
    """None if no setting asks for one."""
    runtime = current_app.extensions.get("runtime")
    names = "brand_name", "brand_color", "brand_logo"
    return _brand(*(getattr(runtime.settings, name) for name in names)) if runtime else None


@cache
def _brand(
    name: str | None, color: tuple[str, str] | None, logo: tuple[str, bytes] | None
) -> Brand | None:
    css = f":root{{--accent:light-dark({','.join(color)})}}" if color else ""
    address = f"/logo?{sha256(logo[1]).hexdigest()[:16]}" if logo else ""
    return Brand(name or "", css, address) if name or css or address else None


def send_logo() -> Response:
    """Its address holds its hash. Raises `NotFound` if there is none."""
    logo = current_runtime().settings.brand_logo
    if logo is None:
        raise NotFound
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(logo[1], headers=headers, content_type=logo[0])

"""The Content-Security-Policy and other headers of each page.

Nothing loads, posts, frames or runs except our own scripts and stylesheets, allowed by hash.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from viewer.preview import Preview
from viewer.templating import asset, source_hash

SANDBOX: Final = (
    "allow-scripts allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox"
)
ORIGIN: Final = re.compile(r"\*|'self'|'none'|[a-z][a-z0-9+.-]*://[^\s;,'\"*/]+")
UNUSED_FEATURES: Final = (
    "camera=(), display-capture=(), geolocation=(), gyroscope=(), accelerometer=(), hid=(), "
    "microphone=(), midi=(), payment=(), serial=(), usb=(), browsing-topics=()"
)


def for_view(preview: Preview, ancestors: Sequence[str], content_url: str | None) -> str:
    """Return the policy of a served page, with a sandbox and the origins that may frame it."""
    media = (_origin_of(content_url),) if content_url else ()
    return with_header_directives(_join(*_restrictions(preview, media)), ancestors)


def with_header_directives(policy: str, ancestors: Sequence[str]) -> str:
    """Add the directives that browsers ignore in a meta element."""
    return _join(policy, f"frame-ancestors {_ancestors(ancestors)}", f"sandbox {SANDBOX}")


def for_file(preview: Preview) -> str:
    """Return the policy for the meta element of a file."""
    return _join(*_restrictions(preview, ()))


def for_sealed_file(preview: Preview) -> str:
    """Return the policy of an encrypted file. The page inside is a blob: and inherits it."""
    scripts = _hashes("viewer.js", "sealed.js")
    own_styles = _hashes("viewer.css", "sealed.css")
    styles = "'unsafe-inline'" if preview.foreign_style else own_styles
    return _join(*_directives(scripts, styles, ()), "frame-src blob:")


def headers(policy: str, ancestors: Sequence[str]) -> dict[str, str]:
    """Return the headers of every page."""
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy,
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Resource-Policy": "cross-origin" if ancestors else "same-origin",
        "Permissions-Policy": UNUSED_FEATURES,
        "X-Robots-Tag": "noindex, nofollow",
    }


def _restrictions(preview: Preview, media: Iterable[str]) -> list[str]:
    styles = "'unsafe-inline'" if preview.foreign_style else _hashes("viewer.css")
    return _directives(_hashes("viewer.js"), styles, media)


def _directives(scripts: str, styles: str, media: Iterable[str]) -> list[str]:
    pictures = " ".join(("data:", "blob:", *media))
    return [
        "default-src 'none'",
        f"script-src {scripts}",
        f"style-src {styles}",
        f"img-src {pictures}",
        f"media-src {pictures}",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]


def _hashes(*assets: str) -> str:
    return " ".join(source_hash(asset(name)) for name in assets)


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"
    return _checked(origin)


def _ancestors(origins: Sequence[str]) -> str:
    return " ".join(map(_checked, origins)) or "'self'"


def _checked(origin: str) -> str:
    """Raise ValueError for an origin that could add directives of its own."""
    if not ORIGIN.fullmatch(origin):
        raise ValueError(f"not an origin: {origin!r}")
    return origin


def _join(*directives: str) -> str:
    return "; ".join(directives)

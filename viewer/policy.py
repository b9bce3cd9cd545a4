"""The Content-Security-Policy of each page. One policy: nothing loads, posts, frames or runs,
but our own script and style by their hashes."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from viewer.preview import Preview
from viewer.templating import script, source_hash, style

SANDBOX: Final = (
    "allow-scripts allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox"
)
ORIGIN: Final = re.compile(r"\*|'self'|'none'|[a-z][a-z0-9+.-]*://[^\s;,'\"*/]+")
UNUSED_FEATURES: Final = (
    "camera=(), display-capture=(), geolocation=(), gyroscope=(), accelerometer=(), hid=(), "
    "microphone=(), midi=(), payment=(), serial=(), usb=(), browsing-topics=()"
)


def served(preview: Preview, ancestors: Sequence[str], content_url: str | None) -> str:
    """The policy of a page that we serve: a sandbox, and a say in who may frame it."""
    media = (_source(content_url),) if content_url else ()
    return sandboxed(_join(*_restrictions(preview, media)), ancestors)


def sandboxed(policy: str, ancestors: Sequence[str]) -> str:
    """What only a header can say, added to a policy."""
    return _join(policy, f"frame-ancestors {_ancestors(ancestors)}", f"sandbox {SANDBOX}")


def offline(preview: Preview) -> str:
    """The policy inside a file (a meta element can neither sandbox nor name ancestors)."""
    return _join(*_restrictions(preview, ()))


def locked(preview: Preview) -> str:
    """The policy of a sealed file. The page it opens to is a blob: and inherits it."""
    scripts = _hashes(script, "viewer.js", "sealed.js")
    own_styles = _hashes(style, "viewer.css", "sealed.css")
    styles = "'unsafe-inline'" if preview.foreign_style else own_styles
    return _join(*_directives(scripts, styles, ()), "frame-src blob:")


def headers(policy: str, ancestors: Sequence[str]) -> dict[str, str]:
    """What every page of ours is sent with."""
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy,
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Resource-Policy": "cross-origin" if ancestors else "same-origin",
        "Permissions-Policy": UNUSED_FEATURES,
        "X-Robots-Tag": "noindex, nofollow",
    }


def _restrictions(preview: Preview, media: Iterable[str]) -> list[str]:
    styles = "'unsafe-inline'" if preview.foreign_style else _hashes(style, "viewer.css")
    return _directives(_hashes(script, "viewer.js"), styles, media)


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


def _hashes(read: Callable[[str], str], *names: str) -> str:
    return " ".join(source_hash(read(name)) for name in names)


def _source(url: str) -> str:
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"
    return _checked(origin)


def _ancestors(origins: Sequence[str]) -> str:
    return " ".join(map(_checked, origins)) or "'self'"


def _checked(origin: str) -> str:
    """An origin that could end its directive would be a policy of somebody else's making."""
    if not ORIGIN.fullmatch(origin):
        raise ValueError(f"not an origin: {origin!r}")
    return origin


def _join(*directives: str) -> str:
    return "; ".join(directives)

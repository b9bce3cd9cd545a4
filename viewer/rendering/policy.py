"""The Content-Security-Policy and other headers of each page.

Nothing loads, posts, frames or runs except our own scripts and stylesheets, allowed by hash.
"""

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ..formats.preview import Preview
from ..markup.assets import FOLDER, asset, source_hash

SANDBOX: Final = (
    "allow-scripts allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox"
)
ORIGIN: Final = re.compile(r"\*|'self'|'none'|[a-z][a-z0-9+.-]*://[^\s;,'\"*/]+")
PATH: Final = re.compile(r"[\w./~-]+")
FORMATS: Final = Path(__file__).parent.parent / "formats"
ANY_PAGE: Final = Preview("", "", foreign_style=True, frames_pdf=True)
NO_MARKUP_FROM_TEXT: Final = ("require-trusted-types-for 'script'", "trusted-types 'none'")
UNUSED_FEATURES: Final = (
    "camera=(), display-capture=(), geolocation=(), gyroscope=(), accelerometer=(), hid=(), "
    "microphone=(), midi=(), payment=(), serial=(), usb=(), browsing-topics=()"
)


def _of_formats(suffix: str) -> tuple[str, ...]:
    """Return the scripts or stylesheets of all formats, by name, and those that several share.

    A policy names them all: it does not depend on the content, which HEAD does not read.
    """
    families = (path.name for path in FORMATS.iterdir() if path.is_dir())
    paths = [path for family in families for path in FOLDER.glob(f"{family}/*.{suffix}")]
    paths += [
        FOLDER / name for name in ("card.css", "grid.css", "prose.css") if name.endswith(suffix)
    ]
    ordered = sorted(paths, key=lambda path: path.name)
    return tuple(path.relative_to(FOLDER).as_posix() for path in ordered)


_OF_FORMATS: Final = _of_formats("js"), _of_formats("css")
SCRIPTS: Final = ("served.js", "viewer.js", *_OF_FORMATS[0])
IN_FRAMES: Final = "web/inside.js"  # in the iframe of another's page
STYLES: Final = ("base.css", "viewer.css", "embedded.css", *_OF_FORMATS[1])


def for_view(
    preview: Preview,
    ancestors: Sequence[str],
    content_url: str | None,
    pages_url: str | None = None,
) -> str:
    """Return the policy of a served page, with a sandbox and the origins that may frame it.

    Its script may connect to nothing but the original and the pages of this document, and the file
    made of them.
    """
    policy = _policy(preview, (_origin_of(content_url),) if content_url else ())
    addresses = []
    if content_url:
        addresses.append(_path_of(content_url))
    if pages_url:
        path = _path_of(pages_url)
        addresses += [path, f"{path}/", f"{path.removesuffix('/pages')}/download"]
    if addresses:
        policy += f"; connect-src {' '.join(addresses)}"
    return with_header_directives(policy, ancestors)


def with_header_directives(policy: str, ancestors: Sequence[str]) -> str:
    """Add the directives that browsers ignore in a meta element."""
    origins = " ".join(map(_checked, ancestors)) or "'self'"
    return f"{policy}; frame-ancestors {origins}; sandbox {SANDBOX}"


def for_file(preview: Preview, styles: Sequence[str], scripts: Sequence[str]) -> str:
    """Return the policy for the meta element of a file, which names only what the file holds."""
    inside = (IN_FRAMES,) if preview.foreign_style else ()
    held = (*scripts, *inside)
    return _policy(preview, frames=preview.frames_pdf, styles=styles, scripts=held)


def for_saving(preview: Preview) -> str:
    """Return the policy for the header of a file."""
    return _policy(preview, frames=preview.frames_pdf)


def for_sealed_file(preview: Preview) -> str:
    """Return the policy of an encrypted file. The page inside is a blob: and inherits it."""
    return _policy(preview, more=("sealed",), frames=True)


def for_several(*, sealed: bool) -> str:
    """Return the policy of a file with several documents: what the page of any may need, and which
    it inherits. Each has its own policy beside it.
    """
    more = ("contents", "sealed") if sealed else ("contents",)
    return _policy(ANY_PAGE, more=more, frames=True)


def headers(policy: str, ancestors: Sequence[str], oembed_url: str | None = None) -> dict[str, str]:
    discovery = f'<{oembed_url}>; rel="alternate"; type="application/json+oembed"'
    return {
        **({"Link": discovery} if oembed_url else {}),
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy,
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Resource-Policy": "cross-origin" if ancestors else "same-origin",
        "Permissions-Policy": UNUSED_FEATURES,
        "X-Robots-Tag": "noindex, nofollow",
    }


def _policy(
    preview: Preview,
    media: Sequence[str] = (),
    *,
    more: Sequence[str] = (),
    frames: bool = False,
    styles: Sequence[str] = STYLES,
    scripts: Sequence[str] = SCRIPTS,
) -> str:
    """Return the policy of a page that may load media from these origins.

    `more` names pages around this one, each with a script and a stylesheet. What is framed the page
    made itself; the viewers of PDF of Firefox and WebKit inherit this, with their styles. That of
    Safari on a Mac is a plug-in, which `object-src` allows.
    """
    scripts = (*scripts, *(f"{name}.js" for name in more))
    styles = (*styles, *(f"{name}.css" for name in more))
    has_other_styles = preview.foreign_style or preview.frames_pdf
    style_sources = "'unsafe-inline'" if has_other_styles else _hashes(styles)
    sources = " ".join(("data:", "blob:", *media))
    directives = [
        "default-src 'none'",
        f"script-src {_hashes(scripts)}",
        f"style-src {style_sources}",
        f"img-src {sources}",
        f"media-src {sources}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    if frames:
        directives.append("frame-src blob:")
    if preview.frames_pdf:
        directives.append("object-src blob:")
    else:
        directives += NO_MARKUP_FROM_TEXT
    return "; ".join(directives)


@functools.cache
def _hashes(assets: tuple[str, ...]) -> str:
    return " ".join(source_hash(asset(name)) for name in assets)


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"
    return _checked(origin)


def _path_of(url: str) -> str:
    """Return an address without its query, or the page's origin for one that names none.

    Raise ValueError for an address that could add directives of its own.
    """
    url = url.partition("?")[0]  # what differs at each view; the rest is kept by urlsplit
    parts = urlsplit(url)
    if not parts.netloc:
        return "'self'"
    path = parts.path
    if not PATH.fullmatch(path):
        raise ValueError(f"not a path: {path!r}")
    return _origin_of(url) + path


def _checked(origin: str) -> str:
    """Raise ValueError for an origin that could add directives of its own."""
    if not ORIGIN.fullmatch(origin):
        raise ValueError(f"not an origin: {origin!r}")
    return origin

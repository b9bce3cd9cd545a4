"""HTML: looks like itself, inert. Cleaned in the child, then shown in a sandboxed frame."""

import html

from viewer.kinds import code
from viewer.media_types import charset
from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import ChildFailed, result

LIMIT = 4 << 20
SECONDS = 12
NOTE = "Scripts, forms and remote content are switched off."
# Not even its own origin. A clicked link opens in a tab that knows nothing of this one.
SANDBOX = "allow-popups allow-popups-to-escape-sandbox"


def preview(original: Original, kind: str) -> Preview:
    """The page in a frame; its source where it can't be cleaned."""
    if original.size > LIMIT:
        return code.preview(original, kind)
    order = {"charset": charset(original.content_type)}
    try:
        _, page = result("web", original.pieces(), order, seconds=SECONDS)
    except ChildFailed:
        return code.preview(original, kind)
    body = frame(page, "The document, with scripts and network off")
    return Preview("web", "HTML", body, note=NOTE, foreign_style=True)


def frame(page: str, title: str) -> str:
    """The only place where a foreign page may stand."""
    source = html.escape(page, quote=True)
    return (
        f'<iframe class="frame" sandbox="{SANDBOX}" referrerpolicy="no-referrer"'
        f' title="{title}" srcdoc="{source}"></iframe>'
    )

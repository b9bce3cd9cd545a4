"""HTML pages: sanitized in the sandbox, then shown with their own styles in a sandboxed iframe."""

from ...markup.escaping import is_escaped_page
from ...markup.formatting import CUT_NOTE
from ...sandbox.process import Job, SandboxError
from ..original import Original
from ..preview import Preview
from ..text import code

MAX_SIZE = 4 << 20
JOB = Job("viewer.formats.web.foreign_html", memory_mb=768, cpu_seconds=3, seconds=12)
NOTE = "Scripts, forms and remote content are switched off."
# No scripts and no origin. A clicked link opens in a tab without access to this page.
SCRIPTS, STYLES = ("web/frame.js",), ("web/frame.css",)  # of each page with an iframe
SANDBOX = "allow-popups allow-popups-to-escape-sandbox"


def preview(original: Original, media_type: str) -> Preview:
    """Return the page in an iframe; its source above MAX_SIZE or if sanitizing fails."""
    if not (message := original.html_of_job(JOB, MAX_SIZE)):
        return code.preview(original, media_type)
    facts, page = message
    body = iframe(page, "The document, with scripts and network off")
    note = f"{NOTE} {CUT_NOTE}" if facts["cut"] else NOTE
    return Preview(
        "web", "HTML", body, note=note, foreign_style=True, scripts=SCRIPTS, styles=STYLES
    )


def iframe(page: bytes, title: str) -> bytes:
    """Return a sandboxed iframe: the only element that may contain an uploaded page.

    The child process has escaped the page. Raises SandboxError if it has not.
    """
    if not is_escaped_page(page):
        raise SandboxError("not escaped")
    start = (
        f'<iframe class="frame" sandbox="{SANDBOX}" referrerpolicy="no-referrer"'
        f' title="{title}" srcdoc="'
    )
    return start.encode() + page + b'"></iframe>'

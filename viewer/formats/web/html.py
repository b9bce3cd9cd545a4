"""HTML pages: sanitized in the sandbox, then shown with their own styles in a sandboxed iframe."""

from functools import partial
from typing import Final

from ...markup.escaping import is_escaped_page
from ...sandbox.process import Job, SandboxError
from ..job_format import ANY, JobFormat, text_options
from ..text import code

# No scripts and no origin. A clicked link opens in a tab without access to this page.
SCRIPTS, STYLES = ("web/frame.js",), ("web/frame.css",)  # of each page with an iframe
SANDBOX = "allow-popups allow-popups-to-escape-sandbox"


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


PAGE: Final = JobFormat(
    "web",
    Job("viewer.formats.web.foreign_html", memory_mb=768, cpu_seconds=3, seconds=12),
    most_bytes=4 << 20,
    options=text_options,
    otherwise={ANY: code.preview},
    tools=frozenset(),
    styles=STYLES,
    scripts=SCRIPTS,
    framed=partial(iframe, title="The document, with scripts and network off"),
)

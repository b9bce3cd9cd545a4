"""Plain text: numbered lines without highlighting."""

from types import ModuleType
from typing import Any

from ..formatting import format_count, format_size
from ..media_types import charset
from ..original import Original
from ..preview import Preview
from ..sandbox import text_lines

MAX_READ = 2 << 20
MAX_INLINE = 64 << 10  # smaller documents are not worth a child process
SECONDS = 10
TOOLS = frozenset({"zoom", "wrap", "copy"})


def preview(original: Original, media_type: str, *, label: str = "", kind: str = "text") -> Preview:
    facts, html = render_start("text", text_lines, original, {})
    return Preview(
        kind,
        label or label_of(media_type),
        html,
        facts=_facts(facts, complete=original.size <= MAX_READ),
        note=note(facts) or _size_note(original.size),
        tools=TOOLS,
    )


def render_start(
    job: str, module: ModuleType, original: Original, options: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    """Run a job on at most MAX_READ bytes; small documents are rendered in this process."""
    options = {"charset": charset(original.content_type), **options}
    if min(original.size, MAX_READ) > MAX_INLINE:
        return original.run_html_job(job, options, seconds=SECONDS, most_bytes=MAX_READ)
    (message,) = module.render(original.first(MAX_READ), options)
    facts, html = message
    return facts, html


def label_of(media_type: str) -> str:
    subtype = media_type.partition("/")[2].removeprefix("x-")
    if media_type == "text/plain":
        return "Plain text"
    return subtype.upper() if len(subtype) < 8 else subtype


def note(facts: dict[str, Any]) -> str:
    """Return the note about lines that are left out; empty if none is."""
    if not facts["cut"]:
        return ""
    lines = format_count(int(facts["shown"]), "line")
    return f"Showing the first {lines}. Save the original to read all of it."


def _facts(facts: dict[str, Any], *, complete: bool) -> tuple[str, ...]:
    """Return the number of lines if all were read, and the encoding if it is not UTF-8."""
    count = (format_count(int(facts["lines"]), "line"),) if complete else ()
    encoding = str(facts["encoding"])
    return count if encoding in ("utf-8", "ascii") else (*count, encoding)


def _size_note(size: int) -> str:
    if size <= MAX_READ:
        return ""
    return f"Showing the first {format_size(MAX_READ)}. Save the original to read all of it."

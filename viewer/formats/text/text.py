"""Plain text: numbered lines without highlighting."""

import contextlib
from typing import Any

from ...content.decoding import browser_label, needs_detection
from ...content.media_types import charset
from ...markup.formatting import format_count, format_size
from ...sandbox.messages import Message
from ...sandbox.process import Job, SandboxError
from ..original import Original
from ..preview import Preview
from . import text_lines

MAX_READ = 2 << 20
MAX_INLINE = 16 << 10  # smaller documents are not worth a child process; each view renders them
JOB = Job("viewer.formats.text.text_lines", memory_mb=256, cpu_seconds=6, seconds=10)
TOOLS = frozenset({"zoom", "wrap", "copy"})
STYLES = ("text/lines.css",)
LINES = ("text/source.js", "text/lines.js")  # show more lines
MENU = ("text/encodings.js",)  # of them in another encoding


def preview(original: Original, media_type: str, *, label: str = "", kind: str = "text") -> Preview:
    facts, html = _rendered(original)
    return Preview(
        kind,
        label or label_of(media_type),
        html,
        facts=_facts(facts, complete=original.size <= MAX_READ),
        note=note(facts, original),
        tools=TOOLS,
        source=source(facts, original),
        styles=STYLES,
        scripts=scripts(facts, original),
    )


def _rendered(original: Original) -> Message:
    """Return the lines of at most MAX_READ bytes.

    A document of MAX_INLINE bytes is rendered in this process if its encoding is known, or if the
    child process fails.
    """
    options = {"charset": charset(original.content_type)}
    if original.size > MAX_INLINE:
        return original.run_html_job(JOB, options, most_bytes=MAX_READ)
    data = original.first(MAX_INLINE)
    if needs_detection(data, options["charset"]):
        with contextlib.suppress(SandboxError):
            return original.run_html_job(JOB, options)
    return next(text_lines.render(data, options))


def source(facts: dict[str, Any], original: Original) -> dict[str, str | int]:
    """Return what the script needs to show all lines, or those of another encoding."""
    return {
        "charset": browser_label(str(facts["encoding"])),
        **({"shown": int(facts["shown"])} if _is_cut(facts, original) else {}),
    }


def scripts(facts: dict[str, Any], original: Original) -> tuple[str, ...]:
    """Return those that show more of it, or all in another encoding, where it needs them."""
    menu = () if facts["certain"] else MENU
    return (*LINES, *menu) if menu or _is_cut(facts, original) else ()


def _is_cut(facts: dict[str, Any], original: Original) -> bool:
    return bool(facts["cut"]) or original.size > MAX_READ


def label_of(media_type: str) -> str:
    subtype = media_type.partition("/")[2].removeprefix("x-")
    if media_type == "text/plain":
        return "Plain text"
    return subtype.upper() if len(subtype) < 8 else subtype


def note(facts: dict[str, Any], original: Original) -> str:
    """Return the note about what is left out; empty if nothing is."""
    if not _is_cut(facts, original):
        return ""
    lines = format_count(int(facts["shown"]), "line")
    start = f" of the first {format_size(MAX_READ)}" if original.size > MAX_READ else ""
    return f"Showing {lines}{start}. Save the original to read all of it."


def _facts(facts: dict[str, Any], *, complete: bool) -> tuple[str, ...]:
    """Return the number of lines if all were read, and the encoding if it is not UTF-8."""
    count = (format_count(int(facts["lines"]), "line"),) if complete else ()
    encoding = str(facts["encoding"])
    return count if encoding == "utf-8" else (*count, encoding)

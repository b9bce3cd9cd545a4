"""The page without the original's bytes: toolbar, preview, properties, and the carrier element."""

import re
from dataclasses import dataclass

from ..content.media_types import data_uri_type
from ..formats.original import Original
from ..formats.preview import Preview
from ..markup.formatting import format_count, format_size
from ..markup.names import badge, display_name, safe_file_name
from ..markup.templating import render, shared_parts
from . import policy

BODY_PLACEHOLDER = "\0body\0"
BYTES_PLACEHOLDER = "\0bytes\0"
UNSAFE_IN_COMMENT = re.compile(r"[^\w .]")
FILE_LINK = re.compile(rb'<a class="take"[^<>]*>[^<]*</a>')  # saves a file inside the document


@dataclass(frozen=True, slots=True)
class PageOptions:
    offline: bool = False
    content_url: str | None = None
    save_url: str | None = None
    oembed_url: str | None = None
    embed: bool = False
    may_save: bool = True
    parent_origin: str = "*"
    pages_url: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """A page before and after the original's bytes, and whether these are in it."""

    head: tuple[bytes, ...]
    tail: bytes
    has_original: bool


def layout(original: Original, preview: Preview, options: PageOptions) -> Layout:
    embedded = not options.content_url and (options.may_save or preview.carrier != "a")
    page = render("viewer.html", **_values(original, preview, options, embedded=embedded))
    start, _, rest = page.partition(BODY_PLACEHOLDER)
    middle, _, tail = rest.partition(BYTES_PLACEHOLDER)
    body = preview.body if options.may_save else FILE_LINK.sub(b"", preview.body)
    return Layout((_encode(start), body, _encode(middle)), _encode(tail), embedded)


def _values(
    original: Original, preview: Preview, options: PageOptions, *, embedded: bool
) -> dict[str, object]:
    name = display_name(original.name, original.default_name)
    return {
        "preview": preview,
        "kind": preview.kind,
        "carrier": preview.carrier,
        "parts": shared_parts(
            preview.tools, preview.styles, preview.scripts, wraps=preview.kind == "text"
        ),
        "body": BODY_PLACEHOLDER,
        "options": options,
        "record": original.record(),
        "sha256": original.sha256,
        "name": name,
        "original_name": original.name.strip() or name,
        "comment_name": _safe_in_comment(name),
        "safe_file_name": _safe_in_comment(safe_file_name(name)).replace(" ", "_"),
        "badge": badge(name, preview.kind),
        "length": format_count(original.size, "byte"),
        "summary": (preview.label, format_size(original.size), *preview.facts),
        "policy": policy.for_file(preview) if options.offline else None,
        "source": _data_uri(original, preview) if embedded else options.content_url,
        "embedded": embedded,
    }


def _encode(html: str) -> bytes:
    return html.encode("utf-8", "replace")


def _data_uri(original: Original, preview: Preview) -> str:
    media_type = data_uri_type(original.media_type, is_image=preview.carrier == "img")
    return f"data:{media_type};base64,{BYTES_PLACEHOLDER}"


def _safe_in_comment(name: str) -> str:
    """Replace what could end an HTML comment or has a meaning in a shell command."""
    return UNSAFE_IN_COMMENT.sub("_", name)

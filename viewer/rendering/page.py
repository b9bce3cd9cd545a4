"""The page around a document; the inline view and the self-contained file have the same layout:

    head | base64 of the original, piece by piece | tail

The head holds everything to be shown, so that the first paint does not wait for the bytes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..content.base64_text import base64_length, base64_pieces
from ..content.media_types import data_uri_type
from ..formats.original import Original
from ..formats.preview import Part, Preview
from ..markup.formatting import format_count, format_size
from ..markup.names import badge, content_disposition, display_name, safe_file_name
from ..markup.templating import elements, render, shared_parts
from ..sandbox.process import start_fork_server
from ..sandbox.version import sandbox_version
from . import policy
from .registry import ShownDocument

BODY_PLACEHOLDER = "\0body\0"
BYTES_PLACEHOLDER = "\0bytes\0"
STYLES_PLACEHOLDER = "\0styles\0"
SCRIPTS_PLACEHOLDER = "\0scripts\0"
UNSAFE_IN_COMMENT = re.compile(r"[^\w .]")
FILE_LINK = re.compile(rb'<a class="take"[^<>]*>[^<]*</a>')  # saves a file inside the document


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The place of a document among several, and the addresses of those beside it and of all."""

    number: int  # from 1
    total: int
    previous: str | None
    next: str | None
    contents: str


@dataclass(frozen=True, slots=True)
class PageOptions:
    offline: bool = False
    content_url: str | None = None  # from which the page loads the original; else the page holds it
    save_url: str | None = None  # from which a reader saves the original
    oembed_url: str | None = None
    embed: bool = False
    may_save: bool = True
    parent_origin: str = "*"
    pages_url: str | None = None  # from which the page of a PDF loads more pages
    other_view_url: str | None = None  # to which the page of a workbook has a link
    receipt_url: str | None = None  # from which a reader saves the receipt of the agreement
    neighbours: Neighbours | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """A page before and after the original's bytes, and whether these are in it."""

    head: tuple[Part, ...]
    tail: bytes
    has_original: bool


def layout(original: ShownDocument, preview: Preview, options: PageOptions) -> Layout:
    embedded = not options.content_url and (options.may_save or preview.carrier != "a")
    styles, scripts = _assets(preview, options)
    values = _values(original, preview, options, styles, scripts, embedded=embedded)
    page = render("viewer.html", **values).encode("utf-8", "replace")
    start, _, rest = page.partition(BODY_PLACEHOLDER.encode())
    middle, _, tail = rest.partition(BYTES_PLACEHOLDER.encode())
    # styles and scripts, most of a page, are encoded once; the scripts stand behind the original
    start = start.replace(STYLES_PLACEHOLDER.encode(), elements("style", styles))
    behind = (SCRIPTS_PLACEHOLDER.encode(), elements("script", scripts))
    middle, tail = middle.replace(*behind), tail.replace(*behind)
    body = preview.body
    if preview.holds_files and not options.may_save:
        body = FILE_LINK.sub(b"", b"".join(in_pieces((body,))))
    return Layout((start, body, middle), tail, embedded)


def _values(
    original: ShownDocument,
    preview: Preview,
    options: PageOptions,
    styles: tuple[str, ...],
    scripts: tuple[str, ...],
    *,
    embedded: bool,
) -> dict[str, object]:
    name = name_of(original)
    return {
        "preview": preview,
        "kind": preview.kind,
        "carrier": preview.carrier,
        "parts": shared_parts(preview.tools, wraps=preview.kind == "text"),
        "styles": STYLES_PLACEHOLDER,
        "body": BODY_PLACEHOLDER,
        "scripts": SCRIPTS_PLACEHOLDER,
        "options": options,
        "other_view": "As a table" if original.as_pages else "As pages",
        "description": original.description(),
        "sha256": original.sha256,
        "name": name,
        "original_name": original.name.strip() or name,
        "comment_name": safe_in_comment(name),
        "safe_file_name": safe_in_comment(safe_file_name(name)).replace(" ", "_"),
        "badge": badge(name, preview.kind),
        "length": format_count(original.size, "byte"),
        "summary": (preview.label, format_size(original.size), *preview.facts),
        "policy": policy.for_file(preview, styles, scripts) if options.offline else None,
        "source": _data_uri(original, preview) if embedded else options.content_url,
        "embedded": embedded,
        "reads_from": options.content_url if options.may_save else None,
    }


def _assets(preview: Preview, options: PageOptions) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the stylesheets and the scripts that this page uses."""
    embedded = ("embedded.css",) if options.embed else ()
    served = () if options.offline else ("served.js",)
    styles = ("base.css", "viewer.css", *embedded, *preview.styles)
    return styles, (*served, "viewer.js", *preview.scripts)


def name_of(original: Original) -> str:
    return display_name(original.name, original.default_name)


def _data_uri(original: Original, preview: Preview) -> str:
    media_type = data_uri_type(original.media_type, is_image=preview.carrier == "img")
    return f"data:{media_type};base64,{BYTES_PLACEHOLDER}"


def safe_in_comment(name: str) -> str:
    """Replace what could end an HTML comment or has a meaning in a shell command."""
    return UNSAFE_IN_COMMENT.sub("_", name)


MOST_SAVED_BYTES = 256 << 20  # of the originals in one file: no browser opens much more base64
EMBEDDED_LIMIT = 8 << 20  # of an original that a view holds
PAGED_LIMIT = 1 << 20  # of one whose pages are loaded one by one: no script there reads it
WRITE_BYTES = 256 << 10  # of a large preview at once, so that a slow client holds no copy

NO_PREVIEW = Preview("", "")


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """Headers, the exact length in bytes, and a body that is produced while it is read.

    Until it is read to its end, `held_bytes` of it are in memory.
    """

    headers: dict[str, str]
    length: int
    body: Iterator[bytes]
    held_bytes: int


def embeds(document: ShownDocument) -> bool:
    """Whether a view is to hold the original, rather than to load it when it is needed."""
    is_small = document.size <= PAGED_LIMIT
    return is_small or (document.size <= EMBEDDED_LIMIT and not document.has_pages)


def view(
    document: ShownDocument,
    *,
    frame_ancestors: Sequence[str] = (),
    headers_only: bool = False,
    **shown: Any,
) -> RenderedPage:
    """Return the page that shows a document inline, with these fields of `PageOptions`.

    With `headers_only` the preview is not drawn: only the headers are valid.
    """
    preview = NO_PREVIEW if headers_only else document.preview()
    origin = frame_ancestors[0] if len(frame_ancestors) == 1 else "*"
    shown.setdefault("save_url", shown.get("content_url"))
    options = PageOptions(parent_origin=origin, **shown)
    rules = policy.for_view(preview, frame_ancestors, options.content_url, options.pages_url)
    headers = policy.headers(rules, frame_ancestors, options.oembed_url)
    return _page(headers, document, preview, options)


def download(document: ShownDocument, *, headers_only: bool = False) -> RenderedPage:
    """Return the self-contained file: it works offline and holds the exact original."""
    preview = NO_PREVIEW if headers_only else document.preview().for_file()
    headers = file_headers(name_of(document), policy.for_saving(preview))
    return _page(headers, document, preview, PageOptions(offline=True))


def file_headers(name: str, rules: str) -> dict[str, str]:
    """Return the headers of a file to save; sandboxed, should a browser show it anyway."""
    headers = policy.headers(policy.with_header_directives(rules, ("'none'",)), ())
    return headers | {"Content-Disposition": content_disposition(name + ".html")}


def _page(
    headers: dict[str, str], document: ShownDocument, preview: Preview, options: PageOptions
) -> RenderedPage:
    page = layout(document, preview, options)
    size = base64_length(document.size) if page.has_original else 0
    length = sum(map(len, page.head)) + size + len(page.tail)
    return RenderedPage(headers, length, _body(page, document), held_bytes(page))


def _body(page: Layout, document: ShownDocument) -> Iterator[bytes]:
    yield from in_pieces(page.head)
    if page.has_original:
        yield from base64_pieces(document.pieces())
    yield page.tail


def held_bytes(page: Layout) -> int:
    """Return how many bytes of the page are in memory, and not read while it is sent."""
    return sum(len(part) for part in (*page.head, page.tail) if isinstance(part, bytes))


def in_pieces(parts: Iterable[Part]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, bytes):
            for start in range(0, len(part), WRITE_BYTES):
                yield part[start : start + WRITE_BYTES]
        else:
            yield from part.pieces()


def warm_up() -> None:
    """Start the fork server, name the version of the parsers, and compile the templates by a view.

    It is one of an empty document, which needs no child process.
    """
    start_fork_server()
    sandbox_version()
    view(ShownDocument("", "", "empty", "text/plain", 0, "", "", lambda _start, _stop: ()))

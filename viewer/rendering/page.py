"""The page around a document; the inline view and the self-contained file have the same layout:

    head | base64 of the original, piece by piece | tail

The head holds everything to be shown, so that the first paint does not wait for the bytes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..formats.preview import Preview
from ..markup.names import content_disposition, display_name
from . import policy
from .base64_stream import base64_length, base64_pieces
from .registry import Document
from .shell import Layout, PageOptions, layout

EMBEDDED_LIMIT = 8 << 20  # of an original that a view holds
PAGED_LIMIT = 1 << 20  # of one whose pages are loaded one by one: no script there reads it
WRITE_BYTES = 256 << 10  # of a large preview at once, so that a slow client holds no copy

NO_PREVIEW = Preview("", "")


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """Headers, the exact length in bytes, and a body that is produced while it is read."""

    headers: dict[str, str]
    length: int
    body: Iterator[bytes]


def embeds(document: Document) -> bool:
    """Whether a view is to hold the original, rather than to load it when it is needed."""
    is_small = document.size <= PAGED_LIMIT
    return is_small or (document.size <= EMBEDDED_LIMIT and not document.has_pages)


def view(
    document: Document,
    *,
    frame_ancestors: Sequence[str] = (),
    content_url: str | None = None,
    save_url: str | None = None,
    oembed_url: str | None = None,
    embed: bool = False,
    may_save: bool = True,
    pages_url: str | None = None,
    headers_only: bool = False,
) -> RenderedPage:
    """Return the page that shows a document inline; that of a PDF loads more from `pages_url`.

    With a `content_url` it loads the original, and saves it from `save_url`; else it holds it. With
    `headers_only` the preview is not drawn: only the headers are valid.
    """
    preview = NO_PREVIEW if headers_only else document.preview()
    options = PageOptions(
        pages_url=pages_url,
        content_url=content_url,
        save_url=save_url or content_url,
        oembed_url=oembed_url,
        embed=embed,
        may_save=may_save,
        parent_origin=frame_ancestors[0] if len(frame_ancestors) == 1 else "*",
    )
    rules = policy.for_view(preview, frame_ancestors, content_url, pages_url)
    return _page(policy.headers(rules, frame_ancestors, oembed_url), document, preview, options)


def download(document: Document, *, headers_only: bool = False) -> RenderedPage:
    """Return the self-contained file: it works offline and holds the exact original."""
    preview = NO_PREVIEW if headers_only else document.preview().for_file()
    headers = download_headers(document, policy.for_file(preview))
    return _page(headers, document, preview, PageOptions(offline=True))


def download_headers(document: Document, rules: str) -> dict[str, str]:
    """Return the headers of a file to save; sandboxed, should a browser show it anyway."""
    name = display_name(document.name, document.default_name)
    headers = policy.headers(policy.with_header_directives(rules, ("'none'",)), ())
    return headers | {"Content-Disposition": content_disposition(name + ".html")}


def _page(
    headers: dict[str, str], document: Document, preview: Preview, options: PageOptions
) -> RenderedPage:
    page = layout(document, preview, options)
    size = base64_length(document.size) if page.has_original else 0
    length = sum(map(len, page.head)) + size + len(page.tail)
    return RenderedPage(headers, length, _body(page, document))


def _body(page: Layout, document: Document) -> Iterator[bytes]:
    for part in page.head:
        for start in range(0, len(part), WRITE_BYTES):
            yield part[start : start + WRITE_BYTES]
    if page.has_original:
        yield from base64_pieces(document.pieces())
    yield page.tail

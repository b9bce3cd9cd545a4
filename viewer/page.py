"""The page around a document: one shape for the inline view and for the self-contained file.

    head | base64 of the original, piece by piece | tail

The head is everything before the bytes, so the first paint never waits for them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viewer import policy
from viewer.encoding import base64_pieces, base64_size
from viewer.kinds import preview_of
from viewer.names import disposition, shown_name
from viewer.original import Original
from viewer.preview import Preview
from viewer.shell import Delivery, head_and_tail

EMBEDDED_LIMIT = 8 << 20  # larger originals come from their own address, when there is one


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page ready to send: headers, exact length, and a body that is made while it is read."""

    headers: dict[str, str]
    length: int
    body: Iterator[bytes]


def view(
    original: Original,
    *,
    frame_ancestors: Sequence[str] = (),
    content_url: str | None = None,
    save_url: str | None = None,
    oembed_url: str | None = None,
    embed: bool = False,
    may_save: bool = True,
) -> RenderedPage:
    """The page that shows a document inline."""
    elsewhere = content_url if original.size > EMBEDDED_LIMIT else None
    delivery = Delivery(
        content_url=elsewhere,
        save_url=(save_url or elsewhere) if elsewhere else None,
        oembed_url=oembed_url,
        embed=embed,
        may_save=may_save,
        parent=frame_ancestors[0] if len(frame_ancestors) == 1 else "*",
    )
    preview = preview_of(original)
    rules = policy.served(preview, frame_ancestors, elsewhere)
    headers = policy.headers(rules, frame_ancestors)
    if oembed_url:
        headers["Link"] = f'<{oembed_url}>; rel="alternate"; type="application/json+oembed"'
    return _page(headers, original, preview, delivery)


def download(original: Original) -> RenderedPage:
    """The self-contained file: shows the same offline, gives the original back byte for byte."""
    preview = preview_of(original)
    headers = download_headers(original, policy.offline(preview))
    return _page(headers, original, preview, Delivery(offline=True))


def download_headers(original: Original, rules: str) -> dict[str, str]:
    """A file to save, named after its document; should a browser show it, it is sandboxed."""
    name = shown_name(original.name, original.id, original.content_type)
    headers = policy.headers(policy.sandboxed(rules, ("'none'",)), ())
    return headers | {"Content-Disposition": disposition(name + ".html")}


def _page(
    headers: dict[str, str], original: Original, preview: Preview, way: Delivery
) -> RenderedPage:
    head, tail, embedded = head_and_tail(original, preview, way)
    size = base64_size(original.size) if embedded else 0
    body = _body(head, original if embedded else None, tail)
    return RenderedPage(headers, len(head) + size + len(tail), body)


def _body(head: bytes, original: Original | None, tail: bytes) -> Iterator[bytes]:
    yield head
    if original:
        yield from base64_pieces(original.pieces())
    yield tail

"""Several documents in one self-contained file, behind a contents page that opens one at a time.

Each is the page that a file of its own would be, in a script element with three lines of base64:

    head
    original
    tail

Nothing of them is known before they are made, one by one while the file is sent: so it has no
length beforehand, and a policy that suits a page of any kind. Each page has its own policy as well.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..content.base64_text import base64_pieces
from ..markup.names import display_name
from ..markup.templating import render
from . import policy
from .page import PageOptions, file_headers, in_pieces, layout, safe_in_comment
from .registry import ShownDocument
from .sealed import Seal, sealed_several

DOCUMENTS_PLACEHOLDER = "\0documents\0"
OpenDocument = Callable[[], ShownDocument]


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as the contents name it. It is opened when its turn comes."""

    name: str
    badge: str
    facts: str
    content_type: str
    size: int
    sha256: str
    open: OpenDocument

    def description(self) -> dict[str, str | int]:
        return {
            "name": self.name,
            "contentType": self.content_type,
            "size": self.size,
            "sha256": self.sha256,
        }


@dataclass(frozen=True, slots=True)
class Contents:
    title: str
    note: str | None
    documents: Sequence[Listed]


def download_several(
    contents: Contents, seal: Seal | None
) -> tuple[dict[str, str], Iterator[bytes]]:
    """Return the headers and the body of the file, encrypted if there is a seal."""
    rules = policy.for_several(sealed=seal is not None)
    title = display_name(contents.title, "Documents")
    page = render(
        "contents.html",
        contents=contents,
        title=title,
        comment_title=safe_in_comment(title),
        descriptions=[one.description() for one in contents.documents],
        policy=rules,
        sealed=seal is not None,
    )
    start, _, end = page.partition(DOCUMENTS_PLACEHOLDER)
    documents = [one.open for one in contents.documents]
    if seal:
        body = sealed_several((start + end).encode(), documents, rules, seal)
    else:
        body = _plain(start.encode(), documents, end.encode())
    return file_headers(title, rules), body


def _plain(start: bytes, documents: Iterable[OpenDocument], end: bytes) -> Iterator[bytes]:
    """Yield the file; each document is made before the text above it is sent."""
    for number, open_document in enumerate(documents, 1):
        document = open_document()
        page = layout(document, document.preview().for_file(), PageOptions(offline=True))
        yield start + b'<script type="text/plain" id="document-%d">\n' % number
        for part in (in_pieces(page.head), document.pieces(), [page.tail]):
            yield from base64_pieces(part)
            yield b"\n"
        start = b"</script>\n"
    yield start + end

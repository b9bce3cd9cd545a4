"""Documents as a ZIP file: their originals, by names that any system takes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from unicodedata import normalize

from flask import Response, request

import viewer
from models import Collection, Document, connected
from models.core import NotFound, now
from models.documents import with_binned

from ..http.zip_stream import SUMS, ZipEntry, ZipStream

ZIP = "application/zip"


def send(entries: Sequence[ZipEntry], title: str) -> Response:
    """A response with a known length. What is damaged in the first entry is an error; later it
    breaks the transfer off. For HEAD nothing is read.
    """
    archive = ZipStream(entries, now())
    pieces = iter(()) if request.method == "HEAD" else iter(archive)
    disposition = viewer.content_disposition(f"{title}.zip")
    headers = {"Content-Length": str(archive.size), "Content-Disposition": disposition}
    body = chain([next(pieces, b"")], pieces)
    return Response(body, 200, headers, content_type=ZIP, direct_passthrough=True)


def send_collection(
    collection: Collection, record: Callable[[str], None] | None = None
) -> Response:
    """Its documents as they are now, in order. `record` records or counts it by a type of events,
    once the first of them was decrypted.
    """
    response = send(entries_of(collection.documents), collection.title)
    if request.method == "GET":
        (record or collection.record_read)("collection.downloaded")
    return response


def entries_of(documents: Iterable[Document], folder: str = "") -> list[ZipEntry]:
    """An entry for each document, in this order; `folder` ends with a slash."""
    name = names()
    return [
        ZipEntry(
            *(folder + name(one.name), one.size, _reader(one.owner_id, one.id), one.created_at),
            one.sha256,
        )
        for one in documents
    ]


def names() -> Callable[[str], str]:
    """A function that makes a name safe, and different from those that it has returned before:
    also where case and the composition of letters do not count. `a.pdf` twice is `a (2).pdf`.
    """
    taken = {_folded(SUMS)}
    next_numbers: dict[str, int] = {}  # by folded name: all lower ones are taken for good

    def unique(name: str) -> str:
        safe = viewer.safe_file_name(name)
        folded = _folded(safe)
        if folded not in taken:
            taken.add(folded)
            return safe
        stem, dot, extension = safe.rpartition(".") if "." in safe else (safe, "", "")
        for number in count(next_numbers.get(folded, 2)):
            numbered = f"{stem} ({number}){dot}{extension}"
            if _folded(numbered) not in taken:
                break
        next_numbers[folded] = number + 1
        taken.add(_folded(numbered))
        return numbered

    return unique


def _folded(name: str) -> str:
    return normalize("NFC", normalize("NFKD", name).casefold())


def _reader(owner_id: str, id: str) -> Callable[[], Iterator[bytes]]:
    """Finds the document again, so that a long list of them holds no keys."""

    def read() -> Iterator[bytes]:
        with connected():
            found = with_binned(owner_id, [id])
        if not found:
            raise NotFound
        return found[0].read()

    return read

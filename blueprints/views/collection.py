"""The contents page of a collection, and its documents as one HTML file or as one ZIP file."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Any
from unicodedata import normalize

from flask import Response, request

import viewer
from models import Collection, Document, connected
from models.accounts import sender_of
from models.core import NotFound, now
from models.documents import READ_TWICE_BYTES, Client, with_binned
from models.links import TokenGrant

from ..http.zip_stream import SUMS, ZipEntry, ZipStream
from .lasting import while_it_lasts
from .links import TooLargeForOneFile, fits_one_file, visible
from .prompt import credential_of, end_of, kind_of, receipt_url, row_of
from .small_pages import LOCAL_TIMES, moment, small_page

ZIP = "application/zip"
NAMES_BYTES = 48_000  # the most for all names on a contents page, which has 192 KiB at most


def contents_page(collection: Collection, grant: TokenGrant) -> Response:
    """Return the contents page, and count one view of the whole collection; by ticket no view."""
    credential = credential_of(grant)
    end = end_of(grant, collection)
    scripts = LOCAL_TIMES if end else ()
    shown: dict[str, Any] = {
        "collection": collection,
        "sender": sender_of(grant.link_owner_id),
        "end": moment(end, shows="distance"),
        "credential": credential,
        "query": credential + ("&embed=1" if request.args.get("embed") == "1" else ""),
        "fits": fits_one_file(collection),
        "receipt": receipt_url(grant),
    }
    if "download" in grant.permissions:
        shown["size"] = viewer.format_size(collection.size)
    documents = collection.documents
    rows = [_row_of_contents(one, NAMES_BYTES // len(documents)) for one in documents]
    page = small_page("cover.html", 200, grant.origins, *scripts, documents=rows, **shown)
    if request.method != "HEAD":
        grant.record_reading(collection, "collection.viewed")
    return page


def _row_of_contents(document: Document, name_bytes: int) -> dict[str, Any]:
    """Return the row of a document, with so many bytes of its name at most."""
    row = row_of(document)
    return {
        **row,
        "name": name_within(row["name"], name_bytes),
        "kind": kind_of(document),
        "path": f"v1/documents/{document.id}/view",  # from `/s`, below whatever prefix
    }


def send_one_file(
    collection: Collection, grant: TokenGrant, password: str | None = None
) -> Response:
    """Return one HTML file with the documents as they are now, in order, each made in its turn.

    Damage in the first document is an error; later damage breaks the transfer off. For HEAD nothing
    is read. Raise `TooLargeForOneFile`.
    """
    if not fits_one_file(collection):
        raise TooLargeForOneFile(collection)
    seal = password and Document.password_seal(password)
    headers, body = viewer.download_several(_contents(collection, grant), seal or None)
    if request.method == "HEAD":
        return Response(headers=headers)
    pieces = chain([next(body)], while_it_lasts(body, grant))  # make the first document now
    grant.record_reading(collection, "collection.downloaded")
    return Response(pieces, headers=headers, direct_passthrough=True)


def _contents(collection: Collection, grant: TokenGrant) -> viewer.Contents:
    listed = [
        viewer.Listed(
            **row_of(one),
            content_type=one.content_type,
            size=one.size,
            sha256=one.sha256,
            open=_opener(one.owner_id, one.id, grant),
        )
        for one in collection.documents
    ]
    return viewer.Contents(collection.title, collection.note, listed)


def _opener(owner_id: str, id: str, grant: TokenGrant) -> Callable[[], viewer.ShownDocument]:
    """Return a function that finds the document again, so that a long list holds no keys."""

    def open_document() -> viewer.ShownDocument:
        with connected():
            document = Document.one_of(owner_id, id)
        return grant.shown(document, Client.SAVES)

    return open_document


def name_within(name: str, most_bytes: int) -> str:
    """Return as much of a name's beginning and end as takes at most so many bytes of HTML."""

    def has_room(text: str) -> bool:
        return len(visible(text).encode()) <= most_bytes

    def cut(half: int) -> str:
        return f"{name[:half]}…{name[len(name) - half :]}"

    if has_room(name):
        return name
    halves = range(len(name) // 2 + 1)
    first_too_long = bisect_left(halves, True, key=lambda half: not has_room(cut(half)))
    return cut(max(0, first_too_long - 1))


def send_zip(entries: Sequence[ZipEntry], title: str, grant: TokenGrant) -> Response:
    """Return a response with a known length.

    Damage in the first entry is an error; later damage breaks the transfer off. For HEAD nothing is
    read.
    """
    archive = ZipStream(entries, now())
    pieces = iter(()) if request.method == "HEAD" else iter(archive)
    response = send_growing_zip(pieces, title, grant)
    response.headers["Content-Length"] = str(archive.size)
    return response


def send_growing_zip(pieces: Iterator[bytes], title: str, grant: TokenGrant) -> Response:
    """Return a response of unknown length. An error before the first piece is the answer."""
    body = chain([next(pieces, b"")], while_it_lasts(pieces, grant))
    headers = {"Content-Disposition": viewer.content_disposition(f"{title}.zip")}
    return Response(body, 200, headers, content_type=ZIP, direct_passthrough=True)


def send_originals(
    collection: Collection, grant: TokenGrant, record_download: Callable[[str], None] | None = None
) -> Response:
    """Return a ZIP file of the collection's documents as they are now, in order.

    `record_download` records or counts the download by a type of events, once the first document
    was decrypted.
    """
    response = send_zip(entries_of(collection.documents), collection.title, grant)
    if request.method != "HEAD":
        (record_download or collection.record_reading)("collection.downloaded")
    return response


def entries_of(documents: Iterable[Document]) -> list[ZipEntry]:
    """Return an entry for each document, in this order."""
    path = paths()
    return [entry_of(one, path(one)) for one in documents]


def entry_of(document: Document, name: str, if_gone: type[Exception] = NotFound) -> ZipEntry:
    """Return the entry of a document. It raises `if_gone` when the document was deleted before."""
    read = _reader(document.owner_id, document.id, if_gone)
    crc32 = document.crc32 if document.size > READ_TWICE_BYTES else None
    return ZipEntry(name, document.size, read, document.created_at, document.sha256, crc32)


def paths() -> Callable[[Document], str]:
    """Return a function that returns the path of a document's file in a ZIP file.

    The path is safe, and different from all that the function has returned.
    """
    unique = unique_paths()
    return lambda document: unique(document.name, document.folder)


def unique_paths() -> Callable[[str, str], str]:
    """Return a function that makes the name of a file safe, and its path different from all that it
    has returned.

    Paths that differ only in case or in the composition of letters count as equal. A second `a.pdf`
    of a folder becomes `a (2).pdf`, and so does a file that has the path of a folder, or a folder
    that has the path of a file. Paths are told apart by their hashes, so that a long list holds no
    names: rarely a name gets a number that it would not need.
    """
    files = {_folded(SUMS)}
    folders: set[int] = set()
    file_numbers: dict[int, int] = {}  # by folded path: all lower numbers are taken
    folder_numbers: dict[int, int] = {}  # by folded path: the one of the folder

    def unique(name: str, folder: str) -> str:
        inside = ""
        for step in filter(None, folder.split("/")):
            path = _free_path(inside + step, (files,), folder_numbers)
            folders.add(_folded(path))
            inside = f"{path}/"
        path = _free_path(inside + viewer.safe_file_name(name), (files, folders), file_numbers)
        files.add(_folded(path))
        return path

    return unique


def _free_path(path: str, taken: Iterable[set[int]], numbers: dict[int, int]) -> str:
    """Return the path, with a number if it is `taken`; `numbers` are those to begin with."""
    folded = _folded(path)
    if not any(folded in paths for paths in taken):
        return path
    before, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".") if "." in name else (name, "", "")
    for number in count(numbers.get(folded, 2)):
        numbered = f"{before}{slash}{stem} ({number}){dot}{extension}"
        folded_numbered = _folded(numbered)
        if not any(folded_numbered in paths for paths in taken):
            break
    numbers[folded] = number
    return numbered


def _folded(name: str) -> int:
    """Return the hash of a name, the same for names that count as equal."""
    return hash(normalize("NFC", normalize("NFKD", name).casefold()))


def _reader(owner_id: str, id: str, if_gone: type[Exception]) -> Callable[[], Iterator[bytes]]:
    """Return a function that finds and reads the document, so that a long list holds no keys."""

    def read() -> Iterator[bytes]:
        with connected():
            found = with_binned(owner_id, [id])
        if not found:
            raise if_gone
        return found[0].read()

    return read

"""All that an account holds, as one ZIP file that is made while it is sent.

Rows are read by pages, each over a connection of its own. Of a document only the id and the name of
its file are kept, compressed, until its record is sent: so the records name the very files that are
there. A document that is deleted before its turn is left out.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from models import ApiKey, Collection, Document, Session, User, Webhook, connected, current_runtime
from models.accounts import Identity
from models.core import Busy, now
from models.documents import page_with_binned, with_binned
from models.links import KeptText, Opening, links_of_owner
from models.records import ResultPage

from ..http.zip_stream import CompressedBytes, EntryGoneError, GrowingEntry, ZipEntry, pieces_of_zip
from ..schemas.responses import ApiKeyRecord, IdentityRecord, Profile, SessionRecord, WebhookRecord
from ..schemas.saved import SavedCollection, SavedDocument, SavedLink, SavedOpening, SavedText
from ..views.collection import entry_of, paths

ROWS = 100  # read at once
NOT_SAVED = {  # the tables that an export of the operator carries, and the ZIP file does not
    "former_target": "the log tells what a link has opened",
    "recipient": "the openings name who has opened a link",
    "member": "the members of a space are on its page",
}


class OtherExport(Busy):
    sentence = (
        "Another export is being sent: one at a time for each person, and two in all. Try again "
        "when it has ended."
    )
    retry_after_seconds = 30


class SavedAccount:
    """The file of an account, as the session `session_id` of it sees the list of sessions."""

    def __init__(self, user: User, session_id: str) -> None:
        self._user = user
        self._session_id = session_id
        self._files = CompressedBytes()  # a line for each document: its id, and the name of a file

    def pieces(self) -> Iterator[bytes]:
        """Yield the file in pieces, with a slot from the first one on. Raises `OtherExport`."""
        with current_runtime().export_slots.held(seconds=0, refusal=OtherExport):
            yield from pieces_of_zip(self._entries(), now())

    def _entries(self) -> Iterator[ZipEntry | GrowingEntry]:
        yield self._account()
        yield from self._originals()
        yield _list("documents", self._documents())
        yield from self._lists()
        yield GrowingEntry("log.jsonl", self._log, now())

    def _account(self) -> ZipEntry:
        with connected():
            identities = Identity.of_owner(self._user.id)
            profile = Profile().dump(self._user)
        sessions = _pages(
            SessionRecord(),
            lambda *page: Session.page_beside(self._session_id, self._user.id, *page),
        )
        lists = {
            "sessions": [record for page in sessions for record in page],
            "identities": [IdentityRecord().dump(one) for one in identities],
        }
        text = _dumped(profile | lists) + "\n"
        return ZipEntry.of_bytes("account.json", text.encode(errors="replace"), now())

    def _originals(self) -> Iterator[ZipEntry]:
        """Yield the documents that open, and note each document for its record."""
        path, path_in_bin = paths(), paths()
        for page in _pages_of_rows(partial(page_with_binned, self._user.id)):
            for document in page:
                if not document.sha256:
                    file = ""
                elif document.binned_at is None:
                    file = "documents/" + path(document)
                else:
                    file = "bin/" + path_in_bin(document)
                if file:
                    yield entry_of(document, file, EntryGoneError)
                self._files.add(f"{document.id} {file}\n".encode())

    def _documents(self) -> Iterator[list[Any]]:
        """Yield the records of the noted documents that are still there, by pages.

        A document that does not open has a record without a file.
        """
        lines = _lines(self._files.pieces())
        while noted := dict(line.split(" ", 1) for line in islice(lines, ROWS)):
            with connected():
                found = sorted(with_binned(self._user.id, noted), key=lambda one: one.id)
                records = [_described(one, noted[one.id]) for one in found]
            yield records

    def _lists(self) -> Iterator[GrowingEntry]:
        """Yield an entry for each list of other records."""
        user = self._user
        for name, schema, page in (
            ("collections", SavedCollection(), Collection.listed),
            ("links", SavedLink(), links_of_owner),
            ("openings", SavedOpening(), Opening.page),
            ("agreements", SavedText(), KeptText.page),
            ("webhooks", WebhookRecord(), Webhook.page),
        ):
            yield _list(name, _pages(schema, partial(page, user.id)))
        yield _list("keys", _pages(ApiKeyRecord(), partial(ApiKey.page_of_user, user)))

    def _log(self) -> Iterator[bytes]:
        from operations import ExportedLog  # noqa: PLC0415  a service seldom does what an operator does

        with connected():
            log = ExportedLog.of(self._user.id)
        return log.pieces()


def _described(document: Document, file: str) -> dict[str, Any]:
    return SavedDocument().dump(document) | {"file": file or None}


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines, each of which ends with a newline, without it."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.decode() for line in lines)


def _pages_of_rows(page: Callable[[int, str | None], ResultPage[Any]]) -> Iterator[list[Any]]:
    """Yield all pages of a list: `page` reads one, by its length and the id before it."""
    after: str | None = None
    while True:
        with connected():
            rows, after = page(ROWS, after)
        yield rows
        if after is None:
            return


def _pages(schema: Any, page: Callable[[int, str | None], ResultPage[Any]]) -> Iterator[list[Any]]:
    """Yield the records of all pages of a list."""

    def described(*asked: Any) -> ResultPage[Any]:
        rows, after = page(*asked)
        return [schema.dump(row) for row in rows], after

    return _pages_of_rows(described)


def _list(name: str, pages: Iterable[list[Any]]) -> GrowingEntry:
    """Return the entry of a list of records in JSON, of which a page is in memory at a time."""

    def read() -> Iterator[bytes]:
        before = "["
        for page in pages:
            for record in page:
                yield f"{before}\n{_dumped(record)}".encode(errors="replace")
                before = ","
        yield b"[]\n" if before == "[" else b"\n]\n"

    return GrowingEntry(f"{name}.json", read, now())


def _dumped(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1)

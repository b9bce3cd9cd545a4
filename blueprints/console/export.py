"""All that an account holds, as one ZIP file.

The originals lie in `documents/`, those in the bin in `bin/`. The records are JSON, as the API
shows them, without secrets; the log is what `flask audit export` prints, which
`deploy/verify_log.py` verifies.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flask import Response, g

from models import ApiKey, Collection, Document, Session, User, Webhook
from models.core import now, rfc3339
from models.documents import all_with_binned
from models.links import links_of_owner
from models.operations import ExportedLog
from models.records import ResultPage

from ..http.zip_stream import ZipEntry
from ..schemas.collections import CollectionRecord
from ..schemas.links import DocumentTokenRecord
from ..schemas.responses import (
    ApiKeyRecord,
    DocumentRecord,
    Profile,
    SessionRecord,
    WebhookRecord,
)
from ..views import archive

ROWS = 100  # read at once


def everything() -> Response:
    """Of the caller. That it was taken is an event, which is in it."""
    user: User = g.caller.user
    documents = [one.show_bare_if_damaged() for one in all_with_binned(user.id)]
    user.record_export(len(documents))
    whole = [one for one in documents if one.sha256]
    files = archive.entries_of((one for one in whole if one.binned_at is None), "documents/")
    files += archive.entries_of((one for one in whole if one.binned_at), "bin/")
    log = ExportedLog.of(user.id)
    entries = [
        *_records(user, documents, files),
        *files,
        ZipEntry("log.jsonl", log.size, log.pieces, now()),
    ]
    return archive.send(entries, f"{user.email} {rfc3339(now())[:10]}")


def _records(user: User, documents: list[Document], files: list[ZipEntry]) -> Iterator[ZipEntry]:
    """A document that does not open has a record without a file."""
    names = iter(files)
    described = [
        DocumentRecord().dump(one) | {"file": next(names).name if one.sha256 else None}
        for one in documents
    ]
    sessions = _all(lambda after: Session.page_beside(g.caller.id, user.id, ROWS, after))
    account = Profile().dump(user) | {"sessions": _dumped(SessionRecord(), sessions)}
    links = _all(lambda after: links_of_owner(user.id, ROWS, after))
    keys = _all(lambda after: ApiKey.page_of_user(user, ROWS, after))
    webhooks = _all(lambda after: Webhook.page_of(user.id, ROWS, after))
    yield _json("account", account)
    yield _json("documents", described)
    collections = _all(lambda after: Collection.listed(user.id, ROWS, after))
    listed = [
        CollectionRecord().dump(one) | {"documentIds": one.document_ids} for one in collections
    ]
    yield _json("collections", listed)
    yield _json("links", _dumped(DocumentTokenRecord(), links))
    yield _json("keys", _dumped(ApiKeyRecord(), keys))
    yield _json("webhooks", _dumped(WebhookRecord(), webhooks))


def _all(page_after: Callable[[str | None], ResultPage]) -> Iterator[Any]:
    after: str | None = None
    while True:
        rows, after = page_after(after)
        yield from rows
        if after is None:
            return


def _dumped(schema: Any, rows: Iterable[Any]) -> list[Any]:
    return [schema.dump(row) for row in rows]


def _json(name: str, content: Any) -> ZipEntry:
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    return ZipEntry.of_bytes(f"{name}.json", text.encode(errors="replace"), now())

"""The conversion of a database of version 0.2.0: every row is sealed anew, once, at the start.

It is one transaction, so that a process which is killed leaves the former database, and the next
start converts it. Before, a copy of an SQLite file is kept beside it; a server has its own tools.
Version 0.2.0 verified some rows by a MAC: a row whose MAC is wrong, or which does not open, is left
unsealed, so that it never opens, and `flask doctor` names it.
"""

import json
import os
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from peewee import Table as TableReference
from peewee import Tuple

from crypto import DecryptionError, Keyring, is_authentic, sealing

from .accounts import ApiKey, Invitation, Session, StoredResponse, TokenKey, User
from .core import NotFound, OperatorError, counted
from .documents import Collection, Document
from .events import Event, EventHead, Mail, Webhook, WebhookDelivery
from .links import DocumentToken, FormerTarget, KeptText, Opening, Recipient, table_of
from .records import log_altered
from .runtime import current_runtime
from .sealing_key import ServiceKey
from .storage import database, sqlite_files
from .storage.instance_lock import leave_to_service
from .storage.sqlite_files import FileDamagedError, FileInUseError

BATCH_ROWS = 500
_KEY_PURPOSE = "authority_key/3"
_NO_KEY = "The key of this database of version 0.2.0 was altered or deleted. Restore a backup."
_NOT_COPIED = "{} cannot be copied beside itself ({}), so it was not converted. Free disk space."
Values = dict[str, Any]


def keep_backup(file: Path, report: Callable[[int, int], None]) -> Path:
    """Copy a database file of version 0.2.0 beside it, unless there is this copy; return its path.

    A start that was killed leaves it. Raises OperatorError if there is a copy of another state, and
    if copying fails, as on a full disk.
    """
    backup = file.with_name(f"{file.name}.of-0.2.0")
    if backup.exists():
        _require_same(file, backup)
    else:
        part = file.with_name(f"{backup.name}.part")
        part.unlink(missing_ok=True)
        try:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            leave_to_service(part)
            sqlite_files.copy(file, part, report)
            _sync(part)
            part.rename(backup)
            _sync(file.parent)
        except (FileInUseError, FileDamagedError, OSError) as error:
            part.unlink(missing_ok=True)
            raise OperatorError(_NOT_COPIED.format(file, error)) from error
    return backup


def _require_same(file: Path, backup: Path) -> None:
    try:
        is_same = sqlite_files.have_same_rows(file, backup)
    except (FileInUseError, FileDamagedError):
        is_same = False
    if not is_same:
        raise OperatorError(
            f"{backup} is a copy of this database in another state: it was made for an earlier "
            "start, and version 0.2.0 has gone on since. Nothing was converted. Move that copy "
            "away, then start again: a new one is made."
        )


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def seal_all(keyring: Keyring, report: Callable[[int, int], None]) -> int:
    """Seal every row, in the transaction of the conversion; return how many do not open.

    Raises OperatorError, `RootKeyMissing`. Progress counts rows.
    """
    runtime = current_runtime()
    runtime.keyring = keyring
    runtime.service_key = _convert_service_key()
    _move_texts()
    total = sum(former.table.select().count() for former in _TABLES)
    done = 0
    unsealed = 0
    _target_key.cache_clear()
    for former in _TABLES:
        for batch in _batches(former):
            unsealed += sum(not _seal(former, *row) for row in batch)
            done += len(batch)
            report(done, total)
    _target_key.cache_clear()
    return unsealed


def _convert_service_key() -> bytes:
    """Store the key of the former MACs as that of the service; return it."""
    found = _rows_of("authority_key", "id", "created_at", "root", "sealed_key")
    if len(found) != 1:
        raise OperatorError(_NO_KEY)
    id, created_at, root, sealed_key = found[0]
    context = sealing.context("key/1", id, _KEY_PURPOSE)
    row = ServiceKey(id=id, created_at=created_at)  # a store of objects knows the database by it
    try:
        row.key = sealing.unseal(current_runtime().keyring[root].wrap_key, context, sealed_key)
    except (TypeError, ValueError, DecryptionError):
        raise OperatorError(_NO_KEY) from None
    row.wrap_key()
    row.store()
    key: bytes = row.key
    return key


def _move_texts() -> None:
    """Give each accepted text an id, in the table that has one."""
    rows = _rows_of("agreement", "document_id", "sha256", "owner_id")
    for target_id, sha256, owner_id in rows:
        KeptText.fresh(owner_id=owner_id, target_id=target_id, sha256=sha256)._insert_columns()


def _rows_of(name: str, *columns: str) -> list[tuple[Any, ...]]:
    table = TableReference(name)
    query = table.select(*(getattr(table.c, column) for column in columns))
    rows: list[tuple[Any, ...]] = database.execute(query).fetchall()
    return rows


class _Former(NamedTuple):
    """A table of version 0.2.0: its former columns, and the values of a row by these.

    `signed` are the columns of its MAC, which is in the column `mac`, and `signed_if_set` those
    that joined it only if they were not NULL.
    """

    table: Any
    columns: tuple[str, ...]
    values: Callable[[Any, Values], Values]
    mac: str = ""
    signed: tuple[str, ...] = ()
    signed_if_set: tuple[str, ...] = ()


def _batches(former: _Former) -> Any:
    """Yield lists of rows with their former columns."""
    table = former.table
    name = table._meta.table_name
    own = [field.column_name for field in table._meta.sorted_fields]
    names = [*former.columns, *([former.mac] if former.mac else [])]
    stored = TableReference(name)
    key = [getattr(stored.c, column) for column in table.KEY]
    selected = [getattr(stored.c, column) for column in (*own, *names)]
    query = stored.select(*selected).order_by(*key).limit(BATCH_ROWS)
    last = [""] * len(key)
    while True:
        found = database.execute(query.where(Tuple(*key) > Tuple(*last))).fetchall()
        if not found:
            return
        rows = [table.of_columns(one[: len(own)]) for one in found]
        table.find_keys(rows)
        old = [dict(zip(names, one[len(own) :], strict=True)) for one in found]
        yield list(zip(rows, old, strict=True))
        last = [getattr(rows[-1], column) for column in table.KEY]


def _seal(former: _Former, row: Any, old: Values) -> bool:
    """Seal a row; return False if it was altered."""
    try:
        _require_mac(former, row, old)
        row.values = former.values(row, old)
        row.seal_in_place()
    except (DecryptionError, NotFound, TypeError, ValueError, KeyError):
        log_altered(row.id)
        return False
    return True


def _require_mac(former: _Former, row: Any, old: Values) -> None:
    """Raise `DecryptionError` if a column of the MAC was altered."""
    if not former.signed:
        return
    columns = {field.column_name: getattr(row, field.name) for field in row._meta.sorted_fields}
    columns |= old
    signed = tuple(columns[name] for name in former.signed)
    for name in former.signed_if_set:
        if columns[name] is not None:
            signed += name, columns[name]
    _require_authentic(row._meta.table_name, signed, old[former.mac])


def _require_authentic(purpose: str, values: tuple[Any, ...], given: Any) -> None:
    if not is_authentic(current_runtime().service_key, purpose, values, given):
        raise DecryptionError


def _unsealed(key: bytes, purpose: str, of: str, sealed: bytes) -> Any:
    text = sealing.unseal(key, sealing.context(purpose, of), sealed)
    return json.loads(text.decode("utf-8", "surrogatepass"))


@lru_cache(BATCH_ROWS)
def _target_key(id: str) -> bytes | None:
    """Return the key of the target of a link; None if the target is gone."""
    target = table_of(id).as_stored(id)
    return None if target is None else target.key


def _nothing(row: Any, old: Values) -> Values:  # noqa: ARG001
    return {}


def _of_user(row: Any, old: Values) -> Values:
    profile = _unsealed(row.key, "name/1", row.id, old["sealed_name"])
    if not isinstance(profile, dict):
        profile = {"name": profile, "shows_name": True}
    digest = _unsealed(row.key, "password/1", row.id, old["sealed_password"])
    return {**profile, "password_digest": digest}


def _of_session(row: Any, old: Values) -> Values:
    sealed = old["sealed_client"]
    if sealed is None:
        return {}
    return {"client": _unsealed(row.owner_key, "client/1", row.id, sealed)}


def _of_api_key(row: Any, old: Values) -> Values:
    return {"name": _unsealed(row.owner_key, "name/1", row.id, old["sealed_name"])}


def _of_document(row: Any, old: Values) -> Values:
    meta = _unsealed(row.key, "meta/1", row.id, old["sealed_meta"])
    return {
        "given_name": meta["name"],
        "given_metadata": meta["metadata"],
        "sha256": meta["sha256"],
    }


def _of_collection(row: Any, old: Values) -> Values:
    meta = _unsealed(row.key, "meta/1", row.id, old["sealed_meta"])
    return {
        "title": meta["title"],
        "note": meta["note"],
        "max_bytes": meta["max_bytes"],
        "documents_listed": meta["documents"],
    }


def _of_answer(row: Any, old: Values) -> Values:
    content: Values = _unsealed(row.key, "answer/1", row.id, old["sealed_answer"])
    return content


def _of_mail(row: Any, old: Values) -> Values:
    return {"content": _unsealed(row.key, "mail/1", row.id, old["sealed_message"])}


def _of_webhook(row: Any, old: Values) -> Values:
    terms: Values = _unsealed(row.owner_key, "webhook/1", row.id, old["sealed_terms"])
    return terms


def _of_delivery(row: Any, old: Values) -> Values:
    values: Values = {}
    webhook = Webhook.as_stored(row.webhook_id)
    if webhook is None or webhook.owner_id != row.owner_id:
        raise DecryptionError
    event = Event.find(row.owner_id, row.event_id)
    if event is not None:
        signed = (
            row.id,
            row.owner_id,
            row.webhook_id,
            event.id,
            event.type,
            event.created_at,
            event.sequence,
            event.hash,
            event.body,
        )
        _require_authentic("delivery", signed, old["event_mac"])
        values = row.values_of(event)
    if old["sealed_result"]:
        result = _unsealed(row.owner_key, "delivery/1", row.id, old["sealed_result"])
        values["answer"] = result["answer"]
        values["error"] = result["error"]
        values["attempts_kept"] = result.get("history", [])
    return values


def _of_link(row: Any, old: Values) -> Values:
    key = _target_key(row.target_id)
    has_password = old["sealed_password"] is not None
    if key is None:  # what its target's key has sealed cannot be read any more
        return {"password_digest": "" if has_password else None}

    def opened(purpose: str, column: str) -> Any:
        sealed = old[column]
        return None if sealed is None else _unsealed(key, purpose, row.id, sealed)

    return {
        "label": opened("label/1", "sealed_label"),
        "kept_secret": opened("secret/1", "sealed_secret"),
        "password_digest": opened("password/1", "sealed_password"),
        "questions": opened("gate/1", "sealed_gate"),
        "answers_id": row.id,
    }


def _of_recipient(row: Any, old: Values) -> Values:
    key = _require_key(row)
    return {"address": _unsealed(key, "recipient/1", row.id, old["sealed_address"])}


def _of_opening(row: Any, old: Values) -> Values:
    facts = _unsealed(_require_key(row), "opening/1", row.id, old["sealed_facts"])
    return {
        "address": facts["address"],
        "name": facts["name"],
        "salt": facts["salt"],
        "agreement_sha256": facts["agreement"],
    }


def _of_text(row: Any, old: Values) -> Values:  # noqa: ARG001
    texts = TableReference("agreement")
    is_it = (texts.c.document_id == row.target_id) & (texts.c.sha256 == row.sha256)
    (found,) = database.execute(texts.select(texts.c.sealed_text).where(is_it)).fetchall()
    text = _unsealed(_require_key(row), "agreement/1", row.target_id + row.sha256, found[0])
    return {"text": text}


def _require_key(row: Any) -> bytes:
    key = _target_key(row.target_id)
    if key is None:
        raise DecryptionError
    return key


_TABLES = (
    _Former(
        User,
        ("sealed_name", "sealed_password"),
        _of_user,
        "authority_mac",
        ("id", "email", "email_folded", "sealed_password", "disabled_at", "login_generation"),
    ),
    _Former(
        Document,
        ("sealed_meta",),
        _of_document,
        "authority_mac",
        ("id", "owner_id", "content_type", "size", "place", "expires_at"),
        ("binned_at",),
    ),
    _Former(Collection, ("sealed_meta",), _of_collection),
    _Former(StoredResponse, ("sealed_answer",), _of_answer),
    _Former(Mail, ("sealed_message",), _of_mail),
    _Former(TokenKey, (), _nothing),
    _Former(
        Session,
        ("sealed_client",),
        _of_session,
        "authority_mac",
        ("id", "owner_id", "expires_at", "login_generation"),
    ),
    _Former(
        ApiKey,
        ("sealed_name",),
        _of_api_key,
        "authority_mac",
        ("id", "owner_id", "digest", "scopes", "expires_at", "revoked_at"),
    ),
    _Former(
        Invitation,
        (),
        _nothing,
        "authority_mac",
        ("id", "email_folded", "digest", "expires_at"),
    ),
    _Former(
        DocumentToken,
        ("sealed_label", "sealed_password", "sealed_gate", "sealed_secret"),
        _of_link,
        "authority_mac",
        (
            "id",
            "owner_id",
            "document_id",
            "digest",
            "permissions",
            "allowed_origins",
            "sealed_password",
            "expires_at",
            "max_views",
            "views",
            "revoked_at",
            "spent_at",
        ),
        ("sealed_gate",),
    ),
    _Former(FormerTarget, (), _nothing),
    _Former(
        Recipient,
        ("sealed_address",),
        _of_recipient,
        "authority_mac",
        (
            "id",
            "owner_id",
            "document_id",
            "token_id",
            "digest",
            "sealed_address",
            "code_digest",
            "code_until",
            "code_failures",
        ),
    ),
    _Former(
        Opening,
        ("sealed_facts",),
        _of_opening,
        "authority_mac",
        (
            "id",
            "created_at",
            "owner_id",
            "document_id",
            "token_id",
            "recipient_id",
            "sequence",
        ),
    ),
    _Former(KeptText, (), _of_text),
    _Former(Webhook, ("sealed_terms",), _of_webhook),
    _Former(WebhookDelivery, ("sealed_result", "event_mac"), _of_delivery),
    _Former(
        EventHead,
        (),
        _nothing,
        "mac",
        ("id", "sequence", "hash", "last_id", "oldest", "hash_before"),
    ),
)


class Told:
    """Tells an operator of progress by `tell`, at most every few seconds."""

    def __init__(self, tell: Callable[[str], None], seconds: float = 5) -> None:
        self._tell = tell
        self._seconds = seconds
        self._at = time.monotonic()

    def rows(self, done: int, total: int) -> None:
        if time.monotonic() - self._at >= self._seconds:
            self._at = time.monotonic()
            self._tell(f"{done:,} of {counted(total, 'row')} sealed.")

"""The copy of an SQLite database into an empty one on a PostgreSQL server, in one transaction.

Rows are copied as they are: under the same keyring, ids, ciphertexts and the chains of events
stay valid. Payloads in files become rows, as they are sealed. Objects of an object store stay where
they are. The file gets no other changes than by a
start of the service; a mark beside it prevents the next start.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from peewee import SQL, Select, Table, fn

from crypto import DecryptionError
from models import setup
from models.core import OperatorError, counted
from models.documents import Document, UnreferencedPayload, delete_unfinished_uploads
from models.runtime import current_runtime
from models.storage import connected, database, is_server, sqlite_files, transaction
from models.storage.instance_lock import (
    acquire_instance_lock,
    leave_to_service,
    release_instance_lock,
)
from models.storage.payloads import FILES, ROWS, files
from models.storage.payloads import rows as payload_rows
from models.storage.sqlite_files import FileDamagedError, FileInUseError
from settings import without_password

from .audit import AuditResult, verify_log
from .progress import ReportProgress, no_progress
from .verification import check_contents

Read = Callable[..., Any]  # executes a query in SQL

TABLES = (  # each after the tables that it refers to
    "user_account",
    "session",
    "identity",
    "used_sign_in",
    "member",
    "api_key",
    "invitation",
    "document",
    "piece",
    "document_token",
    "preview",
    "answer",
    "webhook",
    "delivery",
    "event",
    "event_head",
    "token_key",
    "service_key",
    "unreferenced_object",
    "collection",
    "collection_document",
    "mail",
    "mail_limit",
    "recipient",
    "opening",
    "kept_text",
    "former_target",
    "deleted_target",
)


class CopyResult(NamedTuple):
    target: str  # the address, without its password
    rows: dict[str, int]  # of each table
    log: AuditResult
    problems: list[str]  # a sentence for each row that does not open or was altered


def copy_to_postgres(address: str, report: ReportProgress = no_progress) -> CopyResult:
    """Copy the database of the settings, then decrypt and verify all of the copy.

    Raises OperatorError or KeyringError; if nothing was copied, the target is still empty.
    `report` counts rows, then bytes.
    """
    file = _require_file(address)
    acquire_instance_lock(str(file), 0)
    try:
        _complete(file)
        setup.open_database(address)
        rows = _copy(file, report)
        current_runtime().close_database()
        setup.open_runtime(address)
        with connected():
            result = CopyResult(without_password(address), rows, *_verified(report))
        if not result.problems:
            _mark_copied(file, result.target)
        return result
    finally:
        current_runtime().close_database()
        release_instance_lock()


def _mark_copied(file: Path, target: str) -> None:
    mark = setup.mark_of_copy(str(file))
    mark.touch(mode=0o600)
    mark.write_text(f"{target}\n")
    leave_to_service(mark)


def _require_file(address: str) -> Path:
    """Return the file to be copied."""
    if not is_server(address):
        raise OperatorError("A copy goes to a PostgreSQL server: postgresql://user@host/name.")
    source = current_runtime().settings.database
    if is_server(source):
        raise OperatorError(
            "DATABASE is on a PostgreSQL server already. Copy it with pg_dump -Fc and pg_restore, "
            "or let DATABASE name the SQLite file."
        )
    if not Path(source).exists():
        raise OperatorError(f"There is no database at {source}, so there is nothing to copy.")
    return Path(source)


def _complete(file: Path) -> None:
    """Bring the file to the state that the start of the service would: its tables are the same."""
    setup.open_runtime(str(file))
    with connected():
        setup.check_payload_store()
        delete_unfinished_uploads()
    current_runtime().close_database()


def _copy(file: Path, report: ReportProgress) -> dict[str, int]:
    try:
        with connected(), transaction(), sqlite_files.consistent_reads(file) as read:
            _wait_as_long_as_it_takes()
            _require_empty()
            rows = _load_all(read, report)
            _drop_unfinished_uploads(read)
            _bring_payloads_in_files(file.parent / files.FOLDER)
            return rows
    except (FileInUseError, FileDamagedError) as error:
        raise OperatorError(f"{file} cannot be read ({error}). Nothing was copied.") from None


def _wait_as_long_as_it_takes() -> None:
    for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
        database.execute(Select(columns=[fn.set_config(name, "0", True)]))  # of this transaction


def _require_empty() -> None:
    full = [table for table in TABLES if database.execute(_counting(table)).fetchone() != (0,)]
    if full:
        raise OperatorError(
            f"The target is not empty: there are rows in {', '.join(full)}. Nothing was copied. "
            "Name an empty database, on which no service was started yet."
        )


def _load_all(read: Read, report: ReportProgress) -> dict[str, int]:
    from models.storage import postgres  # noqa: PLC0415  its driver may be missing

    rows = {table: int(read(*_counting(table).sql()).fetchone()[0]) for table in TABLES}
    done = 0
    total = sum(rows.values())
    for table, expected in rows.items():
        postgres.load_rows(table, read)
        (arrived,) = database.execute(_counting(table)).fetchone()
        if arrived != expected:
            rows_there = counted(expected, "row")
            raise OperatorError(
                f"Of {rows_there} of {table}, {arrived:,} arrived. Nothing was copied."
            )
        report(done := done + expected, total)
    return rows


def _drop_unfinished_uploads(read: Read) -> None:
    """Drop what has arrived of the uploads that are not finished, whose rows are not copied."""
    unfinished = read("SELECT id FROM upload WHERE document_id IS NULL").fetchall()
    payload_rows.drop(*(id for (id,) in unfinished))


def _bring_payloads_in_files(folder: Path) -> None:
    """Store the payloads that lie in files as rows of the server, as they are sealed.

    A row that was altered, or whose file is not whole, is left to the verification, which names it.
    """
    for document in Document.in_files():
        with suppress(DecryptionError):
            document.change(place=ROWS)
            last = document.last_piece
            pieces = files.pieces(document.payload_id, document.size, 0, last, folder)
            payload_rows.store(document.payload_id, pieces)
    UnreferencedPayload.delete().where(UnreferencedPayload.place == FILES).execute()


def _counting(table: str) -> Select:
    return Table(table).select(fn.COUNT(SQL("*")))


def _verified(report: ReportProgress) -> tuple[AuditResult, list[str]]:
    log = verify_log()
    altered = [f"The log of {broken}" for broken in log.breaks]
    return log, check_contents(report) + altered

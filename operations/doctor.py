"""Diagnostic checks for operators. Each yields one sentence for each problem, with the remedy.

Nothing is changed but a total of documents that is not as their rows: no migration is run, no
keyring created. A new check is a new function.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from peewee import Select, fn

from models import setup
from models.accounts import Session, User
from models.core import counted, now
from models.documents import Collection, Document, Stored, correct_total, wrong_totals
from models.events import SmtpClient
from models.runtime import current_runtime, operator_message
from models.storage import SERVER_NOW, connected, database, engine, open_database, try_disk
from models.storage.payloads import files as payload_files

from .audit import check_heads, verify_log
from .payloads import unreferenced_files, unreferenced_objects
from .progress import ReportProgress, no_progress
from .verification import (
    check_database_file,
    check_payload_files,
    check_payloads,
    check_rows,
    check_sample,
)

SAMPLE_DOCUMENTS = 50
CLOCK_TOLERANCE_MS = 5 * 60 * 1000
SERVER_CLOCK_TOLERANCE_MS = 2000
SWEEP_OVERDUE_MS = 10 * 60 * 1000


@dataclass(frozen=True)
class DoctorContext:
    """The parts to check. `keyring` is the keyring's file, None if it is not kept in a file."""

    database: Path | None  # None: it is on a server
    keyring: Path | None
    reserve_bytes: int = 0
    deep: bool = False
    report: ReportProgress = no_progress


class Finding(NamedTuple):
    """The result of one check: `problems` is empty if it passed."""

    check: str
    problems: list[str]


Check = Callable[[DoctorContext], Iterator[str]]


def run_checks(context: DoctorContext) -> Iterator[Finding]:
    """Run the checks in order; a check that raises an operator's error is a finding, too."""
    open_database(current_runtime().settings.database)
    before, after = (FILE_CHECKS, ()) if context.database else (SERVER_CHECKS, TABLE_CHECKS)
    for check in (*before, *REQUIRED_CHECKS):
        yield (finding := _run_check(check, context))
        if finding.problems and check in REQUIRED_CHECKS:
            break
    else:
        with connected():
            mail = (_mail,) if current_runtime().settings.smtp_url else ()
            provider = (_provider,) if current_runtime().provider else ()
            last = (*DATA_CHECKS, *mail, *provider)
            yield from (_run_check(check, context) for check in (*after, *last))
    current_runtime().close_database()


def _run_check(check: Check, context: DoctorContext) -> Finding:
    name = check.__name__.strip("_")
    try:
        return Finding(name, list(check(context)))
    except Exception as error:
        if sentence := operator_message(error):
            return Finding(name, [sentence])
        raise


def _files(context: DoctorContext) -> Iterator[str]:
    if context.database:
        folder = context.database.parent
        if not folder.exists():
            yield f"There is no folder {folder}. The service makes it when it starts."
        files = [path for path in folder.glob(f"{context.database.name}*") if path.is_file()]
        yield from _readable_by_others(folder, payload_files.folder(), *files)
    if context.keyring:
        yield from _readable_by_others(context.keyring)


def _readable_by_others(*paths: Path) -> Iterator[str]:
    for path in paths:
        if path.exists() and path.stat().st_mode & 0o077:
            yield f"Others can read {path}. Run: chmod go= {path}"


def _database(context: DoctorContext) -> Iterator[str]:
    if context.database and not context.database.exists():
        yield f"There is no database at {context.database}. The service makes one when it starts."
    else:
        with connected():
            yield from check_database_file(context.deep)


def _schema(_: DoctorContext) -> Iterator[str]:
    setup.refuse_other_version()
    if setup.is_older():
        yield "An older version made this database. Start the service: it migrates it."
    for problem in setup.schema_problems():
        yield f"The {problem}. Drop what is foreign, or restore a backup."


def _tables(_: DoctorContext) -> Iterator[str]:
    for problem in setup.table_problems():
        yield f"The {problem}. Restore a backup into an empty database."


def _keyring(context: DoctorContext) -> Iterator[str]:
    if context.keyring and not context.keyring.exists():
        yield f"There is no keyring at {context.keyring}. Put its copy back."
    else:
        setup.load_keyring()


def _documents(context: DoctorContext) -> Iterator[str]:
    deep = context.deep
    for problem in check_payloads(context.report) if deep else check_sample(SAMPLE_DOCUMENTS):
        yield f"{problem} Restore a backup, or delete it."


def _totals(_: DoctorContext) -> Iterator[str]:
    for id, recorded, found in wrong_totals():
        correct_total(id)
        yield (
            f"The total of {id} was {_words_for(recorded)}; the documents are "
            f"{_words_for(found)}. It is corrected. Find out who changed it: the service does not."
        )


def _words_for(stored: Stored) -> str:
    documents = counted(stored.documents, "document")
    binned = f" ({stored.binned:,} in the bin)" if stored.binned else ""
    return f"{documents} of {counted(stored.size_bytes, 'byte')}{binned}"


def _collections(_: DoctorContext) -> Iterator[str]:
    for collection in Collection.opened(Collection.each()):
        if set(collection.document_ids) != collection.indexed_ids():
            yield f"{collection.id} lists other documents than its index. Restore a backup."


def _rows(_: DoctorContext) -> Iterator[str]:
    for problem in check_rows():
        yield f"{problem} Restore a backup, or delete it."


def _log(context: DoctorContext) -> Iterator[str]:
    for broken in verify_log().breaks if context.deep else check_heads():
        yield f"The log of {broken} Restore a backup, or find out who did it: audit verify."


def _payload_store(context: DoctorContext) -> Iterator[str]:
    setup.check_payload_store()
    if context.deep and (count := sum(map(len, unreferenced_objects()))):
        belong = counted(count, "object belongs", "objects belong")
        yield f"{belong} to no document. Delete them: payloads prune"


def _payload_files(context: DoctorContext) -> Iterator[str]:
    """Compare the files of payloads with the documents that name them, by their lengths."""
    if context.database is None:
        return
    for problem in check_payload_files():
        yield f"{problem} Restore a backup, or delete it."
    if count := sum(map(len, unreferenced_files())):
        belong = counted(count, "file of a payload belongs", "files of payloads belong")
        yield f"{belong} to no document. Delete them: payloads prune"


def _space(context: DoctorContext) -> Iterator[str]:
    if context.database is None:
        return
    folder = next(path for path in context.database.parents if path.exists())
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < context.reserve_bytes:
        are = counted(free_bytes, "byte is", "bytes are")
        yield f"{are} free, so uploads are refused. Free disk space."
    if folder == context.database.parent:
        try:
            try_disk(str(context.database))
        except OSError as error:
            yield (
                f"The disk of {folder} does not take a byte ({error.strerror}): it is full, fails, "
                "or is read-only. dmesg says more."
            )


def _server(_: DoctorContext) -> Iterator[str]:
    with connected():
        if not engine().is_writable():
            yield "The server takes no writes: it is a standby, or read-only. Name the primary."
        encoding_and_time = Select(columns=[fn.current_setting("server_encoding"), SERVER_NOW])
        before = now()
        encoding, moment = database.execute(encoding_and_time).fetchone()
        apart_ms = max(before - moment, moment - now())
    if encoding != "UTF8":
        yield f"The database has the encoding {encoding}. Make one with UTF8, and restore into it."
    if apart_ms > SERVER_CLOCK_TOLERANCE_MS:
        seconds = apart_ms / 1000
        yield f"The clock of the database server differs by {seconds:.1f} s. Run NTP on both."


def _clock(_: DoctorContext) -> Iterator[str]:
    for table in (User, Session, Document):
        newest = table.select(fn.MAX(table.created_at)).scalar() or 0
        if newest > now() + CLOCK_TOLERANCE_MS:
            minutes = counted((newest - now()) // 60_000, "minute")
            name = table._meta.table_name
            yield f"The newest {name} is {minutes} in the future. Is the clock right?"


def _sweeper(_: DoctorContext) -> Iterator[str]:
    overdue = Document.select().where(Document.due(now() - SWEEP_OVERDUE_MS))
    if count := len(Document.rows(overdue)):
        yield f"{count:,} expired documents are still there. Start the service, or run: sweep"


def _mail(_: DoctorContext) -> Iterator[str]:
    client = SmtpClient.configured()
    if client and (problem := client.problem()):
        yield f"The server of SMTP_URL takes no mail: {problem}"


def _provider(_: DoctorContext) -> Iterator[str]:
    provider = current_runtime().provider
    if provider and (problem := provider.problem()):
        yield f"{problem} Nobody can log in by it."


FILE_CHECKS: tuple[Check, ...] = (_files, _space)
SERVER_CHECKS: tuple[Check, ...] = (_files, _server)
TABLE_CHECKS: tuple[Check, ...] = (_tables,)
REQUIRED_CHECKS: tuple[Check, ...] = (_database, _schema, _keyring)  # the first that fails ends it
DATA_CHECKS: tuple[Check, ...] = (
    _rows,
    _log,
    _payload_store,
    _payload_files,
    _documents,
    _totals,
    _collections,
    _clock,
    _sweeper,
)

"""Is the house well? Each check yields a sentence for each thing that is wrong, and what to do.

It changes nothing: no migration is run, no keyring made. One more check is one more function.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from peewee import fn

from .. import setup
from ..document import Document
from ..error_mapping import operator_message
from ..records.ids import now
from ..session import Session
from ..storage.database import connected
from ..user import User
from . import verification as checkup
from .progress import ReportProgress, no_progress

SAMPLE = 50  # documents
CLOCK_MS = 5 * 60 * 1000
SWEPT_MS = 10 * 60 * 1000


@dataclass(frozen=True)
class DoctorContext:
    """What is looked at. `keyring` is its file, None if it is kept elsewhere."""

    database: Path
    keyring: Path | None
    use_keyring: Callable[[], None]
    reserve_bytes: int = 0
    deep: bool = False
    tell: ReportProgress = no_progress


class Finding(NamedTuple):
    check: str
    wrong: list[str]


Check = Callable[[DoctorContext], Iterator[str]]


def run_checks(patient: DoctorContext) -> Iterator[Finding]:
    """Check after check; one that can't be made is a finding too."""
    setup.look_at(str(patient.database))
    for check in (*OUTSIDE, *NEEDED, *INSIDE):
        yield (finding := _made(check, patient))
        if finding.wrong and check in NEEDED:
            break
    setup.close_all()


def _made(check: Check, patient: DoctorContext) -> Finding:
    name = check.__name__.strip("_")
    try:
        return Finding(name, list(check(patient)))
    except Exception as error:
        if sentence := operator_message(error):
            return Finding(name, [sentence])
        raise


def _files(patient: DoctorContext) -> Iterator[str]:
    folder = patient.database.parent
    if not folder.exists():
        yield f"There is no folder {folder}. The service makes it when it starts."
    beside = [path for path in folder.glob(f"{patient.database.name}*") if path.is_file()]
    for path in [folder, *beside, *filter(None, [patient.keyring])]:
        if path.exists() and path.stat().st_mode & 0o077:
            yield f"Others can read {path}. Run: chmod go= {path}"


def _database(patient: DoctorContext) -> Iterator[str]:
    if not patient.database.exists():
        yield f"There is no database at {patient.database}. The service makes one when it starts."
    else:
        with connected():
            yield from checkup.database_file(patient.deep)


def _schema(_: DoctorContext) -> Iterator[str]:
    setup.refuse_newer()
    if setup.is_older():
        yield "An older version made this database. Start the service: it brings it to today's."


def _keyring(patient: DoctorContext) -> Iterator[str]:
    if patient.keyring and not patient.keyring.exists():
        yield f"There is no keyring at {patient.keyring}. Put its copy back."
    else:
        patient.use_keyring()


def _documents(patient: DoctorContext) -> Iterator[str]:
    with connected():
        deep = patient.deep
        wrong = checkup.payloads(patient.tell) if deep else checkup.some_payloads(SAMPLE)
    for sentence in wrong:
        yield f"{sentence} Restore a backup, or delete it."


def _space(patient: DoctorContext) -> Iterator[str]:
    there = next(path for path in patient.database.parents if path.exists())
    free_bytes = shutil.disk_usage(there).free
    if free_bytes < patient.reserve_bytes:
        yield f"{free_bytes:,} bytes are free, so uploads are refused. Make room on the disk."


def _clock(_: DoctorContext) -> Iterator[str]:
    for table in (User, Session, Document):
        with connected():
            moment = table.select(fn.MAX(table.created_at)).scalar() or 0
        if moment > now() + CLOCK_MS:
            minutes, name = (moment - now()) // 60_000, table._meta.table_name
            yield f"The newest {name} is {minutes:,} minutes in the future. Is the clock right?"


def _sweeper(_: DoctorContext) -> Iterator[str]:
    with connected():
        count = Document.select().where(Document.expires_at <= now() - SWEPT_MS).count()
    if count:
        yield f"{count:,} expired documents are still there. Start the service, or run: sweep"


OUTSIDE: tuple[Check, ...] = (_files, _space)
NEEDED: tuple[Check, ...] = (_database, _schema, _keyring)  # without one what follows can't be told
INSIDE: tuple[Check, ...] = (_documents, _clock, _sweeper)

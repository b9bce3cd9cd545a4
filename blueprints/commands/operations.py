"""Commands on all that the service keeps: root keys, the log, backups, payloads, the doctor.

`document-service keys …`, `audit …`, `payloads …`, `backup`, `restore`, `copy`, `sweep`, `doctor`,
`where`.
"""

import getpass
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click
from flask.cli import AppGroup, with_appcontext

import operations
from models import User, background, connected, current_runtime
from models.core import counted
from models.storage import SERVICE, is_server
from models.storage.payloads import PLACES
from operations import DoctorContext, Finding, ReportProgress

from .output import fail_if, operator_errors, progress, size_of, table, with_database
from .system import system_notes

keys = AppGroup("keys", help="List, rotate, retire and check the root keys.")
audit = AppGroup("audit", help="Verify the log of events, and hand it out to be verified.")
payloads = AppGroup("payloads", help="Move payloads to another place, delete what is left over.")
_OPEN_TO_ALL = (
    "Its address is public, and anybody may register there and store without a limit. Set "
    "DOCSERVICE_REGISTRATION to first or closed, or DOCSERVICE_QUOTA_BYTES."
)
_STOPPED_ELSEWHERE = (
    "People log in by the proxy or a provider. Whoever is stopped there keeps sessions until they "
    "end, and API keys and links until you run: document-service users disable EMAIL"
)
OLD_BACKUP_DAYS = 3
FILE = click.Path(path_type=Path, dir_okay=False)
PAYLOADS = click.option(
    "--payloads",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the payloads that lie in files, in place of FILE.payloads.",
)


def _name_of_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user has no name
        return f"user {os.geteuid()}"


@keys.command("list")
@with_database
def list_() -> None:
    """List the root keys: id, date, and the number of rows whose key each wraps."""
    rows = (
        (key.id, key.made_on or "-", key.rows, _use_of_root_key(key))
        for key in operations.list_root_keys()
    )
    table(("ID", "MADE ON", "ROWS", ""), *rows)


@keys.command()
@click.option("--end-sessions", is_flag=True, help="Also end all sessions.")
@with_database
def rotate(end_sessions: bool) -> None:
    """Add a new primary root key, and re-wrap the key of every row under it.

    The service may be running. An interrupted rotation is completed instead.
    """
    with progress("Rows re-wrapped") as report:
        result = operations.rotate_root_keys(report, end_sessions=end_sessions)
    if new := result.new_root_key:
        click.echo(f"Root key {new.id} is now the primary. Update your copy of the keyring; keep")
        click.echo("it apart from the database's backups.")
    else:
        click.echo("No root key was added: some rows were not under the first one yet.")
    click.echo(f"{counted(result.rewrapped, 'row was', 'rows were')} re-wrapped.")
    click.echo("`keys retire ID` removes an old root.")
    if not result.wal_is_empty:
        click.echo("A reader blocks the WAL's truncation; the service truncates it within minutes.")
    for id in result.damaged:
        click.echo(f"{id}: its key cannot be decrypted; the row was left as it is.")
    fail_if(result.damaged)


@keys.command()
@click.option("--by", default=_name_of_user, help="Who has put it away; else who runs this.")
@with_database
def kept(by: str) -> None:
    """Say that a copy of the keyring has been put away, until it gets another primary.

    `doctor` then asks no more. The log of the service has who said so.
    """
    primary = operations.record_kept_root_key(by)
    click.echo(f"{by} has put a copy of the keyring with root key {primary.id} away.")


@keys.command()
@click.argument("root_id", metavar="ID")
@with_database
def retire(root_id: str) -> None:
    """Remove a root key that no row uses from the keyring, for good."""
    operations.retire_root_key(root_id)
    click.echo(f"Root key {root_id} is removed.")
    click.echo("Backups made before the rotation can't be opened without a copy of it.")


@keys.command()
@click.option("--deep", is_flag=True, help="Also decrypt all documents.")
@with_database
def check(deep: bool) -> None:
    """Decrypt the key of every row; list the rows where that fails."""
    with progress("Bytes decrypted" if deep else "Keys decrypted") as report:
        problems = (operations.check_contents if deep else operations.check_keys)(report)
    for problem in problems:
        click.echo(problem)
    if problems:
        click.echo(f"{counted(len(problems), 'row')} cannot be decrypted.")
    else:
        click.echo("All keys and documents decrypt." if deep else "All keys decrypt.")
    fail_if(problems)


@keys.command()
def make() -> None:
    """Print a new root key, for a keyring that is not kept in a file. Nothing is stored."""
    click.echo(operations.generate_root_key())


def _use_of_root_key(root_key: operations.RootKeyUsage) -> str:
    if root_key.is_primary:
        return "primary"
    return "to be rotated: keys rotate" if root_key.rows else f"unused: keys retire {root_key.id}"


@audit.command()
@click.option(
    "--against",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A file of receipts: lines of `audit checkpoint`, or owner, sequence and hash of events, "
    "or their ids and hashes.",
)
@with_database
def verify(against: Path | None) -> None:
    """Verify every chain: numbers, links, heads, receipts. Exit code 1 if one is broken."""
    receipts = operations.read_receipts(against.read_text()) if against else []
    with progress("Chains verified") as report:
        result = operations.verify_log(receipts, report)
    for broken in result.breaks:
        click.echo(broken)
    click.echo(_summary_of_log(result))
    fail_if(result.breaks)


@audit.command()
@with_database
def checkpoint() -> None:
    """Print a receipt of each chain: owner, sequence, hash. Keep them in another place."""
    for receipt in operations.checkpoint():
        click.echo(receipt)


@audit.command()
@click.argument("owner")
@with_database
def export(owner: str) -> None:
    """Print a chain as JSON lines: a person's by address, a space's by id, or that of `service`."""
    owner_id = SERVICE if owner == SERVICE else User.named(owner).id
    for piece in operations.ExportedLog.of(owner_id).pieces():
        click.echo(piece, nl=False)


def _summary_of_log(result: operations.AuditResult) -> str:
    broken = f"broken in {counted(len(result.breaks), 'place')}" if result.breaks else "unbroken"
    parts = [f"{counted(result.chains, 'chain')}, {counted(result.events, 'event')}, {broken}"]
    if result.oldest_at is not None:
        parts.append(f"oldest kept of {_moment(result.oldest_at):%Y-%m-%d}")
    if result.forgotten:
        forgotten = counted(result.forgotten, "receipt is", "receipts are")
        parts.append(f"{forgotten} of events that are no longer kept")
    if result.youngest_at is None:
        parts.append("no receipt that holds: all of it is held by the keyring alone.")
        return "; ".join(parts)
    youngest = f"{_moment(result.youngest_at):%Y-%m-%d %H:%M}"
    parts.append(
        f"{counted(result.receipts, 'receipt holds', 'receipts hold')}, the youngest of {youngest}"
    )
    return "; ".join(parts) + ": what came after it is held by the keyring alone."


def _moment(time_ms: int) -> datetime:
    return datetime.fromtimestamp(time_ms / 1000, UTC)


class _BackupGroup(AppGroup):
    """`backup FILE` writes a backup, as `backup write FILE` does; other words are commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *self.get_help_option_names(ctx)):
            args = ["write", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_BackupGroup)
def backup() -> None:
    """Write a backup: backup FILE; compare its parts: backup check FILE."""


@backup.command()
@click.argument("file", type=FILE)
@PAYLOADS
def write(file: Path, payloads: Path | None) -> None:
    """Write a snapshot of the database to a new FILE. The service may be running.

    Payloads that lie in files go to FILE.payloads, or to the folder that is named: there only what
    is missing is added, and nothing is removed. The keyring is not read.
    """
    with operator_errors(), progress("Bytes written") as report:
        operations.open_to_back_up()
        with connected():
            written = operations.create_backup(file, report, payloads)
        with suppress(OSError):  # the backup is there, whatever the disk of the database takes
            operations.record_backup(file)
    click.echo(
        f"{file} is written: {counted(file.stat().st_size, 'byte')}. The keyring is not in it."
    )
    if written.root_key_ids:
        needed = ", ".join(written.root_key_ids)
        click.echo(f"A restore needs the keyring with root key {needed}.")
    click.echo("Receipts of the log, to be kept in another place (`audit verify --against`):")
    for receipt in operations.receipts_of(file):
        click.echo(receipt)
    if written.payloads:
        click.echo(f"Copy both: {_both_parts(file, written.payloads)}.")


@backup.command("check")
@click.argument("file", type=FILE)
@PAYLOADS
def check_backup(file: Path, payloads: Path | None) -> None:
    """Compare the two parts of a backup, without restoring it. The keyring is not read."""
    with operator_errors():
        found = operations.check_backup(file, payloads)
    if found:
        click.echo(f"Both are whole: {_both_parts(file, found)}.")
    else:
        click.echo(f"{file} is whole, and is all of the backup: it has no payloads in files.")


def _both_parts(file: Path, payloads: operations.PayloadFolder) -> str:
    files = f"{counted(payloads.files, 'file')}, {size_of(payloads.bytes)}"
    return f"{file} and {payloads.folder} ({files})"


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace a database that has users or is damaged.")
@click.option("--deep", is_flag=True, help="Also decrypt all documents.")
@PAYLOADS
@with_appcontext
def restore(file: Path, force: bool, deep: bool, payloads: Path | None) -> None:
    """Replace the database with the backup FILE and its payloads. Stop the service first.

    Nothing is replaced before the backup's keys are decrypted with the configured keyring.
    """
    with operator_errors(), progress("Restoring") as report:
        target = operations.require_file(current_runtime().settings.database)
        users, documents = operations.restore_backup(
            file, target, force=force, deep=deep, report=report, payloads=payloads
        )
    click.echo(
        f"{target} holds {counted(users, 'user')} and {counted(documents, 'document')}, "
        "and all keys open."
    )
    click.echo("Restored data includes items deleted or revoked since the backup; review it.")


@click.command()
@click.option(
    "--to",
    "address",
    metavar="URL",
    required=True,
    help="An empty database: postgresql://user@host/name. PGPASSWORD may hold the password.",
)
@with_appcontext
def copy(address: str) -> None:
    """Copy everything from the SQLite file to PostgreSQL. Stop the service first.

    All or nothing is copied; then everything is decrypted and verified. The file is not changed.
    """
    with operator_errors(), progress("Done") as report:
        target, rows, log, problems = operations.copy_to_postgres(address, report)
    table(("TABLE", "ROWS"), *rows.items())
    for problem in problems:
        click.echo(problem)
    if problems:
        faults = counted(len(problems), "fault")
        click.echo(
            f"Every row was copied, and with them {faults} that the file has: "
            "`document-service doctor --deep` says what to do about them there."
        )
        fail_if(problems)
    click.echo(
        f"All of it decrypts; the log is unbroken: {counted(log.events, 'event')} in "
        f"{counted(log.chains, 'chain')}."
    )
    click.echo(
        f"Now set DOCSERVICE_DATABASE={target}, keep the same keyring, and start the service, "
        f"which does not start on {current_runtime().settings.database} again."
    )


@payloads.command()
@click.option("--to", "place", type=click.Choice(PLACES), required=True)
@with_database
def move(place: str) -> None:
    """Move payloads to the object store (those above 192 KiB), to files beside the database (those
    above 64 MiB), or to rows of the database.

    The service may be running; PAYLOADS names the store both for it and for this command.
    """
    with progress("Bytes looked at") as report:
        result = operations.move_payloads(place, report)
    for problem in result.problems:
        click.echo(problem)
    click.echo(f"{counted(result.moved, 'payload was', 'payloads were')} moved.")
    fail_if(result.problems)


@payloads.command()
@with_database
def prune() -> None:
    """Delete the files and objects that belong to no document, as a restore leaves them."""
    dropped = operations.drop_unreferenced_payloads()
    click.echo(f"{counted(dropped, 'payload was', 'payloads were')} deleted.")


@click.command()
@with_appcontext
@with_database
def sweep() -> None:
    """Delete what has expired. The running service does so every minute."""
    swept = background.sweep()
    click.echo(f"{counted(swept, 'expired document was', 'expired documents were')} deleted.")


@click.command()
@click.option("--deep", is_flag=True, help="Decrypt all documents, not a sample.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def doctor(deep: bool, as_json: bool) -> None:
    """Check files, keys, documents, disk and clock. Exit code 1 if something is wrong."""
    with operator_errors(), progress("Bytes decrypted") as report:
        findings, context = [], _doctor_context(deep, report)
        for finding in operations.run_checks(context):
            findings.append(finding)
            if not as_json:
                _print_finding(finding)
    settings = current_runtime().settings
    is_kept = not _is_keyring_to_be_copied(findings)
    notes = list(system_notes(_owner_of_database(context), settings.converter, is_kept))
    notes.extend(_notes_on_backups(context))
    notes.extend(settings.notes())
    if settings.is_open_to_the_public:
        notes.append(_OPEN_TO_ALL)
    if settings.auth_header or settings.oidc_issuer:
        notes.append(_STOPPED_ELSEWHERE)
    ok = not any(finding.problems for finding in findings)
    if as_json:
        checks = [{"check": name, "ok": not wrong, "wrong": wrong} for name, wrong in findings]
        click.echo(json.dumps({"ok": ok, "checks": checks, "notes": notes}))
    else:
        _print_finding(Finding("system", notes), "NOTE ")
    fail_if(not ok)


def _is_keyring_to_be_copied(findings: list[Finding]) -> bool:
    """Return whether nobody has said yet that a copy of the keyring was put away.

    False while the database or the keyring cannot be read.
    """
    if "rows" not in {finding.check for finding in findings}:
        return False
    with connected():
        is_kept = operations.is_primary_kept()
    current_runtime().close_database()
    return not is_kept


def _notes_on_backups(context: DoctorContext) -> Iterator[str]:
    """Yield a sentence if the last backup is old, or lacks payloads that lie in files.

    The first one is asked for by nobody who has none.
    """
    without = operations.payloads_without_backup() if context.database else []
    if without:
        lie = counted(len(without), "payload lies", "payloads lie")
        size = size_of(sum(one.length for one in without))
        yield (
            f"{lie} in files ({size}) which the last backup has not named. Make one, and copy both "
            "of its parts: document-service backup FILE."
        )
    backed_up_at = operations.last_backup_at() if context.database else None
    if backed_up_at is None:
        return
    days = int((time.time() - backed_up_at) / 86_400)
    if days >= OLD_BACKUP_DAYS:
        age = counted(days, "day")
        yield f"The last backup is {age} old. Make one: document-service backup FILE."


def _file_of_keyring() -> Path | None:
    """Return the file that has the keyring, None if the keyring is not in a file."""
    settings = current_runtime().settings
    if settings.keyring or settings.keyring_command:
        return None
    return settings.keyring_file or settings.instance_path / "keyring"


@click.command()
@click.option("--keyring", "of_keyring", is_flag=True, help="Print the file of the keyring.")
@with_appcontext
def where(of_keyring: bool) -> None:
    """Print the folder of the data, or with --keyring the file of the keyring."""
    if not of_keyring:
        click.echo(current_runtime().settings.instance_path)
        return
    keyring = _file_of_keyring()
    if keyring is None:
        raise click.ClickException("The keyring is not in a file. Copy it where it is kept.")
    click.echo(keyring.absolute())


def _doctor_context(deep: bool, report: ReportProgress) -> DoctorContext:
    settings = current_runtime().settings
    return DoctorContext(
        database=None if is_server(settings.database) else Path(settings.database),
        keyring=_file_of_keyring(),
        reserve_bytes=settings.reserve_bytes,
        deep=deep,
        report=report,
    )


def _owner_of_database(context: DoctorContext) -> int:
    """Return the id of the user who owns the database file, else of the user who runs the command.

    The service's user owns the file; root may run the command for the service's user.
    """
    database = context.database
    return database.stat().st_uid if database and database.exists() else os.geteuid()


def _print_finding(finding: Finding, label: str = "WRONG") -> None:
    if not finding.problems:
        click.echo(f"OK     {finding.check}")
    for problem in finding.problems:
        click.echo(f"{label}  {finding.check}: {problem}")

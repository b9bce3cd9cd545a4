"""`flask --app app backup`, `restore`, `copy`, `payloads` and `sweep`: commands on all data."""

from pathlib import Path

import click
from flask.cli import AppGroup, with_appcontext

from models import current_runtime, operations

from .output import fail_if, operator_errors, progress, table, with_database

FILE = click.Path(path_type=Path, dir_okay=False)
payloads = AppGroup("payloads", help="Move payloads to another place, delete what is left over.")


@click.command()
@click.argument("file", type=FILE)
@with_appcontext
@with_database
def backup(file: Path) -> None:
    """Write a snapshot of the database to a new FILE. The service may be running."""
    with progress("Bytes written") as report:
        root_ids = operations.create_backup(file, report)
    click.echo(f"{file} is written: {file.stat().st_size:,} bytes. The keyring is not in it.")
    if root_ids:
        click.echo(f"A restore needs the keyring with root key {', '.join(root_ids)}.")
    click.echo("Receipts of the log, to be kept in another place (`audit verify --against`):")
    for receipt in operations.receipts_of(file):
        click.echo(receipt)


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace a database that has users or is damaged.")
@click.option("--deep", is_flag=True, help="Also decrypt all documents.")
@with_appcontext
def restore(file: Path, force: bool, deep: bool) -> None:
    """Replace the database with the backup FILE. Stop the service first.

    Nothing is replaced before the backup's keys are decrypted with the configured keyring.
    """
    with operator_errors(), progress("Restoring") as report:
        target = operations.require_file(current_runtime().settings.database)
        users, documents = operations.restore_backup(
            file, target, force=force, deep=deep, report=report
        )
    click.echo(f"{target} holds {users:,} users and {documents:,} documents, and all keys open.")
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
        click.echo(
            f"Every row was copied, and with them {len(problems):,} faults that the file has: "
            "`flask doctor --deep` says what to do about them there."
        )
        fail_if(problems)
    click.echo(
        f"All of it decrypts; the log is unbroken: {log.events:,} events in {log.chains:,} chains."
    )
    click.echo(
        f"Now set DOCSERVICE_DATABASE={target}, keep the same keyring, and start the service, "
        f"which does not start on {current_runtime().settings.database} again."
    )


@payloads.command()
@click.option("--to", "place", type=click.Choice(operations.PLACES), required=True)
@with_database
def move(place: str) -> None:
    """Move the payloads above 192 KiB to the object store, or back to rows of the database.

    The service may be running; PAYLOADS names the store both for it and for this command.
    """
    with progress("Bytes looked at") as report:
        result = operations.move_payloads(place, report)
    for problem in result.problems:
        click.echo(problem)
    click.echo(f"{result.moved:,} payloads were moved.")
    fail_if(result.problems)


@payloads.command()
@with_database
def prune() -> None:
    """Delete the objects that belong to no document, as a restore leaves them."""
    click.echo(f"{operations.drop_unreferenced_objects():,} objects were deleted.")


@click.command()
@with_appcontext
@with_database
def sweep() -> None:
    """Delete what has expired. The running service does so every minute."""
    click.echo(f"{operations.sweep():,} expired documents were deleted.")

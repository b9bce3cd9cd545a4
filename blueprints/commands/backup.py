"""`flask --app app backup` and `restore`."""

from pathlib import Path

import click
from flask.cli import with_appcontext

from models import current_runtime
from models.operations import create_backup, receipts_of, require_file, restore_backup

from .output import operator_errors, progress, with_database

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=FILE)
@with_appcontext
@with_database
def backup(file: Path) -> None:
    """Write a snapshot of the database to a new FILE. The service may be running."""
    with progress("Bytes written") as report:
        root_ids = create_backup(file, report)
    click.echo(f"{file} is written: {file.stat().st_size:,} bytes. The keyring is not in it.")
    if root_ids:
        click.echo(f"A restore needs the keyring with root key {', '.join(root_ids)}.")
    click.echo("Receipts of the log, to be kept in another place (`audit verify --against`):")
    for receipt in receipts_of(file):
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
        target = require_file(current_runtime().settings.database)
        users, documents = restore_backup(file, target, force=force, deep=deep, report=report)
    click.echo(f"{target} holds {users:,} users and {documents:,} documents, and all keys open.")
    click.echo("Restored data includes items deleted or revoked since the backup; review it.")

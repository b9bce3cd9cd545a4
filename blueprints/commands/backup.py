"""`flask --app app backup` and `restore`: the database as one file, and back."""

from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext

from models.operations import backup as copying
from models.operations import restore as restoring

from .output import operator_errors, progress, with_database

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=FILE)
@with_appcontext
@with_database
def backup(file: Path) -> None:
    """Write the database, as of this moment, into a new FILE. The service may run meanwhile."""
    with progress("Bytes written") as tell:
        root_ids = copying.back_up(file, tell)
    click.echo(f"{file} is written: {file.stat().st_size:,} bytes. The keyring is not in it.")
    if root_ids:
        click.echo(f"To restore it takes the keyring with root key {', '.join(root_ids)}.")


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace a database that has users, or is damaged.")
@click.option("--deep", is_flag=True, help="Also authenticate every piece of every document.")
@with_appcontext
def restore(file: Path, force: bool, deep: bool) -> None:
    """Put the backup FILE in the database's place. Stop the service first.

    The backup is opened with the present keyring before anything is replaced.
    """
    place = Path(current_app.config["DATABASE"])
    open_house = current_app.extensions["open_house"]
    with operator_errors(), progress("Restoring") as tell:
        users, documents = restoring.restore(
            file, place, open_house, force=force, deep=deep, tell=tell
        )
    click.echo(f"{place} holds {users:,} users and {documents:,} documents, and all keys open.")
    click.echo("What was deleted or revoked since the backup was made is back: look it through.")

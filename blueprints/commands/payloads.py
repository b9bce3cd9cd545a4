"""`flask --app app payloads …`: moves payloads, and deletes what is left over."""

import click
from flask.cli import AppGroup

from models import operations

from .output import fail_if, progress, with_database

payloads = AppGroup("payloads", help="Move payloads to another place, delete what is left over.")


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

"""`flask --app app keys …`: the root keys."""

import click
from flask.cli import AppGroup

from models.operations import key_rotation as rotation
from models.operations import verification as checkup

from .output import fail_if, progress, table, with_database

keys = AppGroup("keys", help="List, rotate, retire and check the root keys.")


@keys.command("list")
@with_database
def list_() -> None:
    """List the root keys: when each was made, how many rows it opens."""
    table(
        ("ID", "MADE ON", "ROWS", ""),
        *((one.id, one.made_on or "-", one.rows, _use(one)) for one in rotation.roots()),
    )


@keys.command()
@click.option("--end-sessions", is_flag=True, help="Also log everybody out.")
@with_database
def rotate(end_sessions: bool) -> None:
    """Seal under a new root from now on, and wrap every row's key anew.

    The service may run meanwhile. A rotation that was cut off is finished instead.
    """
    with progress("Rows wrapped anew") as tell:
        done = rotation.rotate(tell, end_sessions=end_sessions)
    if done.new:
        click.echo(f"Root key {done.new.id} seals from now on. Copy the keyring to where you keep")
        click.echo("its copy, apart from the database's backups.")
    else:
        click.echo("An earlier rotation was finished; no new root was made.")
    click.echo(f"{done.moved:,} rows were wrapped anew. `keys retire ID` takes an old root away.")
    if not done.log_is_empty:
        click.echo("A reader holds the log; the service's sweeper empties it within minutes.")
    for id in done.damaged:
        click.echo(f"{id}: its key does not open; it was left as it is.")
    fail_if(done.damaged)


@keys.command()
@click.argument("root_id", metavar="ID")
@with_database
def retire(root_id: str) -> None:
    """Take a root that no row uses out of the keyring, for good."""
    rotation.retire(root_id)
    click.echo(f"Root key {root_id} is gone.")
    click.echo("Backups made before the rotation can't be opened without a copy of it.")


@keys.command()
@click.option("--deep", is_flag=True, help="Also authenticate every piece of every document.")
@with_database
def check(deep: bool) -> None:
    """Open every row's key; name what does not open."""
    with progress("Bytes authenticated" if deep else "Keys opened") as tell:
        wrong = checkup.payloads(tell) if deep else checkup.keys(tell)
    for sentence in wrong:
        click.echo(sentence)
    click.echo(f"{len(wrong):,} in all do not open." if wrong else "Everything opens.")
    fail_if(wrong)


@keys.command()
def make() -> None:
    """Print a fresh root, for a keyring that is kept elsewhere. Nothing is stored."""
    click.echo(rotation.generate_root_key())


def _use(root: rotation.KnownRoot) -> str:
    if root.is_primary:
        return "seals what is new"
    return "keys rotate moves them" if root.rows else f"unused: keys retire {root.id}"

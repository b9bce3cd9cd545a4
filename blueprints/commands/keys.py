"""`flask --app app keys …`: lists, rotates, retires and checks the root keys."""

import click
from flask.cli import AppGroup

from models import operations

from .output import fail_if, progress, table, with_database

keys = AppGroup("keys", help="List, rotate, retire and check the root keys.")


@keys.command("list")
@with_database
def list_() -> None:
    """List the root keys: id, date, and the number of rows whose key each wraps."""
    table(
        ("ID", "MADE ON", "ROWS", ""),
        *((key.id, key.made_on or "-", key.rows, _use(key)) for key in operations.list_root_keys()),
    )


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
    click.echo(f"{result.rewrapped:,} rows were re-wrapped. `keys retire ID` removes an old root.")
    if not result.wal_is_empty:
        click.echo("A reader blocks the WAL's truncation; the service truncates it within minutes.")
    for id in result.damaged:
        click.echo(f"{id}: its key cannot be decrypted; the row was left as it is.")
    fail_if(result.damaged)


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
    failed = f"{len(problems):,} rows cannot be decrypted."
    click.echo(failed if problems else f"All keys{' and documents' * deep} decrypt.")
    fail_if(problems)


@keys.command()
def make() -> None:
    """Print a new root key, for a keyring that is not kept in a file. Nothing is stored."""
    click.echo(operations.generate_root_key())


def _use(root_key: operations.RootKeyUsage) -> str:
    if root_key.is_primary:
        return "primary"
    return "to be rotated: keys rotate" if root_key.rows else f"unused: keys retire {root_key.id}"

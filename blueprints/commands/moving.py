"""Commands by which people and spaces move from one instance to another."""

from pathlib import Path

import click
from flask.cli import with_appcontext

import operations
from models.core import OperatorError, counted
from operations import ImportedAccount

from .output import fail_if, progress, secret, table, with_database

FOLDER = click.Path(path_type=Path, file_okay=False)
_KINDS = ("document", "collection", "link", "webhook", "event")


@click.command()
@click.argument("path", type=FOLDER)
@click.option(
    "--owner", metavar="OWNER", help="Only this person, by e-mail address, or this space, by id."
)
@with_appcontext
@with_database
def export(path: Path, owner: str | None) -> None:
    """Export people and spaces into the folder PATH, sealed with a passphrase.

    The service may be running.

    Prompts for the passphrase or reads stdin. Run it again to go on after an interruption, or to
    bring the folder up to date.
    """
    passphrase = secret("Passphrase", is_new=not (path / "export.json").exists())
    with progress("Bytes exported") as report:
        result = operations.export_accounts(path, passphrase, owner, report)
    _table_of_accounts(result.accounts)
    for problem in result.problems:
        click.echo(problem)
    click.echo(f"{path} is complete: {counted(result.size_bytes, 'byte')} of originals.")
    click.echo("Passwords, API keys and the secrets of links and webhooks are not in it.")
    fail_if(result.problems)


@click.command("import")
@click.argument("path", type=FOLDER, required=False)
@click.option("--give-up", is_flag=True, help="Delete what an import has left that was killed.")
@with_appcontext
@with_database
def import_(path: Path | None, give_up: bool) -> None:
    """Import the accounts of an export in the folder PATH. The service may be running.

    Prompts for the passphrase or reads stdin. Everything is verified before the first account is
    stored. Run it again to go on after an interruption.
    """
    if give_up:
        given_up = operations.give_up_imports()
        were = counted(given_up, "interrupted import was", "interrupted imports were")
        click.echo(f"{were} deleted.")
        return
    if path is None:
        raise OperatorError("Name the folder of the export.")
    passphrase = secret("Passphrase", is_new=False)
    with progress("Bytes imported") as report:
        imported = operations.import_accounts(path, passphrase, report)
    _table_of_accounts({account.email: account.rows for account in imported})
    for account in imported:
        click.echo(_sentence_of(account))
        for email in account.absent_members:
            click.echo(f"{email} is no member of it any more: that account is not here.")
        if account.needs_manager:
            click.echo(f"Nobody manages it: document-service users manage EMAIL {account.id}.")
    if not all(account.was_here or account.is_space for account in imported):
        click.echo("They have no password here yet: document-service users invite EMAIL.")


def _table_of_accounts(accounts: dict[str, dict[str, int]]) -> None:
    rows = [(email, *(rows.get(kind, 0) for kind in _KINDS)) for email, rows in accounts.items()]
    table(("E-MAIL", *(f"{kind.upper()}S" for kind in _KINDS)), *rows)


def _sentence_of(account: ImportedAccount) -> str:
    if account.was_here:
        were = counted(account.missing, "document was", "documents were")
        deleted = f" {were} deleted here." if account.missing else ""
        return f"{account.email} is here already; nothing was changed.{deleted}"
    have = counted(account.ended, "document has", "documents have")
    ended = f" {have} ended since the export." if account.ended else ""
    return f"{account.email} is imported and compared with the export.{ended}"

"""`flask --app app audit …`: verifies the log of events, and hands it out to be verified."""

from datetime import UTC, datetime
from pathlib import Path

import click
from flask.cli import AppGroup

from models import User, operations
from models.storage import SERVICE

from .output import fail_if, progress, with_database

audit = AppGroup("audit", help="Verify the log of events, and hand it out to be verified.")


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
    click.echo(_summary(result))
    fail_if(result.breaks)


@audit.command()
@with_database
def checkpoint() -> None:
    """Print a receipt of each chain: owner, sequence, hash. Keep them in another place."""
    for receipt in operations.checkpoint():
        click.echo(receipt)


@audit.command()
@click.argument("email")
@with_database
def export(email: str) -> None:
    """Print the chain of an account as JSON lines; `service` instead of EMAIL, the service's."""
    owner_id = SERVICE if email == SERVICE else User.of_email(email).id
    for piece in operations.ExportedLog.of(owner_id).pieces():
        click.echo(piece, nl=False)


def _summary(result: operations.AuditResult) -> str:
    broken = f"broken in {len(result.breaks)} places" if result.breaks else "unbroken"
    parts = [f"{result.chains:,} chains, {result.events:,} events, {broken}"]
    if result.oldest_at is not None:
        parts.append(f"oldest kept of {_moment(result.oldest_at):%Y-%m-%d}")
    if result.forgotten:
        parts.append(f"{result.forgotten:,} receipts are of events that are no longer kept")
    if result.youngest_at is None:
        parts.append("no receipt that holds: all of it is held by the keyring alone.")
        return "; ".join(parts)
    youngest = f"{_moment(result.youngest_at):%Y-%m-%d %H:%M}"
    parts.append(f"{result.receipts:,} receipts hold, the youngest of {youngest}")
    return "; ".join(parts) + ": what came after it is held by the keyring alone."


def _moment(time_ms: int) -> datetime:
    return datetime.fromtimestamp(time_ms / 1000, UTC)

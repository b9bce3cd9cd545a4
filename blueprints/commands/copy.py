"""`flask --app app copy`: from SQLite to a PostgreSQL server."""

import click
from flask.cli import with_appcontext

from models import current_runtime
from models.operations import copy_to_postgres

from .output import fail_if, operator_errors, progress, table


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
        target, rows, log, problems = copy_to_postgres(address, report)
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

"""The CLI, `document-service …`.

A command opens the database itself, and only if it needs the database, so that `doctor` and
`restore` work when the database or the keyring is damaged.
"""

import json

import click
from flask import current_app
from flask.cli import with_appcontext

from .accounts import mail, users
from .documents import documents
from .moving import export, import_
from .operations import (
    audit,
    backup,
    copy,
    doctor,
    keys,
    payloads,
    restore,
    sweep,
    system_notes,
    where,
)


@click.command()
@with_appcontext
def openapi() -> None:
    """Print the OpenAPI 3.1 description of the API."""
    click.echo(json.dumps(current_app.extensions["description"](), indent=2, ensure_ascii=False))


COMMANDS: tuple[click.Command, ...] = (
    audit,
    backup,
    copy,
    doctor,
    documents,
    export,
    import_,
    keys,
    mail,
    openapi,
    payloads,
    restore,
    sweep,
    users,
    where,
)


def refuse_flask_run() -> None:
    """Raise a click exception if `flask run` creates the application.

    It would serve without the limits, deadlines and background work of `app.py`.
    """
    context = click.get_current_context(silent=True)
    if context and context.info_name == "run":
        raise click.ClickException(
            "`flask run` lacks the server's limits and its background work. Start `python app.py`."
        )

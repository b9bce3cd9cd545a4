"""All commands of an operator."""

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

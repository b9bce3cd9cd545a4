"""`flask --app app sweep` and `openapi`."""

import json

import click
from flask import current_app
from flask.cli import with_appcontext

from models import operations

from .output import with_database


@click.command()
@with_appcontext
@with_database
def sweep() -> None:
    """Delete what has expired. The running service does so every minute."""
    click.echo(f"{operations.sweep():,} expired documents were deleted.")


@click.command()
@with_appcontext
def openapi() -> None:
    """Print the OpenAPI 3.1 description of the API."""
    click.echo(json.dumps(current_app.extensions["description"](), indent=2, ensure_ascii=False))

"""`flask --app app sweep` and `openapi`."""

import json

import click
from flask import current_app
from flask.cli import with_appcontext

from models.operations import sweeper

from .output import with_database


@click.command()
@with_appcontext
@with_database
def sweep() -> None:
    """Take away what has expired. The running service does so every minute."""
    click.echo(f"{sweeper.sweep():,} expired documents were taken away.")


@click.command()
@with_appcontext
def openapi() -> None:
    """Print the API's description (OpenAPI 3.1)."""
    click.echo(json.dumps(current_app.extensions["description"](), indent=2, ensure_ascii=False))

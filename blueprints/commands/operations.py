"""`flask --app app sweep` and `openapi`."""

import json

import click
from flask import current_app
from flask.cli import with_appcontext

from models import sweeper

from .telling import at_home


@click.command()
@with_appcontext
@at_home
def sweep() -> None:
    """Take away what has expired. The running service does so every minute."""
    click.echo(f"{sweeper.sweep():,} expired documents were taken away.")


@click.command()
@with_appcontext
def openapi() -> None:
    """Print the API's description (OpenAPI 3.1)."""
    click.echo(json.dumps(current_app.extensions["description"](), indent=2, ensure_ascii=False))

"""`flask --app app users …`: lists, creates, disables and enables accounts."""

import sys
from datetime import UTC, datetime

import click
from flask.cli import AppGroup
from marshmallow import ValidationError

from models import User
from models.user import Account

from ..schemas.requests import Registration
from .output import table, with_database

users = AppGroup("users", help="List, create, disable and enable accounts.")


@users.command("list")
@with_database
def list_() -> None:
    """List the accounts, oldest first."""
    rows = (
        (one.email, one.id, _day(one.created_at), one.documents, one.size_bytes, _state(one))
        for one in User.accounts()
    )
    table(("E-MAIL", "ID", "SINCE", "DOCUMENTS", "BYTES", ""), *rows)


@users.command()
@click.argument("email")
@click.option("--name", help="Display name.")
@with_database
def create(email: str, name: str | None) -> None:
    """Create an account, whatever REGISTRATION says. Prompts for the password or reads stdin."""
    try:
        fields = Registration().load({"email": email, "password": _password(), "name": name})
    except ValidationError as error:
        (first, *_), *_ = dict(error.messages_dict).values()
        raise click.UsageError(first) from None
    user = User.register(**fields, mode="open")
    click.echo(f"{user.email} has an account: {user.id}.")


@users.command()
@click.argument("email")
@with_database
def disable(email: str) -> None:
    """Disable an account immediately. Its documents are kept."""
    User.of_email(email).disable()
    click.echo(f"{email} is disabled: sessions have ended; API keys and links don't work.")


@users.command()
@click.argument("email")
@with_database
def enable(email: str) -> None:
    """Enable a disabled account again."""
    User.of_email(email).enable()
    click.echo(f"{email} is enabled: API keys and links that have not expired work again.")


def _password() -> str:
    """Not an argument: other users of the machine can read those."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def _day(time_ms: int) -> str:
    return str(datetime.fromtimestamp(time_ms / 1000, UTC).date())


def _state(account: Account) -> str:
    return f"disabled since {_day(account.disabled_at)}" if account.disabled_at else ""

"""Commands on accounts, and the test of the mail server.

`document-service users …` and `mail test`.
"""

from datetime import UTC, datetime
from typing import Any

import click
from flask.cli import AppGroup
from marshmallow import ValidationError

from models import User, current_runtime
from models.accounts import (
    BY_OPERATOR,
    LIFE_DAYS,
    PROXY,
    Account,
    Identity,
    Invitation,
    address_of,
    appoint_manager,
    fold_email,
    unbind,
)
from models.core import OperatorError, ServiceError
from models.events import Mail, SmtpClient, compose, is_mail_address
from models.storage import SERVICE

from ..schemas.requests import Registration
from .output import secret, table, with_database

users = AppGroup("users", help="List, create, invite, link, disable and enable accounts.")
mail = AppGroup("mail", help="Try the server that takes the service's mail.")
_TEXT = "This is a test, sent by the command `mail test`. Mail from here arrives."


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
    fields = _checked(email=email, password=secret("Password", is_new=True), name=name)
    user = User.register(**fields, mode="open", let_in_by=SERVICE)
    click.echo(f"{user.email} has an account: {user.id}.")
    _say_that_passwords_are_off()


@users.command()
@click.argument("email")
@click.option("--mail", is_flag=True, help="Send the link as well.")
@with_database
def invite(email: str, mail: bool) -> None:
    """Print a one-time link for an account, or for a new password. It replaces a former link."""
    if mail and SmtpClient.configured() is None:
        raise OperatorError("This service sends no mail: set DOCSERVICE_SMTP_URL.")
    issue = Invitation.issue_by_mail if mail else Invitation.issue
    issued = issue(_checked(email=email)["email"])
    effect = "sets a new password" if User.find_by_email(email) else "makes an account"
    click.echo(address_of(issued.secret))
    if current_runtime().settings.passwords == "off":
        effect = "adds the login by which it is opened to the account"
        if not User.find_by_email(email):
            effect = "makes an account with the login by which it is opened"
    click.echo(f"For {LIFE_DAYS} days and once, it {effect} for {email}.", err=True)
    _say_that_passwords_are_off()


@users.command()
@click.argument("email")
@with_database
def password(email: str) -> None:
    """Set a new password, and end all sessions. Prompts for the password or reads stdin."""
    User.of_email(email).set_password(secret("Password", is_new=True))
    click.echo(f"{email} has a new password: sessions have ended; API keys and links still work.")
    _say_that_passwords_are_off()


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


@users.command()
@click.argument("email")
@click.argument("issuer")
@click.argument("subject")
@with_database
def link(email: str, issuer: str, subject: str) -> None:
    """Let somebody log in to an account by a provider (ISSUER) or by `proxy`, as SUBJECT."""
    user = User.of_email(email)
    try:
        Identity.link(user.id, issuer, _subject(issuer, subject), BY_OPERATOR)
    except ServiceError as error:
        raise OperatorError(error.sentence) from None
    click.echo(f"{subject} of {issuer} logs in to the account {email} from now on.")


@users.command()
@click.argument("email")
@click.argument("issuer")
@click.argument("subject")
@with_database
def unlink(email: str, issuer: str, subject: str) -> None:
    """Let somebody log in to an account by a provider or the proxy no more."""
    user = User.of_email(email)
    identity = Identity.of(issuer, _subject(issuer, subject))
    if identity is None or identity.owner_id != user.id:
        raise OperatorError(f"{subject} of {issuer} does not log in to the account {email}.")
    unbind(identity)
    click.echo(f"{subject} of {issuer} is removed: the sessions that it began have ended.")
    if not (user.has_password or Identity.of_owner(user.id)):
        click.echo(f"Nothing lets {email} in now: users invite {email}", err=True)


@users.command()
@click.argument("email")
@click.argument("space")
@with_database
def manage(email: str, space: str) -> None:
    """Let somebody manage a space, as one that has lost its last manager. SPACE is its id."""
    user = User.of_email(email)
    try:
        appoint_manager(space, user.id)
    except ServiceError as error:
        raise OperatorError(error.sentence) from None
    click.echo(f"{email} manages the space {space} from now on.")


def _subject(issuer: str, subject: str) -> str:
    return fold_email(subject) if issuer == PROXY else subject


def _say_that_passwords_are_off() -> None:
    if current_runtime().settings.passwords == "off":
        click.echo("PASSWORDS is off: nobody logs in by a password now.", err=True)


def _checked(**fields: str | None) -> dict[str, Any]:
    try:
        return dict(Registration(only=list(fields)).load(fields))
    except ValidationError as error:
        (first, *_), *_ = dict(error.messages_dict).values()
        raise click.UsageError(first) from None


def _day(time_ms: int) -> str:
    return str(datetime.fromtimestamp(time_ms / 1000, UTC).date())


def _state(account: Account) -> str:
    return f"disabled since {_day(account.disabled_at)}" if account.disabled_at else ""


@mail.command()
@click.argument("address")
@with_database
def test(address: str) -> None:
    """Send a mail to this address now, and say what the server answered."""
    client = SmtpClient.configured()
    if client is None:
        raise OperatorError("This service sends no mail: set DOCSERVICE_SMTP_URL.")
    if not is_mail_address(address):
        raise OperatorError(f"{address} is no address that mail can be sent to.")
    outcome = client.send(compose(Mail.fresh(), address, "A test", _TEXT))
    if not outcome.succeeded:
        raise OperatorError(outcome.error or f"{outcome.status}: {outcome.answer}")
    host = current_runtime().settings.smtp_url
    click.echo(f"{host and host.host} has taken a mail to {address}, in {outcome.duration_ms} ms.")

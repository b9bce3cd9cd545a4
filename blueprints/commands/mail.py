"""`flask --app app mail …`: tries the server that takes the service's mail."""

import click
from flask.cli import AppGroup

from models import current_runtime
from models.core import OperatorError
from models.events import Mail, SmtpClient, compose, is_mail_address

from .output import with_database

mail = AppGroup("mail", help="Try the server that takes the service's mail.")
_TEXT = "This is a test, sent by the command `mail test`. Mail from here arrives."


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

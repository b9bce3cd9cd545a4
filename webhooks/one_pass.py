"""One pass over what is due, on the thread that asks for it: for a process without a dispatcher."""

from models import Webhook, WebhookDelivery, connected
from models.core import now
from models.events import Mail, SmtpClient

from .deliveries import DeliverySenders
from .http_client import SafeHttpClient
from .limits import DispatcherLimits
from .mail import MailSenders


def send_due(client: SafeHttpClient, mailer: SmtpClient | None = None) -> int:
    """Attempt all deliveries that are due, and with a `mailer` all mails, each once.

    Returns the number of attempts. One that fails is stored as an outcome, and its row is due
    again later, as it is with a dispatcher; it raises nothing. Raises what the database raises.
    """
    limits = DispatcherLimits()
    deliveries, mail = DeliverySenders(client, limits), MailSenders(mailer, limits)
    attempted: set[str] = set()
    while due := _due_besides(attempted, with_mail=mailer is not None):
        for row in due:
            attempted.add(row.id)
            if not row.claim():
                continue
            if isinstance(row, WebhookDelivery) and not _gets_mail(row):
                deliveries.attempt(row)
            else:
                mail.attempt(row)
    return len(attempted)


def _due_besides(attempted: set[str], *, with_mail: bool) -> list[WebhookDelivery | Mail]:
    """Return the row of each lane that is due first, without these."""
    with connected():
        first: list[WebhookDelivery | Mail] = [*WebhookDelivery.next_due_per_webhook()]
        if with_mail:
            first += Mail.next_due_per_owner()
    moment = now()
    return [row for row in first if (row.due_at or 0) <= moment and row.id not in attempted]


def _gets_mail(delivery: WebhookDelivery) -> bool:
    with connected():
        webhook = Webhook.find(delivery.webhook_id)
        return webhook is not None and bool(webhook.mail_address)

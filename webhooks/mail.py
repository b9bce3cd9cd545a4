"""The senders of mail, and of deliveries to webhooks whose address gets mail.

It has threads of its own: a mail server that hangs delays no webhook, and no webhook delays mail.
"""

from models import Webhook, WebhookDelivery, connected, transaction
from models.accounts import Invitation
from models.core import now
from models.events import (
    MOST_LINES,
    Composer,
    Mail,
    MailLimit,
    Outcome,
    SmtpClient,
    compose_notice,
    line_of,
)
from models.links import compose_code, sentence_of

from .deliveries import event_of
from .limits import DispatcherLimits
from .senders import Senders, Waiting

COMPOSERS: dict[str, Composer] = {
    "code": compose_code,
    "reset": Invitation.compose_reset,
}
"""By the kind of mail that somebody has asked for, what writes it when it is first tried."""
_NO_MAILER = Outcome(0, error="This service sends no mail.")


class MailSenders(Senders[Waiting]):
    def __init__(self, mailer: SmtpClient | None, limits: DispatcherLimits) -> None:
        super().__init__(limits, limits.mail_threads, limits.mail_threads_per_caller)
        self._mailer = mailer

    def work_of(self, row: Waiting) -> str:
        return "mail" if isinstance(row, Mail) else "notices"

    def send(self, row: Waiting) -> None:
        if isinstance(row, Mail):
            self._send_mail(row)
        else:
            self._send_notice(row)

    def _send_mail(self, mail: Mail) -> None:
        """Send a mail; after the last pause again and again, until its end."""
        attempts = min(mail.attempts, len(self._limits.retries_seconds) - 1)
        with connected():
            message = mail.message(COMPOSERS)
        if message is not None:
            outcome = self._mailer.send(message) if self._mailer else _NO_MAILER
            with connected():
                mail.record_outcome(outcome, self._retry_at(attempts, outcome))

    def _send_notice(self, first: WebhookDelivery) -> None:
        """Send one mail for all that is due to a webhook, once a minute."""
        with connected():
            webhook = Webhook.find(first.webhook_id)
            if webhook is None or webhook.disabled_at is not None:
                first.withdraw()
                return
            lines = self._lines_of(first.due_with(MOST_LINES))
            if not lines:
                return
            with transaction(webhook.owner_id):
                about = webhook.owner_id, "notice", webhook.mail_address
                if wait_ms := MailLimit.wait_ms(*about):
                    first.postpone(now() + wait_ms)
                    return
            named = next(iter(lines))
            message = compose_notice(webhook, named, lines.values())
        outcome = self._mailer.send(message) if self._mailer else _NO_MAILER
        with connected():
            due_at = self._retry_at(named.attempts, outcome)
            for delivery in lines:
                webhook.record_outcome(delivery, outcome, due_at)

    def _lines_of(self, deliveries: list[WebhookDelivery]) -> dict[WebhookDelivery, str]:
        """Return the lines of a mail; a delivery without a line holds none of the others back."""
        lines = {}
        for delivery in deliveries:
            event = event_of(delivery)
            if event is None:
                delivery.refuse()
                continue
            try:
                lines[delivery] = line_of(event, sentence_of(event))
            except Exception as error:
                self.record_failure(delivery, error)
        return lines

"""The dispatcher, which hands due deliveries and mails to the threads that send them.

Each webhook has one delivery in flight, so events arrive in order as long as first attempts
succeed; a failed delivery waits for its retry while later events are sent. So it is with the mails
of an owner: rows of one lane are sent one after another. A row stays due until its attempt has
ended: after a crash, rows in flight are sent again.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from models import Webhook, WebhookDelivery, connected, current_runtime
from models.events import Mail, SmtpClient, delivery_queued, release_lanes
from models.runtime import log_failure

from .deliveries import DeliverySenders
from .http_client import SafeHttpClient
from .limits import DispatcherLimits
from .mail import MailSenders

T = TypeVar("T")


class Dispatcher:
    """The thread that looks for due rows, and the threads that send: to webhooks, and mail."""

    def __init__(
        self,
        client: SafeHttpClient,
        limits: DispatcherLimits | None = None,
        mailer: SmtpClient | None = None,
    ) -> None:
        self._limits = limits or DispatcherLimits()
        self._sends_mail = mailer is not None
        self.deliveries = DeliverySenders(client, self._limits)
        self.mail = MailSenders(mailer, self._limits)
        self._gets_mail: dict[str, bool] = {}  # by webhook: it does not change
        self._failing: dict[str, float] = {}  # steps, until when by `time.monotonic`
        self._stopped = threading.Event()
        self._dispatcher = threading.Thread(target=self._run, name="dispatcher", daemon=True)
        self._dispatcher.start()

    def stop(self) -> None:
        """Wait for deliveries in flight; a row that takes longer is sent again after the next
        start.
        """
        deadline = time.monotonic() + self._limits.drain_seconds
        self._stopped.set()
        delivery_queued.set()
        self._dispatcher.join(self._limits.drain_seconds)
        self.deliveries.begin_stop()
        self.mail.begin_stop()
        self.deliveries.join(deadline)
        self.mail.join(deadline)
        self._release_all()

    def _run(self) -> None:
        self._release_all()
        while not self._stopped.is_set():
            delivery_queued.wait(self._dispatch_due())
            delivery_queued.clear()  # before it is seen if `stop`, which sets it, was called

    def _dispatch_due(self) -> float:
        """Dispatch all that is due; return the seconds until there is something to do again."""
        poll_seconds = self._limits.poll_seconds
        none_due: list[WebhookDelivery] = []
        no_mail: list[Mail] = []
        busy = self.deliveries.busy()
        busy_with_mail = self.mail.busy()
        due = self._attempt(
            "deliveries cannot be read", WebhookDelivery.next_due_per_webhook, none_due
        )
        self._learn_what_gets_mail({delivery.webhook_id for delivery in due})
        notices = [delivery for delivery in due if self._gets_mail.get(delivery.webhook_id)]
        others = [delivery for delivery in due if not self._gets_mail.get(delivery.webhook_id)]
        mails = no_mail
        if self._sends_mail:
            mails = self._attempt("mail cannot be read", Mail.next_due_per_owner, no_mail)
        wait_seconds = self._attempt(
            "deliveries are not dispatched",
            lambda: self.deliveries.dispatch(others, busy),
            poll_seconds,
        )
        wait_for_mail_seconds = self._attempt(
            "mail is not dispatched",
            lambda: self.mail.dispatch([*notices, *mails], busy_with_mail),
            poll_seconds,
        )
        if not self._failing:
            current_runtime().dispatched_at = time.time()
        rests_seconds = [until - time.monotonic() for until in self._failing.values()]
        return max(0, min(wait_seconds, wait_for_mail_seconds, *rests_seconds))

    def _attempt(self, failure: str, step: Callable[[], T], otherwise: T) -> T:
        """Return the result of a step; `otherwise` if it fails, and some seconds afterwards."""
        if time.monotonic() < self._failing.get(failure, 0):
            return otherwise
        self._failing.pop(failure, None)
        try:
            with connected():
                return step()
        except Exception as error:
            log_failure(failure, error)
            self._failing[failure] = time.monotonic() + self._limits.backoff_seconds
            return otherwise

    def _learn_what_gets_mail(self, webhook_ids: set[str]) -> None:
        """Learn which of these webhooks get mail, and forget all others.

        To send to a webhook whose address cannot be read fails, and that counts as an attempt.
        """
        self._gets_mail = {id: it for id, it in self._gets_mail.items() if id in webhook_ids}
        for webhook_id in webhook_ids - self._gets_mail.keys():
            with suppress(Exception), connected():
                webhook = Webhook.find(webhook_id)
                self._gets_mail[webhook_id] = bool(webhook and webhook.mail_address)

    def _release_all(self) -> None:
        try:
            release_lanes()
        except Exception as error:
            log_failure("what is sent is not released", error)

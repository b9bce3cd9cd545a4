"""A webhook: the address a user's events are sent to, their types, and the signing secrets.

Address, description, secrets and since when it fails are sealed with the user's key. A replaced
secret signs beside the new one for another day.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Self

from peewee import SQL, BigIntegerField, TextField
from peewee import Table as TableReference

from crypto import signing

from ..core import Invalid, NotFound, TooManyRequests, WebhookDisabled, now
from ..records import Issued, ResultPage, Sealed, SealedByOwner, SealedName
from ..runtime import current_runtime, refuse_if_full
from ..storage import accept_request, separate_transaction, transaction
from .attempt import Outcome
from .delivery import WebhookDelivery
from .event import Event
from .event_types import EVENT_TYPES, NOTICES, VISITED
from .mail import is_mail_address
from .mail_limit import MailLimit
from .notices import ask, email_of, is_code
from .webhook_url import MAIL_SCHEME, require_reachable

OVERLAP_MS = 24 * 60 * 60 * 1000
FAILING_MS = 5 * 24 * 60 * 60 * 1000
GONE = 410
UNCONFIRMED = "unconfirmed"  # why it is disabled: nobody at the address has agreed yet


class Webhook(SealedByOwner):
    PREFIX = "whk"

    types = TextField()
    disabled_at = BigIntegerField(null=True)
    disabled_reason = TextField(null=True)

    url = Sealed[str](never_remembered="An address, which may hold a secret.")
    description = SealedName[str | None]()
    secrets = Sealed[list[list[Any]]](never_remembered="Whoever has them can sign.")
    """Pairs of a secret and when it stops signing."""
    failing_since = Sealed[int | None]()
    """The first failure after which none has succeeded; None if there is none."""

    @classmethod
    def register(
        cls,
        owner_id: str,
        url: str,
        types: Iterable[str] | None = None,
        description: str | None = None,
    ) -> "Issued[Self] | Self":
        """Return a new webhook with its secret. Raise `Invalid` if its address may not be reached.

        A webhook whose address gets mail has no secret, and is disabled until somebody there
        confirms it.
        """
        issued = cls._register(owner_id, url, types, description)
        return issued.row if issued.row.mail_address else issued

    @classmethod
    def _register(
        cls,
        owner_id: str,
        url: str,
        types: Iterable[str] | None = None,
        description: str | None = None,
    ) -> Issued[Self]:
        require_reachable(url)
        webhook = cls.fresh(owner_id=owner_id, url=url, description=description)
        secret = signing.generate_secret()
        webhook.secrets = [[secret, None]]
        webhook.types = _joined(types or (NOTICES if webhook.mail_address else EVENT_TYPES))
        if webhook.mail_address:
            webhook.disabled_at = webhook.created_at
            webhook.disabled_reason = UNCONFIRMED
        with transaction(owner_id):
            count = cls.select().where(cls.owner_id == owner_id).count()
            most = current_runtime().settings.quota_webhooks
            refuse_if_full(count, most, "webhook", "Delete one first.")
            webhook.store()
            if webhook.mail_address:
                ask(webhook, email_of(owner_id))
        return Issued(webhook, secret)

    @classmethod
    def mailing_to(cls, owner_id: str, address: str) -> Self | None:
        """Return the owner's webhook that sends mail to this address."""
        found = cls.rows(cls.select().where(cls.owner_id == owner_id))
        return next((one for one in found if one.url == MAIL_SCHEME + address), None)

    @classmethod
    def notify_owner(cls, owner_id: str) -> None:
        """Have visits of chosen links reported to the owner's own address, which is asked first.

        Call it in the transaction that stores the choice. Raises `Invalid`, `QuotaExceeded`,
        `TooManyRequests`.
        """
        address = email_of(owner_id)
        if not is_mail_address(address):
            raise Invalid("#/notifyOwner", "The address of this account is none that gets mail.")
        webhook = cls.mailing_to(owner_id, address)
        if webhook is None:
            made = cls._register(owner_id, MAIL_SCHEME + address, (VISITED,)).row
            MailLimit.permits_question(made.id)  # which it has just been asked
            return
        if VISITED not in webhook.types.split():
            webhook.change(types=_joined([*webhook.types.split(), VISITED]))
        if webhook.disabled_reason != UNCONFIRMED:
            webhook.edit(enabled=True)
        elif MailLimit.permits_question(webhook.id):
            with suppress(TooManyRequests):  # it was asked a moment ago
                ask(webhook, address)

    @property
    def is_unconfirmed(self) -> bool:
        """Whether nobody at the address has agreed yet, or somebody there has ended the mails."""
        return self.disabled_reason == UNCONFIRMED

    @property
    def reports_visits(self) -> bool:
        """Whether it reports visits of chosen links."""
        return VISITED in self.types.split()

    @property
    def reports_all_links(self) -> bool:
        """Whether it also reports on links that were not chosen."""
        return "token.opened" in self.types.split()

    @classmethod
    def of_code(cls, id: str, code: str) -> Self:
        """Return the webhook whose mails hold this code; raise `NotFound` if there is none."""
        webhook = cls.find(id)
        if webhook is None or not (webhook.mail_address and is_code(webhook, code)):
            raise NotFound
        return webhook

    def answer(self, *, wanted: bool) -> None:
        """Record the answer of somebody at the address: send mail there from now on, or no more."""
        with transaction(self.owner_id):
            webhook = type(self).one_of(self.owner_id, self.id)
            if not wanted:
                webhook._disable(UNCONFIRMED)
            elif webhook.disabled_reason == UNCONFIRMED:
                webhook.change(disabled_at=None, disabled_reason=None)

    def ask_again(self) -> None:
        """Ask again for a confirmation, unless there is one. Raises `TooManyRequests`."""
        with transaction(self.owner_id):
            if self.disabled_reason == UNCONFIRMED:
                ask(self, email_of(self.owner_id))

    @property
    def mail_address(self) -> str:
        """The address of a webhook that sends mail; else ''."""
        return self.url.removeprefix(MAIL_SCHEME) if self.url.startswith(MAIL_SCHEME) else ""

    @property
    def old_secret_until(self) -> int | None:
        """The moment until which the former secret signs as well."""
        ends: list[int] = [until for _, until in self._live_secrets() if until]
        return max(ends, default=None)

    def edit(
        self,
        url: str | None = None,
        types: Iterable[str] | None = None,
        enabled: bool | None = None,
        **changes: Any,
    ) -> Self:
        """Change the given values. A webhook that is enabled again gets the events from now on."""
        if url is not None and url != self.url:
            if self.mail_address or url.startswith(MAIL_SCHEME):
                raise Invalid("#/url", "Whom mail goes to does not change. Make another webhook.")
            require_reachable(url)
            changes["url"] = url
        with transaction(self.owner_id):
            webhook = type(self).one_of(self.owner_id, self.id)  # read again under the writer lock
            if enabled and webhook.disabled_reason == UNCONFIRMED:
                raise Invalid("#/enabled", "The button in the mail to this address enables it.")
            if starts := enabled and webhook.disabled_at is not None:
                changes["failing_since"] = None
            if types is not None:
                changes["types"] = _joined(types)
            webhook.change(**changes)
            if enabled is False:
                webhook._disable("owner")
            elif starts:
                webhook.change(disabled_at=None, disabled_reason=None)
        return webhook

    @classmethod
    def backlog(cls) -> tuple[int, int]:
        """Return how many enabled webhooks have deliveries that failed and are tried again, and how
        many deliveries to the other enabled webhooks are due.

        Webhooks of disabled accounts do not count.
        """
        account: Any = TableReference("user_account", ("id", "disabled_at"))
        disabled = account.select(account.id).where(account.disabled_at.is_null(False))
        enabled = cls.select(cls.id).where(cls.disabled_at.is_null(), cls.owner_id.not_in(disabled))
        waiting = WebhookDelivery.select(WebhookDelivery.webhook_id).where(
            WebhookDelivery.due_at.is_null(False)
        )
        tried = waiting.where(WebhookDelivery.attempts > SQL("0"))  # as the index has it
        count = enabled.where(cls.id.in_(tried)).count()
        going_on = enabled.where(cls.id.not_in(tried))
        due = waiting.where(WebhookDelivery.due_at <= now())
        return count, due.where(WebhookDelivery.webhook_id.in_(going_on)).count()

    def rotate_secret(self) -> Issued[Self]:
        """Return a new secret; the former one signs for another day, older ones no longer."""
        if self.mail_address:
            raise WebhookDisabled("This webhook sends mail, which has no secret.")
        with transaction(self.owner_id):
            webhook = type(self).one_of(self.owner_id, self.id)
            secret = signing.generate_secret()
            (now_old, _), *_ = webhook.secrets
            webhook.change(secrets=[[secret, None], [now_old, now() + OVERLAP_MS]])
        return Issued(webhook, secret)

    def remove(self) -> None:
        """Delete it with its deliveries, these in batches."""
        accept_request(self.owner_id)
        of_this = WebhookDelivery.webhook_id == self.id
        WebhookDelivery.delete_in_batches(of_this, self.owner_id)
        with transaction(self.owner_id):
            type(self).delete().where(Webhook.id == self.id).execute()

    def test(self) -> WebhookDelivery:
        """Send a `webhook.test` event to this webhook alone."""
        with transaction(self.owner_id):
            self._refuse_if_disabled()
            Event.record(self.owner_id, "webhook.test", {"webhook_id": self.id}, to=self.id)
            (newest, *_), _ = self.deliveries(1, None)
        delivery: WebhookDelivery = newest
        return delivery

    def waiting(self) -> int:
        """Return the number of deliveries that are still to be sent."""
        count: int = WebhookDelivery.select().where(*WebhookDelivery.pending_of(self.id)).count()
        return count

    def deliveries(self, limit: int, after: str | None) -> ResultPage[WebhookDelivery]:
        return WebhookDelivery.page(self.owner_id, limit, after, webhook_id=self.id)

    def redeliver(self, delivery_id: str) -> WebhookDelivery:
        """Send its event once more; `NotFound` if the event is no longer kept."""
        with transaction(self.owner_id):
            self._refuse_if_disabled()
            delivery = WebhookDelivery.one_of(self.owner_id, delivery_id, webhook_id=self.id)
            if not Event.is_kept(self.owner_id, delivery.event_id):
                raise NotFound("This event is no longer kept.")
            delivery.send_again()
        return delivery

    def sign(self, event_id: str, moment_seconds: int, body: bytes) -> str:
        secrets = [secret for secret, _ in self._live_secrets()]
        return signing.signature(secrets, event_id, moment_seconds, body)

    def record_outcome(
        self, delivery: WebhookDelivery, outcome: Outcome, due_at: int | None
    ) -> None:
        """Store how an attempt ended, and disable the webhook if it fails for too long.

        It is not synced: a power cut costs one repeated delivery.
        """
        with separate_transaction(self.owner_id, synced=False):
            if webhook := type(self).find(self.id):  # unless deleted meanwhile
                alive = webhook.disabled_at is None and outcome.status != GONE
                with suppress(NotFound):  # deleted meanwhile
                    delivery.record_attempt(outcome, due_at if alive else None)
                webhook._judge(outcome)

    def _judge(self, outcome: Outcome) -> None:
        if outcome.succeeded:
            if self.failing_since:
                self.change(failing_since=None)
        elif outcome.status == GONE:
            self._disable("gone")
        elif self.failing_since is None:
            self.change(failing_since=now())
        elif now() - self.failing_since >= FAILING_MS:
            self._disable("failing")

    def _disable(self, reason: str) -> None:
        if self.disabled_at is None:
            self.change(disabled_at=now(), disabled_reason=reason)
            pending = WebhookDelivery.pending_of(self.id)
            WebhookDelivery.update(due_at=None).where(*pending).execute()
            facts = {"webhook_id": self.id, "reason": reason}
            Event.record(self.owner_id, "webhook.disabled", facts)

    def _refuse_if_disabled(self) -> None:
        if type(self).one_of(self.owner_id, self.id).disabled_at:
            raise WebhookDisabled

    def _live_secrets(self) -> list[Any]:
        return [pair for pair in self.secrets if pair[1] is None or pair[1] > now()]

    def store_as_exported(self) -> None:
        """Store a webhook of another instance, disabled, with a new secret.

        Its owner enables it again; somebody at an address that gets mail confirms it again.
        """
        self.secrets = [[signing.generate_secret(), None]]
        if self.mail_address:
            self.disabled_reason = UNCONFIRMED
        if self.disabled_at is None:
            self.disabled_at = now()
            self.disabled_reason = self.disabled_reason or "owner"
        self.store()


def _joined(types: Iterable[str]) -> str:
    """Return words with a space before and after each, so that a search finds whole types only."""
    return f" {' '.join(dict.fromkeys(types))} "

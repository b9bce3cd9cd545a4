"""A webhook: where a user's events are sent, which of them, and signed by which secret.

Address, description and secrets are sealed by the user's key. A secret that was replaced goes on
signing beside the new one for a day.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar, Self, cast

from peewee import BigIntegerField, BlobField, TextField

from crypto import signing

from .delivery import Outcome, WebhookDelivery
from .errors import Invalid, NotFound, QuotaExceeded, WebhookDisabled
from .event import TYPES, Event
from .records.ids import now
from .records.owned import Owned, ResultPage
from .storage.database import transaction
from .user import User
from .webhook_url import Networks, WebhookUrl

OVERLAP_MS = 24 * 60 * 60 * 1000
FAILING_MS = 5 * 24 * 60 * 60 * 1000
MOST = 20  # of one user's
GONE = 410


class Webhook(Owned):
    PREFIX = "whk"
    allowed: ClassVar[Networks] = ()  # networks that may be reached though they are private

    types = TextField()
    sealed_terms = BlobField()
    disabled_at = BigIntegerField(null=True)
    disabled_reason = TextField(null=True)
    failing_since = BigIntegerField(null=True)

    secret: str | None = None  # on a webhook just made or given a new one, and never again

    @classmethod
    def register(
        cls, owner_id: str, url: str, types: Iterable[str] = TYPES, description: str | None = None
    ) -> Self:
        _destination(url)
        webhook: Self = cls.fresh(owner_id=owner_id)
        webhook.secret = signing.generate_secret()
        webhook.types = _spelled(types)
        webhook._seal({"url": url, "description": description, "secrets": [[webhook.secret, None]]})
        with transaction():
            if len(cls.rows("owner_id = :owner", owner=owner_id)) >= MOST:
                raise QuotaExceeded(f"You have {MOST} webhooks, the most there can be. Delete one.")
            webhook.insert_row()
        return webhook

    @cached_property
    def terms(self) -> dict[str, Any]:
        """`url`, `description`, and `secrets`: each with the moment until which it signs."""
        terms: dict[str, Any] = self._owner.unseal("webhook/1", self.id, self.sealed_terms)
        return terms

    @property
    def url(self) -> str:
        return str(self.terms["url"])

    @property
    def description(self) -> str | None:
        return self.terms["description"] and str(self.terms["description"])

    @property
    def old_secret_until(self) -> int | None:
        """Until when the secret before this one signs as well."""
        ends: list[int] = [until for _, until in self._live_secrets() if until]
        return max(ends, default=None)

    def edit(
        self,
        url: str | None = None,
        types: Iterable[str] | None = None,
        enabled: bool | None = None,
        **terms: Any,
    ) -> Self:
        """New values for what is given; to enable it starts anew, with what happens from now on."""
        if url is not None:
            _destination(url)
            terms["url"] = url
        with transaction():
            found = type(self).one_of(self.owner_id, self.id)  # as it is now
            found._seal(found.terms | terms)
            found.types = found.types if types is None else _spelled(types)
            found.change(sealed_terms=found.sealed_terms, types=found.types)
            if enabled is False:
                found._disable("owner")
            elif enabled and found.disabled_at:
                found.change(disabled_at=None, disabled_reason=None, failing_since=None)
        return found

    def rotate_secret(self) -> Self:
        """A new secret; the one before signs for another day, those before that no more."""
        with transaction():
            found = type(self).one_of(self.owner_id, self.id)
            found.secret = signing.generate_secret()
            (now_old, _), *_ = found.terms["secrets"]
            secrets = [[found.secret, None], [now_old, now() + OVERLAP_MS]]
            found._seal(found.terms | {"secrets": secrets})
            found.change(sealed_terms=found.sealed_terms)
        return found

    def remove(self) -> None:
        """With its deliveries."""
        with transaction():
            type(self).delete().where(Webhook.id == self.id).execute()

    def test(self) -> WebhookDelivery:
        """A `webhook.test` for this one alone."""
        with transaction():
            self._refuse_if_disabled()
            Event.tell(self.owner_id, "webhook.test", {"webhook_id": self.id}, to=self.id)
            (newest, *_), _ = self.deliveries(1, None)
        return cast(WebhookDelivery, newest)

    def deliveries(self, limit: int, after: str | None) -> ResultPage:
        found, further = WebhookDelivery.page_of_webhook(self, limit, after)
        return [self._opened(one) for one in found], further

    def redeliver(self, delivery_id: str) -> WebhookDelivery:
        with transaction():
            self._refuse_if_disabled()
            delivery = WebhookDelivery.one_of_webhook(self, delivery_id)
            if not Event.rows("owner_id = :o AND id = :e", o=self.owner_id, e=delivery.event_id):
                raise NotFound("This event is no longer kept.")
            delivery.send_again()
        return self._opened(delivery)

    def sign(self, event_id: str, moment_seconds: int, body: bytes) -> str:
        secrets = [secret for secret, _ in self._live_secrets()]
        return signing.signature(secrets, event_id, moment_seconds, body)

    def note(self, delivery: WebhookDelivery, outcome: Outcome, due_at: int | None) -> None:
        """How a try ended, and what follows for the webhook. A lost note costs one repetition."""
        result = {"answer": outcome.answer, "error": outcome.error}
        sealed = self._owner.seal("delivery/1", delivery.id, result)
        with transaction(synced=False):
            for webhook in type(self).rows("id = :id", id=self.id):  # unless deleted meanwhile
                alive = webhook.disabled_at is None and outcome.status != GONE
                delivery.tried(outcome, sealed, due_at if alive else None)
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
            WebhookDelivery.give_up(self)
            facts = {"webhook_id": self.id, "reason": reason}
            Event.tell(self.owner_id, "webhook.disabled", facts)

    def _refuse_if_disabled(self) -> None:
        if type(self).one_of(self.owner_id, self.id).disabled_at:
            raise WebhookDisabled

    def _opened(self, delivery: WebhookDelivery) -> WebhookDelivery:
        if delivery.sealed_result:
            sealed = delivery.sealed_result
            result = self._owner.unseal("delivery/1", delivery.id, sealed)
            delivery.answer, delivery.error = result["answer"], result["error"]
        return delivery

    def _live_secrets(self) -> list[Any]:
        return [one for one in self.terms["secrets"] if one[1] is None or one[1] > now()]

    def _seal(self, terms: dict[str, Any]) -> None:
        self.terms = terms
        self.sealed_terms = self._owner.seal("webhook/1", self.id, terms)

    @cached_property
    def _owner(self) -> User:
        (owner,) = User.rows("id = :id", id=self.owner_id)
        return owner


def _destination(url: str) -> None:
    destination = WebhookUrl.of(url)
    if destination is None:
        raise Invalid(
            "#/url",
            "Use an address like https://example.org/hook: https, a name in ASCII or a usual IP "
            "address, no user, no fragment.",
        )
    if not destination.may_be_reached(Webhook.allowed):
        raise Invalid(
            "#/url",
            "Webhooks reach public addresses by https. For another network, or http, the setting "
            "WEBHOOK_ALLOW has to name it.",
        )


def _spelled(types: Iterable[str]) -> str:
    """With a space before and behind each, so that one finds a type and not a part of one."""
    return f" {' '.join(dict.fromkeys(types))} "

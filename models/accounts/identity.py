"""An identity: how the trusted proxy or a provider knows somebody, bound to one account.

It is a pair, (issuer, subject): of OpenID Connect the provider's address and its `sub`, of the
proxy `proxy` and the folded e-mail address. An account is found by it, never by an address alone.
"""

from typing import Self

from peewee import BigIntegerField, IntegrityError, TextField

from ..core import EmailTaken, now
from ..events import Event
from ..records import Sealed, SealedByOwner
from ..runtime import current_runtime, refuse_if_full
from ..storage import transaction

PROXY = "proxy"
# How an identity came to be bound:
BY_SETTING = "setting"  # SIGN_IN_ALLOW named its person
BY_INVITATION = "invitation"
BY_OPERATOR = "operator"
BY_SESSION = "session"  # of the account, which has added it
MOST_IDENTITIES = 20  # of an account


class IdentityTaken(EmailTaken):
    sentence = "This login belongs to another account. Log in with it, and remove it there first."


class Identity(SealedByOwner):
    PREFIX = "idn"
    UNBOUND = ("last_used_at",)

    issuer = TextField()
    subject = TextField()
    last_used_at = BigIntegerField(null=True)

    bound_by = Sealed[str | None]()  # None of those that version 1.0.0 has bound

    @classmethod
    def of(cls, issuer: str, subject: str) -> Self | None:
        """Return the identity of this pair; None if it is bound to no account."""
        return cls.first(cls.select().where(cls.issuer == issuer, cls.subject == subject))

    @classmethod
    def of_owner(cls, owner_id: str) -> list[Self]:
        return cls.rows(cls.select().where(cls.owner_id == owner_id).order_by(cls.id))

    @classmethod
    def link(cls, owner_id: str, issuer: str, subject: str, bound_by: str = BY_SESSION) -> Self:
        """Return the identity, bound to this account; it may be bound to it already.

        One that an operator or an invitation binds again is judged by `SIGN_IN_ALLOW` no more.
        Raises `IdentityTaken` if it is bound to another account, and `QuotaExceeded`.
        """
        with transaction(owner_id):
            known = cls.of(issuer, subject)
            if known and known.owner_id == owner_id:
                if bound_by in {BY_OPERATOR, BY_INVITATION}:
                    known.change(bound_by=bound_by)
                return known
            if known:
                raise IdentityTaken
            count = cls.select().where(cls.owner_id == owner_id).count()
            refuse_if_full(count, MOST_IDENTITIES, "other login", "Remove one first.")
            identity = cls.fresh(owner_id=owner_id, issuer=issuer, subject=subject)
            identity.bound_by = bound_by
            try:
                identity.store()
            except IntegrityError:  # another account was faster
                raise IdentityTaken from None
            Event.record(owner_id, "identity.linked", identity.facts)
        return identity

    @property
    def facts(self) -> dict[str, str]:
        """The facts of its events, which name no address."""
        return {"identity_id": self.id, "issuer": self.issuer}

    @property
    def is_of_proxy(self) -> bool:
        return self.issuer == PROXY

    @property
    def is_judged(self) -> bool:
        """Whether `SIGN_IN_ALLOW` has to name its person at each login by the provider.

        It does not judge whom an operator or an invitation has let in. A login that somebody adds
        in a session is judged if SIGN_IN_ALLOW has made the account.
        """
        if self.is_of_proxy or self.bound_by in {BY_OPERATOR, BY_INVITATION}:
            return False
        if self.bound_by is None:
            return current_runtime().settings.sign_in_allow is not None
        return any(one.bound_by == BY_SETTING for one in Identity.of_owner(self.owner_id))

    @property
    def works(self) -> bool:
        """Whether it lets anybody in by the present settings."""
        settings = current_runtime().settings
        if self.is_of_proxy:
            return settings.auth_header is not None
        return self.issuer == settings.oidc_issuer

    def note_login(self) -> None:
        """Note that a session begins by it, in the transaction in which the session begins."""
        Identity.update(last_used_at=now()).where(Identity.id == self.id).execute()

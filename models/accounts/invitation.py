"""An invitation: a one-time secret by which one e-mail address gets an account, or its account a
new password. It is stored as a digest.
"""

from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import credentials

from ..core import Invalid, OperatorError, now
from ..events import Event
from ..records import Authenticated, Issued
from ..storage import in_one_transaction, transaction
from .user import User, fold_email, require_strong_password

LIFE_DAYS = 7
_REFUSAL = (
    "This invitation is unknown, has expired, was used, or is for another e-mail address. Ask the "
    "person who runs this service for a new one."
)


class Invitation(Authenticated):
    PREFIX = "inv"
    AUTHORITY = ("id", "email_folded", "digest", "expires_at")

    email_folded = TextField()
    digest = BlobField()
    expires_at = BigIntegerField()

    @classmethod
    def issue(cls, email: str) -> Issued[Self]:
        """A new invitation, which replaces a former one of the same address.

        OperatorError if its account is disabled.
        """
        user, folded = User.find_by_email(email), fold_email(email)
        if user and user.disabled_at is not None:
            raise OperatorError(f"The account {email} is disabled. Enable it first.")
        secret = credentials.generate(credentials.INVITATION)
        invitation: Self = cls.fresh(email_folded=folded, digest=credentials.fingerprint(secret))
        invitation.expires_at = invitation.created_at + LIFE_DAYS * 86_400_000
        with transaction():
            cls.delete().where(cls.email_folded == folded).execute()
            invitation.insert_row()
            facts = {"invitation_id": invitation.id, "user_id": user.id if user else None}
            Event.record_of_service("account.invited", facts)
        return Issued(invitation, secret)

    @classmethod
    def of_secret(cls, secret: str, email: str) -> Self:
        """The invitation of this address; `Invalid`, always the same, if there is none."""
        digest, folded = credentials.fingerprint(secret), fold_email(email)
        its = cls.digest == digest, cls.email_folded == folded, cls.expires_at > now()
        for invitation in cls.genuine(cls.select().where(*its)):
            return invitation
        raise Invalid("#/invite", _REFUSAL)

    def accept(
        self, email: str, password: str, name: str | None, address: str
    ) -> tuple[User, bool]:
        """The user, and whether the account is new; the sessions of a former one have ended.

        Of several at once one succeeds. `name` replaces that of a former account if it is given.
        Raises `Invalid`, and `EmailTaken` if meanwhile the address was registered.
        """
        require_strong_password(password, "#/password")
        user = User.find_by_email(email)
        with in_one_transaction():
            if is_new := user is None:
                user = User.register(email, password, name, "open", address)
            else:
                user = user.set_password(password, name)
            with transaction(user.id):
                if not type(self).delete().where(Invitation.id == self.id).execute():
                    raise Invalid("#/invite", _REFUSAL)
        return user, is_new


def register(
    email: str, password: str, name: str | None, invite: str | None = None, address: str = ""
) -> tuple[User, bool]:
    """A new account, as the setting `registration` says or `invite` permits; and whether it is new:
    for an account that exists, `invite` sets its password. Raises what `User.register` raises.
    """
    if invite is None:
        return User.register(email, password, name, address=address), True
    return Invitation.of_secret(invite, email).accept(email, password, name, address)

"""An invitation: a one-time secret by which one e-mail address gets an account, or its account a
new password. It is stored as a digest.

An address has at most one of the operator, and beside it those that were asked for by mail. All of
them end with the password that was in force when they were made: see `User`.
"""

from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import credentials

from ..core import Allowance, Invalid, NotFound, OperatorError, now
from ..events import COMPOSERS, Event, Mail, MailLimit, is_mail_address
from ..records import Authenticated, Issued
from ..runtime import current_runtime
from ..storage import SERVICE, transaction
from .user import User, fold_email, refuse_if_passwords_off, require_strong_password

LIFE_DAYS = 7
RESET_SECONDS = 3600
_INVITATION = """Hello,

this invitation {} {}:

{}

The link works once, for {} days, with this e-mail address."""
_RESET = """Hello,

someone, probably you, asked to reset the password of your account at
{}. Choose a new one here:

{}

The link works once, within an hour, with this e-mail address, and logs you out everywhere. If you
did not ask, do nothing: your password stays as it is."""
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
        """Return a new invitation by the operator; it replaces all former ones of the address.

        Raises OperatorError if its account is disabled.
        """
        user = User.find_by_email(email)
        folded = fold_email(email)
        if user and user.disabled_at is not None:
            raise OperatorError(f"The account {email} is disabled. Enable it first.")
        with transaction():
            cls.delete().where(cls.email_folded == folded).execute()
            return cls._add(folded, user, LIFE_DAYS * 86_400)

    @classmethod
    def _add(cls, email_folded: str, user: User | None, life_seconds: int) -> Issued[Self]:
        secret = credentials.generate(credentials.INVITATION)
        digest = credentials.fingerprint(secret)
        invitation: Self = cls.fresh(email_folded=email_folded, digest=digest)
        invitation.expires_at = invitation.created_at + life_seconds * 1000
        with transaction():
            invitation.insert_row()
            facts = {"invitation_id": invitation.id, "user_id": user.id if user else None}
            Event.record_of_service("account.invited", facts)
        return Issued(invitation, secret)

    @classmethod
    def issue_by_mail(cls, email: str) -> Issued[Self]:
        """Issue an invitation, and send it by mail.

        Raises OperatorError if no mail can be sent to this address.
        """
        does = "makes you an account at"
        if User.find_by_email(email):
            has_passwords = current_runtime().settings.passwords == "on"
            does = (
                "sets a new password for" if has_passwords else "adds your login to your account at"
            )
        with transaction():
            issued = cls.issue(email)
            text = _INVITATION.format(does, _service(), address_of(issued.secret), LIFE_DAYS)
            if not Mail.enqueue(SERVICE, "invitation", email, "Your invitation", text):
                raise OperatorError(f"{email} is no address that mail can be sent to.")
        return issued

    @classmethod
    def compose_reset(cls, email: str, _text: str) -> tuple[str, str, str] | None:
        """Return the mail with a link for a new password, if the account can log in; else None.

        Anybody may ask for it: so its link stands beside the former ones, and ends none.
        """
        user = User.find_by_email(email)
        if user is None or user.disabled_at is not None or not is_mail_address(user.email):
            return None
        if MailLimit.wait_ms(user.id, "reset", user.email):
            return None
        secret = cls._add(user.email_folded, user, RESET_SECONDS).secret
        return user.email, "Reset your password", _RESET.format(_service(), address_of(secret))

    @classmethod
    def sets_password(cls, secret: str) -> bool:
        """Return whether the invitation is for an account that exists."""
        found = cls.select().where(
            cls.digest == credentials.fingerprint(secret), cls.expires_at > now()
        )
        return any(User.find_by_email(one.email_folded) for one in cls.genuine(found))

    @classmethod
    def of_secret(cls, secret: str, email: str) -> Self:
        """Return the invitation with this secret, or raise `Invalid`, always the same."""
        found = cls.select().where(
            cls.digest == credentials.fingerprint(secret),
            cls.email_folded == fold_email(email),
            cls.expires_at > now(),
        )
        for invitation in cls.genuine(found):
            return invitation
        raise Invalid("#/invite", _REFUSAL)

    def accept(
        self, email: str, password: str, name: str | None, address: str
    ) -> tuple[User, bool]:
        """Return the user, and whether the account is new; all former sessions have ended.

        If several accept at once, one succeeds. A `name` replaces that of a former account. Raises
        `Invalid`, and `EmailTaken` if meanwhile the address was registered.
        """
        require_strong_password(password, "#/password")
        user = User.find_by_email(email)
        if user is None:
            new = User.register(email, password, name, "open", address, claim=self.claim)
            return new, True
        return user.set_password(password, name, claim=self.claim), False

    def claim(self) -> None:
        """Use the invitation up, in the transaction that sets the password or binds an identity.

        Raises `Invalid` if it has ended meanwhile.
        """
        if not type(self).delete().where(Invitation.id == self.id).execute():
            raise Invalid("#/invite", _REFUSAL)


COMPOSERS["reset"] = Invitation.compose_reset


def count_reset(network: str) -> Allowance | None:
    """Count a request for a new password.

    Raises `NotFound` if the service sends no mail, and `PasswordsOff`.
    """
    refuse_if_passwords_off()
    if current_runtime().settings.smtp_url is None:
        raise NotFound
    return current_runtime().reset_limiter.spend(network)


def request_reset(email: str) -> None:
    """Have a link sent to this address, if an account has it: that is looked up when it is sent."""
    Mail.enqueue_request(SERVICE, "reset", email)


def address_of(secret: str) -> str:
    """Return the address of the page that takes the invitation."""
    return f"{_service()}/app/signup?invite={secret}"


def _service() -> str:
    settings = current_runtime().settings
    here = "localhost" if settings.listen.startswith("unix:") else settings.listen
    return settings.base_url or f"http://{here}"


def register(
    email: str, password: str, name: str | None, invite: str | None = None, address: str = ""
) -> tuple[User, bool]:
    """Register an account as the setting `registration` or `invite` permits.

    Returns the user, and whether the account is new. For an account that exists, `invite` sets its
    password. Raises the errors of `User.register`, and `PasswordsOff`.
    """
    refuse_if_passwords_off()
    if invite is None:
        return User.register(email, password, name, address=address), True
    return Invitation.of_secret(invite, email).accept(email, password, name, address)

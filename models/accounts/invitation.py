"""An invitation: a one-time secret by which one e-mail address gets an account, or its account a
new password. It is stored as a digest.

An address has at most one of the operator, and beside it those that were asked for by mail. All of
them end with the password that was in force when they were made: see `User`.

One that a manager of a space has made also makes its person a member. It is for a new account
alone, and sets no password: managers may not get into accounts that exist.
"""

from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import credentials

from ..core import Allowance, Invalid, NotFound, OperatorError, now
from ..events import Event, Mail, MailLimit, has_mail, is_mail_address, name_in_mail
from ..records import Issued, SealedByService
from ..runtime import current_runtime, refuse_if_full
from ..storage import SERVICE, in_one_transaction, transaction
from .member import Member, require_role
from .space import add_invited, space_of
from .user import User, fold_email, refuse_if_passwords_off, require_strong_password

LIFE_DAYS = 7
RESET_SECONDS = 3600
MOST_INVITED = 20  # invitations of a space that wait
_INVITATION = """Hello,

this invitation {} {}:

{}

The link works once, for {} days, with this e-mail address."""
_RESET = """Hello,

someone, probably you, asked to reset the password of your account. Choose a new one here:

{}

The link works once, within an hour, with this e-mail address, and logs you out everywhere. If you
did not ask, do nothing: your password stays as it is."""
_INVITATION_TO_SPACE = """Hello,

{person} invites you to the space "{space}" at

{link}

The link works once, for {days} days, with this e-mail address, and makes you an account. If you
did not expect this, do nothing."""
_REFUSAL = (
    "This invitation is unknown, has expired, was used, or is for another e-mail address. Ask the "
    "person who runs this service for a new one."
)


class Invitation(SealedByService):
    PREFIX = "inv"

    email_folded = TextField()
    digest = BlobField()
    expires_at = BigIntegerField()
    space_id = TextField(null=True)  # the space of which it makes somebody a member,
    role = TextField(null=True)  # in this role,
    inviter_id = TextField(null=True)  # as long as this person manages the space

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
    def issue_for_space(
        cls, space_id: str, inviter: User, email: str, role: str
    ) -> Issued[Self] | None:
        """Invite somebody without an account to a space, as a manager of the space.

        Return the invitation, for the manager to hand over; None if it goes by mail. It replaces
        former ones of this space to the address. Raises `Invalid` if there is an account with the
        address or no mail can be sent to it, `QuotaExceeded`, and as `Member.manager`.
        """
        require_role(role)
        folded = fold_email(email)
        with transaction():
            Member.manager(space_id, inviter.id)
            if User.find_by_email(email):
                raise Invalid("#/email", "There is an account with this address. Add it instead.")
            cls.delete().where(cls.space_id == space_id, cls.email_folded == folded).execute()
            waiting = len(cls.waiting_for(space_id))
            refuse_if_full(waiting, MOST_INVITED, "invitation", "Withdraw one.", "to this space")
            issued = cls._add(
                folded,
                None,
                LIFE_DAYS * 86_400,
                space_id=space_id,
                role=role,
                inviter_id=inviter.id,
            )
            facts = {"invitation_id": issued.row.id, "role": role, "user_id": inviter.id}
            Event.record(space_id, "invitation.created", facts)
            if not has_mail():
                return issued
            text = _INVITATION_TO_SPACE.format(
                person=name_in_mail(inviter.email),
                space=" ".join(space_of(space_id, inviter.id).name.split()),
                link=address_of(issued.secret),
                days=LIFE_DAYS,
            )
            if not Mail.enqueue(space_id, "member", email, "Your invitation", text):
                raise Invalid("#/email", "No mail can be sent to this address now.")
            return None

    @classmethod
    def waiting_for(cls, space_id: str) -> list[Self]:
        """Return the invitations to a space that nobody has accepted yet."""
        found = cls.select().where(cls.space_id == space_id, cls.expires_at > now())
        return cls.rows(found.order_by(cls.id))

    @classmethod
    def take_back(cls, space_id: str, by_id: str, id: str) -> None:
        """Delete an invitation to a space, as a manager of the space."""
        with transaction(space_id):
            Member.manager(space_id, by_id)
            is_it = cls.space_id == space_id, cls.id == id
            if not cls.delete().where(*is_it).execute():
                raise NotFound
            facts = {"invitation_id": id, "user_id": by_id}
            Event.record(space_id, "invitation.withdrawn", facts)

    @property
    def is_valid(self) -> bool:
        """Whether whoever made it may still invite: the operator always, a manager to the space."""
        if self.space_id is None:
            return True
        space = User.find(self.space_id)
        is_open = space is not None and space.disabled_at is None
        return is_open and Member.manages(self.space_id, self.inviter_id)

    @property
    def let_in_by(self) -> str:
        """The id of the inviter who lets somebody have an account, or `SERVICE`: see `Owner`."""
        return self.inviter_id or SERVICE

    @classmethod
    def _add(
        cls, email_folded: str, user: User | None, life_seconds: int, **to_space: str
    ) -> Issued[Self]:
        secret = credentials.generate(credentials.INVITATION)
        digest = credentials.fingerprint(secret)
        invitation = cls.fresh(email_folded=email_folded, digest=digest, **to_space)
        invitation.expires_at = invitation.created_at + life_seconds * 1000
        with transaction():
            invitation.store()
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
        return user.email, "Reset your password", _RESET.format(address_of(secret))

    @classmethod
    def of_link(cls, secret: str) -> Self | None:
        """Return the invitation with this secret, while it works; None once it has ended."""
        is_it = cls.digest == credentials.fingerprint(secret)
        found = cls.rows(cls.select().where(is_it, cls.expires_at > now()))
        return next((one for one in found if one.is_valid), None)

    @property
    def email(self) -> str:
        """The address that is invited, as its account has it if there is one."""
        user = User.find_by_email(self.email_folded)
        return user.email if user else self.email_folded

    @property
    def space_name(self) -> str:
        """The name of the space to which it invites; '' if to none."""
        space = User.find(self.space_id or "")
        return (space.name or "") if space else ""

    @property
    def inviter_name(self) -> str:
        """The name of the manager who invites, else the address; '' for the operator."""
        inviter = User.find(self.inviter_id or "")
        return (inviter.name or inviter.email) if inviter else ""

    @property
    def sets_password(self) -> bool:
        """Whether it is for an account that exists."""
        return self.space_id is None and User.find_by_email(self.email_folded) is not None

    @classmethod
    def of_secret(cls, secret: str, email: str) -> Self:
        """Return the invitation with this secret, or raise `Invalid`, always the same."""
        found = cls.select().where(
            cls.digest == credentials.fingerprint(secret),
            cls.email_folded == fold_email(email),
            cls.expires_at > now(),
        )
        for invitation in cls.rows(found):
            if invitation.is_valid:
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
            with in_one_transaction():
                new = User.register(
                    email,
                    password,
                    name,
                    "open",
                    address,
                    claim=self.claim,
                    let_in_by=self.let_in_by,
                )
                self.join_space(new)
            return new, True
        self.refuse_if_for_new()
        return user.set_password(password, name, claim=self.claim), False

    def claim(self) -> None:
        """Use the invitation up, in the transaction that sets the password or binds an identity.

        Raises `Invalid` if it has ended meanwhile.
        """
        if not (self.is_valid and type(self).delete().where(Invitation.id == self.id).execute()):
            raise Invalid("#/invite", _REFUSAL)

    def refuse_if_for_new(self) -> None:
        """Raise `Invalid` if it is a manager's, for an account that exists by now."""
        if self.space_id is not None:
            raise Invalid("#/invite", _REFUSAL)

    def join_space(self, user: User) -> None:
        """Make the new account a member of the space, in the transaction that uses it up."""
        if self.space_id and self.inviter_id and self.role:
            add_invited(self.space_id, self.inviter_id, user.id, self.role)


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

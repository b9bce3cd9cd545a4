"""A user: an e-mail address, a name, a password; and the key that seals the last two."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from peewee import JOIN, SQL, IntegrityError, fn
from peewee import Table as TableReference

from crypto import passwords
from crypto.typed import without_blanks

from ..core import (
    EmailTaken,
    Invalid,
    NotFound,
    OperatorError,
    PasswordsOff,
    Payer,
    RegistrationClosed,
    WrongCredentials,
    generate_id,
    now,
)
from ..events import Event, EventHead
from ..records import SPACE_PREFIX, Origin, Owner, Sealed, SealedName, end_derived, payer_of
from ..runtime import current_runtime
from ..storage import SERVICE, separate_transaction, transaction
from .session import Session

OF_SPACE = "space "  # begins what stands in place of an address in the row of a space
UNNAMED_SPACE = "Unnamed space"  # that got a name of which nothing is seen
IMPORTING = "import "  # begins the name that stands in place of an address until an import ends


class Account(NamedTuple):
    """An account as the operator sees it."""

    id: str
    email: str
    created_at: int
    disabled_at: int | None
    documents: int
    size_bytes: int


def initials(called: str) -> str:
    """Return the first letters of the first and the last word of a name or address, in capitals.

    Return one letter alone in a script without capitals: its letters may join, or be whole words.
    Return an empty string if there is no letter.
    """
    words = re.findall(r"[^\W\d_][^\W_]*", called.partition("@")[0])
    letters: list[str] = [word[0].upper() for word in words]
    if not letters:
        return ""
    first = letters[0]
    last = letters[-1]
    is_pair = len(letters) > 1 and first.isupper() and last.isupper()
    return first + last if is_pair else first


class Sender(NamedTuple):
    """The sender of a link, as its readers see that person or space, which has no address: ''."""

    name: str | None
    email: str

    @property
    def called(self) -> str:
        """The name, or the address of somebody who gave no name."""
        return self.name or self.email

    @property
    def initials(self) -> str:
        return initials(self.called) or "?"


class User(Owner):
    PREFIX = "usr"

    stored: tuple[int, int, int]  # documents, bytes and documents in the bin, once looked up
    name = SealedName[str | None](lambda row: UNNAMED_SPACE if row.is_space else None)
    shows_name = Sealed[bool](default=True)
    """Whether readers of links see name and address."""
    password_digest = Sealed[str](default="", never_remembered="Passwords can be tried on it.")

    class Meta:
        table_name = Owner._meta.table_name

    @classmethod
    def register(
        cls,
        email: str,
        password: str,
        name: str | None,
        mode: str | None = None,
        address: str = "",
        *,
        claim: Callable[[], object] = lambda: None,
        let_in_by: str | None = None,
    ) -> Self:
        """Return a new account. `mode` is `open`, `first` (only while there is none) or `closed`.

        Without `mode` the setting decides. `claim` is called in the transaction, before anything is
        changed, and may refuse. Raises `Invalid`, `RegistrationClosed`, `EmailTaken`.
        """
        require_strong_password(password, "#/password")
        mode = mode or current_runtime().settings.registration
        cls._refuse_if_closed(mode)
        slots = current_runtime().account_passwords
        digest = slots.hash_password(password, payer_of(address=address))
        with transaction():
            cls._refuse_if_closed(mode)
            claim()
            return cls._insert_new(email, name, digest, let_in_by)

    @classmethod
    def register_without_password(cls, email: str, name: str | None, let_in_by: str) -> Self:
        """Return a new account of somebody whom the trusted proxy or a provider lets in.

        Call it in a transaction. Raises `EmailTaken`.
        """
        return cls._insert_new(email, name, "", let_in_by)

    @classmethod
    def _insert_new(cls, email: str, name: str | None, digest: str, let_in_by: str | None) -> Self:
        """Store a new account, in a transaction; an empty digest is that of no password."""
        user = cls.fresh(email=email, email_folded=fold_email(email))
        user.generate_key()
        user.name = name
        user.password_digest = digest
        user.let_in_by = let_in_by
        try:
            user.store()
        except IntegrityError as error:
            raise EmailTaken from error
        EventHead.begin(user.id)
        Event.record_of_service("account.created", {"user_id": user.id})
        return user

    @classmethod
    def insert_space(cls, name: str, made_by: str) -> Self:
        """Store the row of a space, in a transaction: nobody can log in to it."""
        space = cls(id=generate_id(SPACE_PREFIX), created_at=now(), made_by=made_by)
        space.email = space.email_folded = OF_SPACE + space.id
        space.generate_key()
        space.name = name
        space.password_digest = ""
        space.store()
        return space

    @property
    def is_space(self) -> bool:
        return self.id.startswith(SPACE_PREFIX)

    @classmethod
    def _refuse_if_closed(cls, mode: str) -> None:
        if not cls.may_register(mode):
            raise RegistrationClosed

    @classmethod
    def identify(cls, email: str, password: str, address: str) -> Self:
        """Return the user with this e-mail address and password, or raise `WrongCredentials`.

        An unknown address takes as long as a wrong password. It counts for the network, also of
        somebody who is logged in. Raises `TooManyRequests` after many failures.
        """
        return cls._identify(email, password, address, payer_of(address=address))

    @classmethod
    def _identify(cls, email: str, password: str, address: str, payer: Payer) -> Self:
        refuse_if_passwords_off()
        account = fold_email(email)
        failures = current_runtime().login_failures
        failures.refuse_if_many(account, address)
        user = cls.find_by_email(email)
        user = None if user is None or user.disabled_at is not None else user
        digest = user.password_digest or None if user else None
        slots = current_runtime().account_passwords
        is_right = slots.verify_password(password, digest, payer)
        if not is_right or user is None:
            failures.record_failure(account, address)
            if user:
                Event.record_failed_login(user.id)
            raise WrongCredentials
        failures.refuse_if_many(account, address)  # many may have been judged beside this one
        is_as_set = without_blanks(password) == password
        if is_as_set and passwords.needs_rehash(user.password_digest):
            digest = user.digest_of(password)
            with separate_transaction(user.id):  # it is nothing that the caller wants
                user.require_same_password().change(password_digest=digest)
        return user

    def identify_again(self, password: str, address: str) -> Self:
        """Return this user as stored now, if the password is right. Raises as `identify`."""
        try:
            return self._identify(self.email, password, address, payer_of(self.id))
        except WrongCredentials:
            raise WrongCredentials("This is not your password.") from None

    @classmethod
    def accounts(cls) -> list[Account]:
        document = TableReference("document")
        size_bytes = fn.COALESCE(fn.SUM(document.c.size), SQL("0")).cast("BIGINT")
        columns = cls.id, cls.email, cls.created_at, cls.disabled_at
        rows: Any = cls.select(*columns, fn.COUNT(document.c.id), size_bytes).join(
            document, JOIN.LEFT_OUTER, on=(document.c.owner_id == cls.id)
        )
        return [Account(*row) for row in rows.group_by(cls.id).order_by(cls.id).tuples()]

    @classmethod
    def of_email(cls, email: str) -> Self:
        user = cls.find_by_email(email)
        if user is None:
            raise OperatorError(f"There is no account {email}. List them to see which there are.")
        return user

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the person with this address, or the space with this id."""
        space = cls.find(name)
        return space if space and space.is_space and space.is_whole else cls.of_email(name)

    @classmethod
    def may_register(cls, mode: str | None = None) -> bool:
        """Return whether somebody may register now; without `mode` the setting decides."""
        mode = mode or current_runtime().settings.registration
        return mode == "open" or (
            mode == "first" and not cls.select().where(~cls.is_locked_out()).exists()
        )

    def edit(self, **changes: Any) -> Self:
        """Change `name`, or `shows_name`: whether readers of links see name and address."""
        with transaction(self.id):
            user = self.find(self.id)  # read again under the writer lock
            if user is None:
                raise NotFound
            user.change(**changes)
        return user

    def see_received(self, moment: int) -> None:
        """Note that all which strangers sent until this moment was seen."""
        with transaction(self.id):
            self.change(received_seen_at=moment)

    @classmethod
    def find_by_email(cls, email: str) -> Self | None:
        """Return the person with this address; None for what stands in its place, as in a space."""
        found = cls.first(cls.select().where(cls.email_folded == fold_email(email)))
        return None if found is None or found.is_space else found

    def change_password(self, password: str, kept_session_id: str) -> None:
        """Set a new password; end every other session, and all links that could set another one.

        Raises `WrongCredentials` if it has changed since the user was identified.
        """
        digest = self.digest_of(password)
        with transaction(self.id):
            user = self.require_same_password()
            user._store_password(kept_session_id, password_digest=digest)

    def end_other_sessions(self, kept_session_id: str) -> None:
        """End all sessions but this one; a login that is under way fails."""
        with transaction(self.id):
            count = self.require_same_password()._end_logins(kept_session_id)
            Event.record(self.id, "session.ended", {"session_id": None, "count": count})

    def set_password(
        self, password: str, name: str | None = None, claim: Callable[[], object] = lambda: None
    ) -> Self:
        """Set a new password, whatever the former one was, and a name if given; end all sessions,
        and all links that could set another password.

        API keys and links to documents stay valid. `claim` is called in the transaction, before
        anything is changed, and may refuse. Returns the row as it is then.
        """
        require_strong_password(password, "#/password")
        changes = {"password_digest": self.digest_of(password)}
        if name is not None:
            changes["name"] = name
        with transaction(self.id):
            user = self.find(self.id)
            if user is None:
                raise NotFound
            claim()
            user._store_password(**changes)
        return user

    def record_export(self, documents: int) -> None:
        """Record that all of the account was exported, with so many documents."""
        Event.record(self.id, "account.exported", {"documents": documents})

    def disable(self) -> None:
        """End the user's sessions, and reject their API keys and document tokens until `enable`."""
        self._set_disabled_at(now())

    def enable(self) -> None:
        """Accept logins, API keys and document tokens again; former sessions stay ended."""
        self._set_disabled_at(None)

    def store_importing(self, import_name: str) -> None:
        """Store the row of an account that is being imported, in a transaction.

        It has no password. Until `end_import` nothing of it works, and the name of the import
        stands in place of its address, which may be somebody else's until then.
        """
        self.email = self.email_folded = import_name
        self.let_in_by = SERVICE
        self.disabled_at = now()
        self.generate_key()
        self.store()

    @classmethod
    def importing(cls) -> list[Self]:
        """Return the users whose import has begun."""
        found = cls.select().where(cls.email_folded.startswith(IMPORTING))
        return cls.rows(found)

    @property
    def is_whole(self) -> bool:
        """Whether it is neither being imported nor being deleted."""
        return self.email_folded != self.id and not self.email_folded.startswith(IMPORTING)

    def end_import(self, email: str, disabled_at: int | None) -> None:
        """Give an account that was imported its address, or what stands in place of it in a space.

        Raises `EmailTaken`.
        """
        try:
            self.change(email=email, email_folded=fold_email(email), disabled_at=disabled_at)
        except IntegrityError as error:
            raise EmailTaken from error

    def lock_out(self) -> None:
        """Lock the user out, in a transaction, before the account is deleted.

        From now on no credential of the account works. Its id stands in place of its address, which
        somebody else may have then.
        """
        end_derived(Origin.PASSWORD, self.email_folded)
        end_derived(Origin.ACCOUNT, self.id)
        end_derived(Origin.SPACE, self.id)
        self._end_logins(disabled_at=now(), email=self.id, email_folded=self.id)

    @classmethod
    def locked_out(cls) -> list[Self]:
        """Return the users and spaces whose deletion has begun."""
        found: list[Self] = []
        for prefix in (cls.PREFIX, SPACE_PREFIX):
            rows = cls.select().where(
                cls.email_folded > f"{prefix}_",  # these two comparisons are for the index
                cls.email_folded < f"{prefix}`",
                cls.is_locked_out(),
            )
            found += cls.rows(rows)
        return found

    @classmethod
    def is_locked_out(cls) -> Any:
        """Return the condition that the deletion of a user or space has begun."""
        return cls.email_folded == cls.id

    def _set_disabled_at(self, moment: int | None) -> None:
        with transaction():
            if user := self.find(self.id):
                end_derived(Origin.PASSWORD, user.email_folded)
                user._end_logins(disabled_at=moment)
                type = "account.enabled" if moment is None else "account.disabled"
                Event.record_of_service(type, {"user_id": self.id})

    def _store_password(self, kept_session_id: str = "", **changes: Any) -> None:
        """Store a new password, in the transaction in which the row was read."""
        end_derived(Origin.PASSWORD, self.email_folded)
        self._end_logins(kept_session_id, **changes)
        Event.record(self.id, "password.changed", {})

    def _end_logins(self, kept_session_id: str = "", **fields: Any) -> int:
        """Change the row, as it was read in this transaction, and end all sessions but one.

        Returns how many have ended.
        """
        self.change(login_generation=self.login_generation + 1, **fields)
        return Session.end_others(self.id, kept_session_id, self.login_generation)

    @property
    def sender(self) -> Sender | None:
        """The sender that readers of this user's links see; None if the user hides it."""
        if not self.shows_name:
            return None
        return Sender(self.name, "" if self.is_space else self.email)

    @property
    def has_password(self) -> bool:
        """Whether there is a password by which the user can log in."""
        return current_runtime().settings.passwords == "on" and bool(self.password_digest)

    def digest_of(self, password: str) -> str:
        return current_runtime().account_passwords.hash_password(password)


def refuse_if_passwords_off() -> None:
    """Raise `PasswordsOff` where nobody logs in, signs up or resets by a password."""
    if current_runtime().settings.passwords == "off":
        raise PasswordsOff


def require_strong_password(password: str, pointer: str) -> None:
    """Raise `Invalid` unless the password has the length of the setting, and at most 1024."""
    shortest = current_runtime().settings.password_min_length
    length = len(unicodedata.normalize("NFC", password))
    if not shortest <= length <= passwords.MAX_LENGTH:
        sentence = f"Use {shortest} to {passwords.MAX_LENGTH} characters; this has {length}."
        raise Invalid(pointer, sentence)


def fold_email(email: str) -> str:
    """Return an e-mail address without case, as addresses are compared."""
    return unicodedata.normalize("NFC", email).casefold()


def sender_of(owner_id: str) -> Sender | None:
    """Return the sender of a user's links, as readers see it; None if the user hides it."""
    user = User.find(owner_id)
    if user is None or user.disabled_at is not None:
        return None
    return user.sender

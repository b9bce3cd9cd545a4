"""A user: an e-mail address, a name, a password; and the key that seals the last two."""

import unicodedata
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

from peewee import BigIntegerField, BlobField, IntegrityError, TextField

from crypto import passwords

from .errors import EmailTaken, Invalid, OperatorError, RegistrationClosed, WrongCredentials
from .rate_limiter import PasswordFailureLimiter, RateLimiter
from .records.keyed import OwnsDataKey
from .storage.database import database, transaction

_ACCOUNTS = """
    SELECT user.id, user.email, user.created_at, user.disabled_at,
        COUNT(document.id), COALESCE(SUM(document.size), 0)
    FROM user LEFT JOIN document ON document.owner_id = user.id GROUP BY user.id ORDER BY user.id"""
_ANEW = "UPDATE user SET sealed_password = ? WHERE id = ? AND sealed_password = ?"  # if still so


class Account(NamedTuple):
    """What the person who runs this sees of a user."""

    id: str
    email: str
    created_at: int
    disabled_at: int | None
    documents: int
    size_bytes: int


class User(OwnsDataKey):
    PREFIX = "usr"
    password_failures: ClassVar[PasswordFailureLimiter] = PasswordFailureLimiter()
    registrations: ClassVar[RateLimiter]  # by address

    email = TextField()
    email_folded = TextField()
    sealed_name = BlobField()
    sealed_password = BlobField()
    disabled_at = BigIntegerField(null=True)

    @classmethod
    def register(cls, email: str, password: str, name: str | None, mode: str) -> Self:
        """A new account. `mode`: `open`, `first` (only while there is none) or `closed`."""
        cls._refuse_if_closed(mode)
        digest = passwords.hash_password(password)
        user: Self = cls.fresh(email=email, email_folded=_folded(email))
        with transaction():
            cls._refuse_if_closed(mode)
            user.generate_key()
            user.sealed_name = user.seal("name/1", user.id, name)
            user.sealed_password = user.seal("password/1", user.id, digest)
            try:
                user.insert_row()
            except IntegrityError as error:
                raise EmailTaken from error
        return user

    @classmethod
    def _refuse_if_closed(cls, mode: str) -> None:
        if mode == "closed" or (mode == "first" and cls.select().exists()):
            raise RegistrationClosed

    @classmethod
    def identify(cls, email: str, password: str, address: str) -> Self:
        """Whose password this is: one refusal, in the same time, for either mistake."""
        account = _folded(email)
        cls.password_failures.refuse_if_many(account, address)
        user = cls.get_or_none(cls.email_folded == account, cls.disabled_at.is_null())
        digest = user.password_digest if user else None
        if not passwords.verify_password(password, digest) or user is None:
            cls.password_failures.note(account, address)
            raise WrongCredentials
        if passwords.needs_rehash(user.password_digest):
            anew = user.sealed_digest(password)
            with transaction():
                database.execute_sql(_ANEW, (anew, user.id, user.sealed_password))
        return user

    @classmethod
    def accounts(cls) -> list[Account]:
        return [Account(*row) for row in database.execute_sql(_ACCOUNTS).fetchall()]

    @classmethod
    def of_email(cls, email: str) -> Self:
        found: Self | None = cls.get_or_none(cls.email_folded == _folded(email))
        if found is None:
            raise OperatorError(f"There is no account {email}. List them to see which there are.")
        return found

    @cached_property
    def name(self) -> str | None:
        name: str | None = self.unseal("name/1", self.id, self.sealed_name)
        return name

    @property
    def password_digest(self) -> str:
        return str(self.unseal("password/1", self.id, self.sealed_password))

    def sealed_digest(self, password: str) -> bytes:
        return self.seal("password/1", self.id, passwords.hash_password(password))


def require_strong_password(password: str, shortest: int, pointer: str) -> None:
    """A new password has `shortest` to 1024 characters; there is no other rule."""
    length = len(unicodedata.normalize("NFC", password))
    if not shortest <= length <= passwords.MAX_LENGTH:
        sentence = f"Use {shortest} to {passwords.MAX_LENGTH} characters; this has {length}."
        raise Invalid(pointer, sentence)


def _folded(email: str) -> str:
    """E-mail addresses are compared without case."""
    return unicodedata.normalize("NFC", email).casefold()

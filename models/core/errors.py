"""Domain errors. `blueprints/http/problems.py` maps each code to an HTTP status."""

import math
from collections.abc import Iterator

from .counting import counted
from .rate_limits import Allowance


class ServiceError(Exception):
    """An error that a caller is answered. `code` is stable and for machines; the sentence tells a
    person how to mend it.
    """

    code = "refused"
    sentence = "The request was refused."
    retry_after_seconds: int | None = None

    def __init__(self, sentence: str | None = None) -> None:
        self.sentence = sentence or self.sentence
        super().__init__(self.sentence)


class OperatorError(Exception):
    """A request of the operator that is not met; its sentence says why."""


class NotFound(ServiceError):
    code = "not_found"
    sentence = "There is no such thing here, or it is not yours."


class TargetChanged(NotFound):
    """A link that opens another target than a moment ago."""


class EmailTaken(ServiceError):
    code = "email_taken"
    sentence = "An account with this e-mail address exists. Log in, or use another address."


class RegistrationClosed(ServiceError):
    code = "registration_closed"
    sentence = "This service takes no new accounts. Ask the person who runs it for one."


class PasswordsOff(ServiceError):
    code = "passwords_off"
    sentence = "Passwords are off here. Open the login page: it says how to log in."


class LastWayIn(ServiceError):
    code = "last_way_in"
    sentence = "This is the only way into your account. Add another one before you remove it."


class PersonRequired(ServiceError):
    code = "person_required"
    sentence = "This is for a person's own session, not for that of a space. Use your own."


class MemberExists(ServiceError):
    code = "member_exists"
    sentence = "This person is a member already. Change the role instead."


class LastManager(ServiceError):
    code = "last_manager"
    sentence = "This is the last manager of the space. Let another member manage it first."


class SpaceNotEmpty(ServiceError):
    code = "space_not_empty"
    sentence = "The space holds documents. Delete them first; those in the bin count."


class WrongCredentials(ServiceError):
    code = "wrong_credentials"
    sentence = "The e-mail address or the password is wrong."


class NotAuthenticated(ServiceError):
    code = "not_authenticated"
    sentence = "Send a credential: Authorization: Bearer <session token>, or X-API-Key: pk_live_…"


class SessionExpired(ServiceError):
    code = "session_expired"
    sentence = "This session token is unknown, has expired or was logged out. Log in again."


class KeyRevoked(ServiceError):
    code = "key_revoked"
    sentence = "This API key is unknown, has expired or was revoked. Use another one."


class AmbiguousCredentials(ServiceError):
    code = "ambiguous_credentials"
    sentence = "Send one credential, not several: the request carries more than one."


class SessionRequired(ServiceError):
    code = "session_required"
    sentence = "This call takes a session token only. Log in and send it as a Bearer token."


class ScopeMissing(ServiceError):
    code = "scope_missing"
    sentence = "This credential is good, but not for this call."


class TokenSpent(ServiceError):
    """A link that opens nothing.

    `cause` is `expired`, `revoked` or `off`, each since the moment `ended_at`; `used_up`; or '',
    which says nothing.
    `origins` may frame the answer, as they might frame the target of the link; `owner_id` is the
    owner of a genuine link, whom the answer may name.
    """

    code = "token_spent"
    sentence = "This link has expired, is off, was revoked or is used up. Ask its sender."

    def __init__(
        self,
        cause: str = "",
        ended_at: int | None = None,
        origins: tuple[str, ...] = (),
        owner_id: str = "",
    ) -> None:
        self.cause = cause
        self.ended_at = ended_at
        self.origins = origins
        self.owner_id = owner_id
        super().__init__()


class TokenRevoked(ServiceError):
    code = "token_revoked"
    sentence = "This link was revoked, and stays so. Create a new one."


class TooManyRequests(ServiceError):
    code = "too_many_requests"

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self.retry_after_seconds = max(1, math.ceil(allowance.wait_seconds))
        what = allowance.limit.what
        wait = self.retry_after_seconds
        super().__init__(f"Too many {what}. Wait {wait} s, then try again.")


class PayloadTooLarge(ServiceError):
    code = "payload_too_large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"This is too large. The limit is {counted(limit_bytes, 'byte')}.")


class OffsetMismatch(ServiceError):
    """Bytes of an upload that do not follow the last ones; the answer says where it goes on."""

    code = "offset_mismatch"
    sentence = "The upload is not at this offset. Go on where the header Upload-Offset says."

    def __init__(self, offset: int) -> None:
        self.headers = {"Upload-Offset": str(offset)}
        super().__init__()


class ChecksumMismatch(ServiceError):
    code = "checksum_mismatch"
    sentence = "These are not the bytes of the checksum, and nothing of them was stored."


class IdempotencyMismatch(ServiceError):
    code = "idempotency_mismatch"
    sentence = "This Idempotency-Key came with another body before. Use a new key."


class IdempotencyInProgress(ServiceError):
    code = "idempotency_in_progress"
    sentence = "The first request with this Idempotency-Key still runs. Try again in a moment."
    retry_after_seconds = 1


class DocumentDamaged(ServiceError):
    code = "document_damaged"
    sentence = "What is stored of this document does not open: it was altered. Restore a backup."


class KeyUnavailable(ServiceError):
    code = "key_unavailable"
    sentence = "The key that opens this is not in the keyring now. Tell the person who runs this."
    retry_after_seconds = 30


class Busy(ServiceError):
    code = "busy"
    sentence = "The service is busy. Try again in a moment."
    retry_after_seconds = 2


class PayloadStoreAway(Busy):
    """A call of the object store failed; `reason` tells the operator why."""

    sentence = "The payload store does not answer. Try again in a moment."
    retry_after_seconds = 10

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class DatabaseUnavailable(Busy):
    """A call of the database server failed; `reason` tells the operator why."""

    sentence = "The database does not answer now. Try again in a moment."

    def __init__(self, reason: str = sentence) -> None:
        self.reason = reason
        super().__init__()


class DatabaseDamaged(KeyUnavailable):
    """The database file is not as SQLite wrote it; `reason` tells the operator what to do."""

    sentence = "The database is damaged. Tell the person who runs this."
    reason = "The database is damaged: `document-service doctor` says more. Restore a backup."


class WebhookDisabled(ServiceError):
    code = "webhook_disabled"
    sentence = 'This webhook is disabled. Enable it first: PATCH {"enabled": true}.'


class QuotaExceeded(ServiceError):
    code = "quota_exceeded"


class StorageFull(ServiceError):
    code = "storage_full"
    sentence = "There is no room left to store this. Delete something, or tell who runs this."


class StorageFailing(StorageFull):
    sentence = "The disk takes nothing: it fails, or is read-only. Tell the person who runs this."


class StoredUnsynced(StorageFull):
    """A change that is committed and not synced: it is there, and a power cut may undo it."""

    sentence = (
        "The disk did not confirm this, but it may be stored: look before you send it again, or "
        "use an Idempotency-Key. Tell the person who runs this."
    )


class Invalid(ServiceError):
    """A field with an invalid value; `pointer` says which (RFC 6901)."""

    code = "invalid_request"

    def __init__(self, pointer: str, sentence: str) -> None:
        self.pointer = pointer
        super().__init__(sentence)


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the exception and its causes: on a full disk a failing rollback hides the first one."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__

"""Errors, ids, times and other values, for every package here."""

from .counting import counted
from .errors import (
    AmbiguousCredentials,
    Busy,
    DatabaseDamaged,
    DatabaseUnavailable,
    DocumentDamaged,
    EmailTaken,
    IdempotencyInProgress,
    IdempotencyMismatch,
    Invalid,
    KeyRevoked,
    KeyUnavailable,
    LastManager,
    LastWayIn,
    MemberExists,
    NotAuthenticated,
    NotFound,
    OperatorError,
    PasswordsOff,
    PayloadStoreAway,
    PayloadTooLarge,
    PersonRequired,
    QuotaExceeded,
    RegistrationClosed,
    ScopeMissing,
    ServiceError,
    SessionExpired,
    SessionRequired,
    SpaceNotEmpty,
    StorageFailing,
    StorageFull,
    StoredUnsynced,
    TargetChanged,
    TokenRevoked,
    TokenSpent,
    TooManyRequests,
    WebhookDisabled,
    WrongCredentials,
    causes_of,
)
from .extras import installing
from .fault_log import log_unless_printed, tell, tell_as
from .ids import first_id, generate_id, ids_like, moment_of, now, rfc3339, set_clock_ahead
from .names import UNSEEN, is_seen
from .payer import Payer, current_payer
from .rate_limits import (
    CODES,
    GUESSES,
    GUESSES_BY_ADDRESS,
    NEW_MEMBERS,
    OPENINGS,
    READS_BY_TICKET,
    REGISTRATIONS,
    RESETS,
    SIGN_INS,
    STORED_RESPONSES,
    STORED_RESPONSES_OF_LINK,
    UPLOADS,
    Allowance,
    By,
    Limit,
)
from .waiting import use_for_waits, will_wait

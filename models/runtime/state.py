"""The state of the running service: one object a process, built by `create_app`.

`current_runtime()` reaches it from everywhere. `setup.open_runtime` loads its keys from the
database and the keyring.
"""

import math
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

from crypto import Keyring
from crypto.tokens import PasetoCodec
from settings import Settings, without_password

from ..core import (
    CODE_REQUESTS,
    NEW_MEMBERS,
    OPENINGS,
    READS_BY_TICKET,
    REGISTRATIONS,
    RESETS,
    SIGN_INS,
    STORED_RESPONSES,
    STORED_RESPONSES_OF_LINK,
    UPLOADS,
    UPLOADS_BY_LINK,
    OperatorError,
    PayloadStoreAway,
    now,
)
from ..storage import close_database, is_server
from ..storage.payloads import (
    FILES,
    LARGE_BYTES,
    ROWS,
    PayloadStore,
    StoreBesideRows,
    files,
    objects_of,
)
from ..storage.payloads import rows as payload_rows
from .failures import FailureCounts
from .grown_owners import GrownOwners
from .long_bodies import LongBodies
from .opened_rows import OpenedRows
from .password_slots import PasswordSlots
from .previews import BesideRequests, PreviewQueue, UnkeptPreviews
from .provider import Provider
from .quota import Quota
from .rate_limiter import PasswordFailureLimiter, RateLimiter, SharedRateLimiter
from .slots import OneAtATime, Slots
from .unrecorded import UnrecordedEvents
from .upload_digests import UploadDigests

if TYPE_CHECKING:
    from ..storage.payloads import PayloadObjects

EXPORTS = 2  # of accounts, that are sent at once


class BackgroundWork(Protocol):
    def stop(self) -> None:
        """Stop, and return when the work has ended."""


class Runtime:
    """Settings, keys, limiters, and the state that requests of this process share in memory."""

    keyring: Keyring
    session_tokens: PasetoCodec
    tickets: PasetoCodec
    view_tags: PasetoCodec  # entity tags, each of one view
    service_key: bytes  # that seals rows which belong to no user

    def __init__(self, settings: Settings) -> None:
        limited = settings.rate_limits == "on"
        shared = is_server(settings.database)
        limiter = SharedRateLimiter if shared else RateLimiter
        self.settings = settings
        self.quota = Quota(settings.quota_bytes, settings.quota_documents)
        self.login_failures = PasswordFailureLimiter(limited, limiter)
        self.link_password_failures = PasswordFailureLimiter(limited, limiter)
        self.registration_limiter = limiter(REGISTRATIONS, limited)
        self.reset_limiter = limiter(RESETS, limited)
        self.sign_in_limiter = limiter(SIGN_INS, limited)
        self.member_limiter = limiter(NEW_MEMBERS, limited)
        self.upload_limiter = limiter(UPLOADS, limited)
        self.uploads_by_link = limiter(UPLOADS_BY_LINK, limited)
        self.opening_limiter = limiter(OPENINGS, limited)  # of a guarded link
        self.code_limiter = limiter(CODE_REQUESTS, limited)
        self.reads_by_ticket = limiter(READS_BY_TICKET)  # by ticket: each is recorded once
        self.preview_queue = PreviewQueue(settings.threads)
        self.failures = FailureCounts()
        self.beside_requests = BesideRequests(self.failures.count_failed)
        self.unkept_previews = UnkeptPreviews()
        # A search decrypts thousands of names without a pause: of a caller one runs, and one waits,
        # as of a person who types on.
        self.search_slots = Slots(math.inf, 1, waiting=Slots(math.inf, 1))
        self.export_slots = Slots(EXPORTS, of_caller=1)  # each takes a worker for minutes
        self.long_bodies = LongBodies()
        # Both leave two of 16 workers.
        self.account_passwords = PasswordSlots(8, of_caller=6)
        self.link_passwords = PasswordSlots(6, of_caller=4)
        self.stored_responses = limiter(STORED_RESPONSES, limited)
        self.stored_responses_of_link = limiter(STORED_RESPONSES_OF_LINK, limited)
        self.unrecorded = UnrecordedEvents()
        self.grown_owners = GrownOwners()
        self.forgotten_before: dict[str, str] = {}  # by prefix: no smaller id is left to forget
        self.payload_objects = objects_of(settings.payloads)
        self.large_payload_bytes = LARGE_BYTES  # new payloads above it have separate pieces
        self.provider = Provider(settings) if settings.oidc_issuer else None
        self.started_at = now()
        self.swept_at = 0.0  # seconds since 1970, when the sweeper last ended its work
        self.dispatched_at = 0.0  # the same of deliveries and mail
        self.root_keys: tuple[int, list[Any]] | None = None  # with the moment, for `/metrics`
        self.aborted_uploads: set[str] = set()
        self.opened_rows = OpenedRows()
        self.altered_rows: set[str] = set()  # ids that the log has named
        self.idempotent_requests = OneAtATime()  # by the id of a response
        self.upload_slots = OneAtATime()  # by the id of an unfinished upload
        self.upload_digests = UploadDigests(self.failures.count_failed)
        self.lock = RLock()
        self.is_open = False
        self.is_ending = False  # what takes long stops, so that `close` need not wait for it
        self._background: list[BackgroundWork] = []

    def require_objects(self) -> "PayloadObjects":
        """Return the store of objects. Raise `PayloadStoreAway` if the settings name none."""
        if self.payload_objects is None:
            raise PayloadStoreAway("No object store is named: set DOCSERVICE_PAYLOADS to it.")
        return self.payload_objects

    def payload_store(self, place: str) -> PayloadStore:
        """Return the store of a place. Raise `PayloadStoreAway` for objects without the setting."""
        return payload_rows if place == ROWS else self.store_beside_rows(place)

    def store_beside_rows(self, place: str) -> StoreBesideRows:
        """Return the store of files, or of objects, as `payload_store` does."""
        return files if place == FILES else self.require_objects()

    def run_in_background(self, *work: BackgroundWork) -> None:
        """Keep work that has been started, to be stopped by `close`."""
        self._background += work

    def close(self) -> None:
        """Stop the background work, which records what is counted, and close the database."""
        global _current  # noqa: PLW0603
        self.is_ending = True
        while self._background:
            self._background.pop(0).stop()
        self.upload_digests.close()
        self.unrecorded.close()
        self.close_database()
        if _current is self:
            _current = None

    def close_database(self) -> None:
        """Return every connection; `setup.open_runtime` may open it again."""
        self.is_open = False
        close_database()


_current: Runtime | None = None


def create_runtime(settings: Settings) -> Runtime:
    """Make the runtime of this process; raise `OperatorError` while another one is not closed."""
    global _current  # noqa: PLW0603
    if _current is not None:
        served = without_password(_current.settings.database)
        raise OperatorError(
            f"This process already serves {served}. One process runs one application: "
            "close the first one (app.extensions['runtime'].close()), or start another process."
        )
    _current = Runtime(settings)
    return _current


def current_runtime() -> Runtime:
    """Return the runtime; raise RuntimeError before `create_app` and after its end."""
    if _current is None:
        raise RuntimeError("No application is open in this process: call create_app first.")
    return _current

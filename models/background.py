"""Background work: a thread that repeats a function, and the deletion of expired rows: documents,
also from the bin, sessions, invitations, stored responses and old rows.
"""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from .account_deletion import finish_deletions
from .accounts import (
    RESPONSE_KEPT_MS,
    Invitation,
    Session,
    StoredResponse,
    TokenKey,
    UsedSignIn,
)
from .core import PayloadStoreAway, now
from .documents import (
    Document,
    StoredPreview,
    UnreferencedPayload,
    delete_aborted_uploads,
    payloads_in_use,
)
from .events import Mail, MailLimit, WebhookDelivery, forget_many_events, forget_old_events
from .links import DocumentToken, Opening, delete_if_due, end_links_of_deleted
from .runtime import (
    current_runtime,
    errors_of,
    forget_idle_limits,
    independent_steps,
    log_failure,
)
from .storage import connected, engine, transaction
from .uploads import catch_up_arrived, delete_expired, end_uploads_of_ended_links

ENDED_TOKENS_KEPT_MS = 90 * 24 * 60 * 60 * 1000


class PeriodicTask:
    """A function that a thread repeats, at once for the first time. An exception does not end the
    repetition; of the same kind in each run only the first is logged.

    `at_start` is called once before the work, `at_end` once by `stop`, and `count_failed` with the
    name of the work for each exception.
    """

    def __init__(
        self,
        work: Callable[[], object],
        pause_seconds: float,
        at_start: Callable[[], object] = lambda: None,
        at_end: Callable[[], object] = lambda: None,
        count_failed: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._work = work
        self._pause_seconds = pause_seconds
        self._at_start = at_start
        self._at_end = at_end
        self._count_failed = count_failed
        self._stopped = threading.Event()
        self._failures: set[type[Exception]] = set()  # of the last run
        self._thread = threading.Thread(target=self._run, name=work.__name__, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop, and return when the current run has ended, so that the database may be closed."""
        self._stopped.set()
        self._thread.join()
        self._attempt(self._at_end)

    def _run(self) -> None:
        self._attempt(self._at_start)
        while not self._stopped.is_set():
            self._attempt(self._work)
            self._stopped.wait(self._pause_seconds)

    def _attempt(self, work: Callable[[], object]) -> None:
        former = self._failures
        self._failures = set()
        try:
            work()
        except Exception as failure:  # a full disk now must not prevent later runs
            for error in errors_of(failure):
                self._count_failed(self._thread.name)
                if type(error) not in former | self._failures:
                    log_failure(f"{self._thread.name} failed", error)
                self._failures.add(type(error))


def sweep() -> int:
    """Delete expired rows; returns the number of documents deleted.

    A step or a row that fails keeps no other from being tried. Raises their errors.
    """
    deleted: list[int] = []
    with current_runtime().grown_owners.taken() as owners, independent_steps() as do:
        with connected():
            do(lambda: deleted.append(_delete_due()))
            do(_spend_expired)
            do(delete_aborted_uploads)
            do(catch_up_arrived)
            do(drop_payloads)
            do(forget_idle_limits)
            for delete in _deletions_of_old_rows():
                do(delete)
            do(forget_old_events)
            do(Opening.forget_old)
            do(partial(_delete_links_beyond_quota, owners))
            do(partial(WebhookDelivery.forget_many, owners))
            do(partial(forget_many_events, owners))
            do(engine().keep_statistics)
            do(engine().truncate_wal)
        do(engine().keep_ballast)
    current_runtime().swept_at = time.time()
    return sum(deleted)


def _delete_due() -> int:
    """Delete the documents that are due; returns how many there were."""
    count = 0
    with independent_steps() as do:
        for document in Document.all_due():
            count += 1
            do(partial(delete_if_due, document))
    return count


def _spend_expired() -> None:
    with independent_steps() as do:
        for token in DocumentToken.all_expired():
            do(token.spend_if_expired)


def drop_payloads() -> None:
    """Delete files and objects that no row refers to any more."""
    with suppress(PayloadStoreAway):  # logged; tried again later
        UnreferencedPayload.drop_due(payloads_in_use)


def end_links() -> None:
    """Go on to end the links of deleted documents and collections that had many."""
    with connected():
        end_links_of_deleted()


def delete_accounts() -> None:
    """Go on to delete the accounts and spaces that are locked out."""
    with connected():
        finish_deletions()


def _deletions_of_old_rows() -> tuple[Callable[[], object], ...]:
    moment = now()
    is_old_response = StoredResponse.created_at <= moment - RESPONSE_KEPT_MS
    has_long_ended = DocumentToken.revoked_at <= moment - ENDED_TOKENS_KEPT_MS
    return (
        lambda: Session.delete_in_batches(Session.expires_at <= moment),
        lambda: Invitation.delete_in_batches(Invitation.expires_at <= moment),
        lambda: StoredResponse.delete_in_batches(is_old_response),
        lambda: DocumentToken.delete_in_batches(has_long_ended),
        UsedSignIn.forget_old,
        WebhookDelivery.forget_old,
        Mail.forget_old,
        MailLimit.forget_old,
        _forget_old_token_keys,
        StoredPreview.forget_expired,
        delete_expired,
        end_uploads_of_ended_links,
    )


def _forget_old_token_keys() -> None:
    with transaction():
        TokenKey.forget_old()


def _delete_links_beyond_quota(owner_ids: Iterable[str] | None) -> None:
    """Delete the oldest ended links of those of the owners, or of all, who have too many."""
    most = current_runtime().settings.quota_links
    has_ended = DocumentToken.end_is_recorded()
    DocumentToken.keep_newest_of_each(DocumentToken.owner_id, most, has_ended, owner_ids)

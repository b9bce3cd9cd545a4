"""Background work: a thread that repeats a function, and what deletes all that has expired:
documents, also from the bin, sessions, invitations, stored responses and old rows.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from ..accounts import KEPT_MS, Invitation, Session, StoredResponse, TokenKey
from ..core import PayloadStoreAway, now
from ..documents import Document, StoredPreview, UnreferencedObject, delete_aborted_uploads
from ..events import Mail, MailLimit, WebhookDelivery, forget_many_events, forget_old_events
from ..links import DocumentToken, Opening
from ..runtime import current_runtime, forget_idle_limits, log_failure
from ..storage import connected, engine, transaction

ENDED_TOKENS_KEPT_MS = 90 * 24 * 60 * 60 * 1000


class PeriodicTask:
    """Starts at once. An exception does not end the repetition; of the same kind in each run
    only the first is logged.

    `at_start` is called once before the work, `at_end` once by `stop`.
    """

    def __init__(
        self,
        work: Callable[[], object],
        pause_seconds: float,
        at_start: Callable[[], object] = lambda: None,
        at_end: Callable[[], object] = lambda: None,
    ) -> None:
        self._work, self._pause_seconds = work, pause_seconds
        self._at_start, self._at_end = at_start, at_end
        self._stopped = threading.Event()
        self._failure: type[Exception] | None = None  # of the last run
        self._thread = threading.Thread(target=self._run, name=work.__name__, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Returns when the current run has ended, so that the database may be closed."""
        self._stopped.set()
        self._thread.join()
        self._attempt(self._at_end)

    def _run(self) -> None:
        self._attempt(self._at_start)
        while not self._stopped.is_set():
            self._attempt(self._work)
            self._stopped.wait(self._pause_seconds)

    def _attempt(self, work: Callable[[], object]) -> None:
        try:
            work()
            self._failure = None
        except Exception as error:  # a full disk now must not prevent later runs
            former, self._failure = self._failure, type(error)
            if former is not self._failure:
                log_failure(f"{self._thread.name} failed", error)


def sweep() -> int:
    """Delete what has expired; returns the number of documents deleted."""
    with connected():
        documents = Document.all_due()
        for document in documents:
            document.delete_if_due()
        DocumentToken.spend_expired()
        delete_aborted_uploads()
        drop_objects()
        forget_idle_limits()
        _delete_old_rows()
        _delete_beyond_quotas()
        engine().truncate_wal()
    engine().keep_ballast()
    current_runtime().swept_at = time.time()
    return len(documents)


def drop_objects() -> None:
    """Delete objects that no document refers to any more."""
    with suppress(PayloadStoreAway):  # logged; tried again later
        UnreferencedObject.drop_due(Document.having_objects)


def _delete_old_rows() -> None:
    moment = now()
    with transaction():
        Session.delete_genuine(Session.expires_at <= moment)
        Invitation.delete_genuine(Invitation.expires_at <= moment)
        StoredResponse.delete().where(StoredResponse.created_at <= moment - KEPT_MS).execute()
        DocumentToken.delete_genuine(DocumentToken.revoked_at <= moment - ENDED_TOKENS_KEPT_MS)
        WebhookDelivery.forget_old()
        Mail.forget_old()
        MailLimit.forget_old()
        TokenKey.forget_old()
        StoredPreview.forget_expired()
    forget_old_events()
    Opening.forget_old()


def _delete_beyond_quotas() -> None:
    """The oldest ended links, deliveries and events of those who have too many."""
    most = current_runtime().settings.quota_links
    has_ended = DocumentToken.revoked_at.is_null(False) | DocumentToken.spent_at.is_null(False)
    DocumentToken.keep_newest_of_each(DocumentToken.owner_id, most, has_ended)
    WebhookDelivery.forget_many()
    forget_many_events()

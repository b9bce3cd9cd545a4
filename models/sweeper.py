"""What time has ended is taken away: expired documents, sessions, kept answers, old tokens."""

import logging
import threading

from .answer import KEPT_MS, Answer
from .base import connected, empty_log, writing
from .delivery import Delivery
from .document import Document
from .document_token import DocumentToken
from .event import Event
from .ids import now
from .session import Session

EVERY_SECONDS = 60
SPENT_TOKENS_KEPT_MS = 90 * 24 * 60 * 60 * 1000


def sweep() -> int:
    """Take away what has ended; how many documents that were."""
    with connected():
        documents = Document.rows("expires_at <= :now", now=now())
        for document in documents:
            document.expire()
        DocumentToken.spend_expired()
        _forget_old_rows()
        empty_log()
    return len(documents)


def start() -> threading.Event:
    """Sweep now and every minute, on a thread of its own, until the event is set."""
    stopped = threading.Event()
    threading.Thread(target=_run, args=(stopped,), name="sweeper", daemon=True).start()
    return stopped


def _run(stopped: threading.Event) -> None:
    while not stopped.is_set():
        try:
            sweep()
        except Exception:  # a full disk today must not end the sweeping of tomorrow
            logging.getLogger("docservice").exception("sweep failed")
        stopped.wait(EVERY_SECONDS)


def _forget_old_rows() -> None:
    moment = now()
    with writing():
        Session.delete().where(Session.expires_at <= moment).execute()
        Answer.delete().where(Answer.created_at <= moment - KEPT_MS).execute()
        spent = DocumentToken.revoked_at <= moment - SPENT_TOKENS_KEPT_MS
        DocumentToken.delete().where(spent).execute()
        Delivery.forget_old()
        Event.forget_old()

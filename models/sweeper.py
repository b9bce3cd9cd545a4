"""What time has ended is taken away: expired documents, sessions, kept answers, old tokens."""

from pathlib import Path

from . import spare
from .answer import KEPT_MS, Answer
from .base import connected, database, empty_log, writing
from .delivery import Delivery
from .document import Document
from .document_token import DocumentToken
from .event import Event
from .ids import now
from .session import Session
from .token_key import TokenKey
from .upload import drop_broken_off

SPENT_TOKENS_KEPT_MS = 90 * 24 * 60 * 60 * 1000


def sweep() -> int:
    """Take away what has ended; how many documents that were."""
    with connected():
        documents = Document.rows("expires_at <= :now", now=now())
        for document in documents:
            document.expire()
        DocumentToken.spend_expired()
        drop_broken_off()
        _forget_old_rows()
        empty_log()
    spare.keep(Path(database.database))
    return len(documents)


def _forget_old_rows() -> None:
    moment = now()
    with writing():
        Session.delete().where(Session.expires_at <= moment).execute()
        Answer.delete().where(Answer.created_at <= moment - KEPT_MS).execute()
        spent = DocumentToken.revoked_at <= moment - SPENT_TOKENS_KEPT_MS
        DocumentToken.delete().where(spent).execute()
        Delivery.forget_old()
        Event.forget_old()
        TokenKey.forget_old()

"""What time has ended is taken away: expired documents, sessions, kept answers, old tokens."""

from .answer import KEPT_MS, Answer
from .base import connected, empty_log, now, writing
from .document import Document
from .document_token import DocumentToken
from .errors import NotFound
from .session import Session
from .upload import drop_broken_off

SPENT_TOKENS_KEPT_MS = 90 * 24 * 60 * 60 * 1000


def sweep() -> int:
    """Take away what has ended; how many documents that were."""
    with connected():
        documents = list(Document.select().where(Document.expires_at <= now()))
        for document in documents:
            _delete(document)
        drop_broken_off()
        _forget_old_rows()
        empty_log()
    return len(documents)


def _delete(document: Document) -> None:
    try:
        document.delete_with_tokens()
    except NotFound:  # its owner was quicker
        return


def _forget_old_rows() -> None:
    moment = now()
    with writing():
        Session.delete().where(Session.expires_at <= moment).execute()
        Answer.delete().where(Answer.created_at <= moment - KEPT_MS).execute()
        spent = DocumentToken.revoked_at <= moment - SPENT_TOKENS_KEPT_MS
        DocumentToken.delete().where(spent).execute()

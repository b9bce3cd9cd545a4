"""What time has ended is taken away: expired documents, sessions, kept answers, old tokens."""

from pathlib import Path

from ..delivery import WebhookDelivery
from ..document import Document
from ..document_token import DocumentToken
from ..event import Event
from ..records.ids import now
from ..session import Session
from ..storage import ballast_file as spare
from ..storage.database import connected, database, transaction, truncate_wal
from ..stored_response import KEPT_MS, StoredResponse
from ..token_key import TokenKey
from ..upload import delete_aborted_uploads

SPENT_TOKENS_KEPT_MS = 90 * 24 * 60 * 60 * 1000


def sweep() -> int:
    """Take away what has ended; how many documents that were."""
    with connected():
        documents = Document.rows("expires_at <= :now", now=now())
        for document in documents:
            document.expire()
        DocumentToken.spend_expired()
        delete_aborted_uploads()
        _forget_old_rows()
        truncate_wal()
    spare.keep(Path(database.database))
    return len(documents)


def _forget_old_rows() -> None:
    moment = now()
    with transaction():
        Session.delete().where(Session.expires_at <= moment).execute()
        StoredResponse.delete().where(StoredResponse.created_at <= moment - KEPT_MS).execute()
        spent = DocumentToken.revoked_at <= moment - SPENT_TOKENS_KEPT_MS
        DocumentToken.delete().where(spent).execute()
        WebhookDelivery.forget_old()
        Event.forget_old()
        TokenKey.forget_old()

"""Deletes what has expired: documents, sessions, invitations, stored responses, old rows."""

import time
from contextlib import suppress

from ..delivery import WebhookDelivery
from ..document import Document
from ..document_token import DocumentToken
from ..errors import PayloadStoreAway
from ..event_retention import forget_many_events, forget_old_events
from ..invitation import Invitation
from ..records.ids import now
from ..runtime import current_runtime
from ..session import Session
from ..shared_rate_limiter import forget_idle_limits
from ..storage import connected, engine, transaction
from ..stored_preview import StoredPreview
from ..stored_response import KEPT_MS, StoredResponse
from ..token_key import TokenKey
from ..unreferenced_object import UnreferencedObject
from ..upload import delete_aborted_uploads

ENDED_TOKENS_KEPT_MS = 90 * 24 * 60 * 60 * 1000


def sweep() -> int:
    """Delete what has expired; returns the number of documents deleted."""
    with connected():
        documents = Document.expired()
        for document in documents:
            document.expire()
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
        TokenKey.forget_old()
        StoredPreview.forget_failures()
    forget_old_events()


def _delete_beyond_quotas() -> None:
    """The oldest ended links, deliveries and events of those who have too many."""
    most = current_runtime().settings.quota_links
    has_ended = DocumentToken.revoked_at.is_null(False) | DocumentToken.spent_at.is_null(False)
    DocumentToken.keep_newest_of_each(DocumentToken.owner_id, most, has_ended)
    WebhookDelivery.forget_many()
    forget_many_events()

"""SQLite, through Peewee. Imports `crypto`; is imported by every floor above it."""

from .api_key import SCOPES, ApiKey
from .delivery import WebhookDelivery
from .document import Document
from .document_token import PERMISSIONS, DocumentToken
from .event import TYPES as EVENT_TYPES
from .event import Event
from .session import Session
from .storage.database import connected, database, in_one_transaction, transaction
from .stored_response import StoredResponse
from .user import User
from .webhook import Webhook

__all__ = [
    "EVENT_TYPES",
    "PERMISSIONS",
    "SCOPES",
    "StoredResponse",
    "ApiKey",
    "WebhookDelivery",
    "Document",
    "DocumentToken",
    "Event",
    "Session",
    "User",
    "Webhook",
    "connected",
    "database",
    "in_one_transaction",
    "transaction",
]

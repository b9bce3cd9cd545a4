"""SQLite, through Peewee. Imports `crypto`; is imported by every floor above it."""

from .answer import Answer
from .api_key import SCOPES, ApiKey
from .base import connected, database, in_one_transaction, writing
from .delivery import Delivery
from .document import Document
from .document_token import PERMISSIONS, DocumentToken
from .event import TYPES as EVENT_TYPES
from .event import Event
from .session import Session
from .user import User
from .webhook import Webhook

__all__ = [
    "EVENT_TYPES",
    "PERMISSIONS",
    "SCOPES",
    "Answer",
    "ApiKey",
    "Delivery",
    "Document",
    "DocumentToken",
    "Event",
    "Session",
    "User",
    "Webhook",
    "connected",
    "database",
    "in_one_transaction",
    "writing",
]

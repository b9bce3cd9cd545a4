"""SQLite, through Peewee. Imports `crypto`; is imported by every floor above it."""

from .answer import Answer
from .api_key import SCOPES, ApiKey
from .base import connected, database, writing
from .document import Document
from .document_token import PERMISSIONS, DocumentToken
from .session import Session
from .user import User

__all__ = [
    "PERMISSIONS",
    "SCOPES",
    "Answer",
    "ApiKey",
    "Document",
    "DocumentToken",
    "Session",
    "User",
    "connected",
    "database",
    "writing",
]

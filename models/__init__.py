"""Tables and what can be done with their rows, over a database that peewee reaches."""

from . import lean_peewee  # before any other module imports peewee
from .api_key import SCOPES, ApiKey
from .delivery import WebhookDelivery
from .document import Document
from .document_token import DocumentToken
from .event import TYPES as EVENT_TYPES
from .event import Event
from .event_head import EventHead
from .link_options import PERMISSIONS
from .records.issued import Issued, RowWith
from .runtime import current_runtime
from .session import Session
from .storage import connected, database, in_one_transaction, prepare_connection, transaction
from .stored_preview import StoredPreview
from .stored_response import StoredResponse
from .user import User
from .webhook import Webhook

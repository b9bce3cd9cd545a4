"""Tables, and the actions on their rows, over a database that peewee reaches."""

from . import lean_peewee  # before any other module imports peewee
from .accounts import SCOPES, ApiKey, Session, StoredResponse, User
from .documents import Collection, Document, StoredPreview
from .events import EVENT_TYPES, Event, EventHead, Webhook, WebhookDelivery
from .links import PERMISSIONS, DocumentToken
from .records import Issued, RowWith
from .runtime import current_runtime
from .storage import connected, database, in_one_transaction, prepare_connection, transaction

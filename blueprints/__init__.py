"""HTTP. Imports `models` and `viewer`; blueprints never import one another."""

from .api_keys import keys
from .auth import auth
from .document_tokens import tokens
from .document_views import viewing
from .documents import documents
from .embed import embed
from .events import events
from .metrics import metrics
from .status import operations
from .webhooks import webhooks

# in the specification's order
BLUEPRINTS = (
    *(auth, keys, documents, viewing, tokens, embed),
    *(events, webhooks, operations, metrics),
)

__all__ = ["BLUEPRINTS"]

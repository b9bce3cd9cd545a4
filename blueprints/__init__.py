"""HTTP. Imports `models` and `viewer`; blueprints never import one another."""

from .auth import auth
from .documents import documents
from .embed import embed
from .events import events
from .keys import keys
from .metrics import metrics
from .operations import operations
from .tokens import tokens
from .viewing import viewing
from .webhooks import webhooks

# in the specification's order
BLUEPRINTS = (
    *(auth, keys, documents, viewing, tokens, embed),
    *(events, webhooks, operations, metrics),
)

__all__ = ["BLUEPRINTS"]

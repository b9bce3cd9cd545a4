"""HTTP. Imports `models` and `viewer`; blueprints never import one another."""

from .auth import auth
from .documents import documents
from .embed import embed
from .keys import keys
from .metrics import metrics
from .operations import operations
from .tokens import tokens
from .viewing import viewing

# in the specification's order
BLUEPRINTS = (auth, keys, documents, viewing, tokens, embed, operations, metrics)

__all__ = ["BLUEPRINTS"]

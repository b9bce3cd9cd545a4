"""HTTP. Imports `models` and `viewer`; blueprints never import one another."""

from .auth import auth
from .documents import documents
from .keys import keys
from .operations import operations
from .tokens import tokens

BLUEPRINTS = (auth, keys, documents, tokens, operations)  # in the specification's order

__all__ = ["BLUEPRINTS"]

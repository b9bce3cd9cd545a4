"""Everything around a handler: the caller, bounds of bodies, limits, errors, the access log."""

from .blueprint import ApiBlueprint
from .declarations import (
    ANYONE,
    API_KEY,
    API_KEYS,
    COOKIE,
    DELETE,
    DOCUMENT_TOKEN,
    EVENTS,
    LINK,
    NOBODY,
    OWNER,
    READ,
    READERS,
    SESSION,
    TICKET,
    WEBHOOKS,
    WRITE,
    takes_uploads,
)
from .problems import report_allowance

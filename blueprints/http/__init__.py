"""Everything around a handler: the caller, bounds of bodies, limits, errors, the access log."""

from .blueprint import ApiBlueprint
from .caller import Caller, g
from .credentials import (
    ANYONE,
    API_KEY,
    API_KEYS,
    COOKIE,
    DELETE,
    DOCUMENT_TOKEN,
    EVENTS,
    LINK,
    MEMBERS,
    NOBODY,
    OWNER,
    READ,
    READERS,
    SESSION,
    TICKET,
    UPLOAD_TICKET,
    WEBHOOKS,
    WRITE,
)
from .declarations import is_form
from .problems import report_allowance

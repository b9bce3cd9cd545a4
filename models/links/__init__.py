"""Links to documents: their tokens, what each permits its holder, and all those of a user."""

from .document_token import PERMISSIONS, DocumentToken, LinkOptions
from .grant import TokenGrant
from .lists import (
    link_of_owner,
    links_by_document,
    links_of_owner,
    openings,
    readings_by_links,
    secret_of,
)

"""Links to documents: their tokens, what each permits its holder, and all those of a user."""

from .document_token import PERMISSIONS, DocumentToken, LinkOptions
from .grant import TokenGrant
from .lists import count_live_links, link_of_owner, links_of_owner, openings

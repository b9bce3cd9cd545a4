"""What a link permits its holder, and the links of a user."""

from .grant import TokenGrant
from .lists import count_live_links, link_of_owner, links_of_owner, openings

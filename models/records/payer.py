"""For whom something counts, of all kinds of callers that there are."""

from ..core import Payer
from ..runtime import network_of
from .keyed import Owner


def payer_of(
    owner_id: str = "", *, acting_user_id: str = "", link_id: str = "", address: str = ""
) -> Payer:
    """Return whom it counts for what somebody asks, by the owner of the credential.

    A session is its person, whatever it acts for: `acting_user_id` is the member who acts as a
    space. A key or a link counts for its account, and that of a space for the person who made the
    space, or for the space itself, if that account is gone; a link has a share of its own within
    that. Without an owner it is the network of the `address`.
    """
    if acting_user_id:
        return Payer(acting_user_id)
    if owner_id:
        return Payer(Owner.answering_for(owner_id), link_id)
    return Payer(network_of(address))

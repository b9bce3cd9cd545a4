"""For whom a request counts: its payer, whose share of work and of budgets it uses.

A limit by caller counts by the payer, and by nothing else: an account may make as many spaces, keys
and links as it likes, and has no more by them. `payer_of` in `models/records/payer.py` says who the
payer of a request is; nobody else makes one.
"""

from contextvars import ContextVar
from typing import NamedTuple


class Payer(NamedTuple):
    """An account with all that acts for it, or the network of somebody without an account.

    A link of the account has a share of its own within that of the account: `link_id` is its id,
    and empty without one.
    """

    id: str
    link_id: str = ""

    @property
    def is_account(self) -> bool:
        """Whether it is an account or a space, and no network."""
        return self.id.startswith(("usr_", "spc_"))


NO_PAYER = Payer("")
current_payer: ContextVar[Payer] = ContextVar("payer", default=NO_PAYER)
"""The payer of the request that this thread serves; without an id outside of requests. Work that
goes on behind the request, as a response that is streamed, has to take it along."""

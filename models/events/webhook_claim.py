"""Which process delivers to a webhook, where several serve one database.

A claim is a lease by the server's clock: longer than an attempt takes, and so short that a killed
process does not hold a webhook back for long.
"""

from ..runtime import node_name
from ..storage import SERVER_NOW, connected, database, engine

LEASE_MS = 20_000

_CLAIM = f"""
    INSERT INTO webhook_claim (webhook_id, node_id, until)
    SELECT :webhook_id, :node_id, {SERVER_NOW} + :lease FROM webhook WHERE id = :webhook_id
    ON CONFLICT (webhook_id) DO UPDATE SET node_id = excluded.node_id, until = excluded.until
    WHERE webhook_claim.until <= {SERVER_NOW}"""  # noqa: S608
_RELEASE = "DELETE FROM webhook_claim WHERE webhook_id = :webhook_id AND node_id = :node_id"
_RELEASE_ALL = "DELETE FROM webhook_claim WHERE node_id = :node_id"


def claim_webhook(webhook_id: str) -> bool:
    """Whether this process delivers next."""
    return _execute(_CLAIM, webhook_id=webhook_id, lease=LEASE_MS)


def release_webhook(webhook_id: str) -> None:
    """Let others deliver, after the outcome was stored."""
    _execute(_RELEASE, webhook_id=webhook_id)


def release_webhooks() -> None:
    """Of a process of the same name that was killed, or of this one at its end."""
    _execute(_RELEASE_ALL)


def _execute(query: str, **values: object) -> bool:
    """Whether a claim was changed. A process that serves alone need not ask."""
    if not engine().is_shared:
        return True
    with connected():
        done = database.execute_sql(query, {"node_id": node_name(), **values})
    return bool(done.rowcount)

"""How many links one user may have at once. The link that an upload makes is not counted."""

from ..core import now
from ..runtime import current_runtime, refuse_if_full
from ..storage import database

_LIVE = """
    SELECT COUNT(*) FROM document_token
    WHERE owner_id = :owner_id AND with_upload = 0 AND revoked_at IS NULL AND spent_at IS NULL
    AND (expires_at IS NULL OR expires_at > :now)"""


def refuse_if_many_links(owner_id: str) -> None:
    """`QuotaExceeded` if there is no room for one more, which the same transaction makes."""
    (count,) = database.execute_sql(_LIVE, {"owner_id": owner_id, "now": now()}).fetchone()
    most = current_runtime().settings.quota_links
    refuse_if_full(count, most, "links beside those of uploads", "Revoke one first.")

"""How much one user may keep. Summed up at each upload, and only where there is a quota: what is
not stored cannot be wrong. An index holds all it needs; 10,000 documents take a millisecond.
"""

from dataclasses import dataclass

from .errors import QuotaExceeded
from .records.ids import now
from .storage import database

_KEPT = """
    SELECT COUNT(*), TOTAL(size) FROM document
    WHERE owner_id = ? AND (expires_at IS NULL OR expires_at > ?)"""


@dataclass(frozen=True)
class Quota:
    bytes: int | None = None
    documents: int | None = None

    def refuse_if_over(self, owner_id: str, size: int) -> None:
        """Whether a document of `size` bytes may be added. Inside the transaction that adds it:
        else two uploads at once fit where there is room for one.
        """
        if self.bytes is None and self.documents is None:
            return
        documents, total = database.execute_sql(_KEPT, (owner_id, now())).fetchone()
        if self.documents is not None and documents >= self.documents:
            raise QuotaExceeded(
                f"You may keep {self.documents:,} documents and have {documents:,}. "
                "Delete one first."
            )
        if self.bytes is not None and total + size > self.bytes:
            raise QuotaExceeded(
                f"Your documents may take {self.bytes:,} bytes and take {int(total):,}; this one "
                f"has {size:,}. Delete something first."
            )

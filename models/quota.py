"""How much one user may store: a number of documents, and of their bytes."""

from dataclasses import dataclass

from .errors import QuotaExceeded


@dataclass(frozen=True)
class Quota:
    """None where there is no limit."""

    bytes: int | None = None
    documents: int | None = None

    @property
    def is_limited(self) -> bool:
        return self.bytes is not None or self.documents is not None

    def require(self, size: int, documents: int, stored_bytes: int) -> None:
        """`QuotaExceeded` unless `size` bytes more may be stored beside `documents`."""
        if self.documents is not None and documents >= self.documents:
            raise QuotaExceeded(
                f"You may keep {self.documents:,} documents and have {documents:,}. "
                "Delete one first."
            )
        if self.bytes is not None and stored_bytes + size > self.bytes:
            raise QuotaExceeded(
                f"Your documents may take {self.bytes:,} bytes and take {stored_bytes:,}; this one "
                f"has {size:,}. Delete something first."
            )

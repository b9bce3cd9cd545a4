"""Limits of the rows of one user: documents, their bytes, and other kinds."""

from dataclasses import dataclass

from ..core import QuotaExceeded, counted


@dataclass(frozen=True)
class Quota:
    """The most bytes and documents of one user; None where there is no limit."""

    bytes: int | None = None
    documents: int | None = None

    @property
    def most_documents(self) -> int | None:
        """Empty ones take space as well: so a quota of bytes alone limits documents, too."""
        if self.documents is None and self.bytes is not None:
            return max(1000, self.bytes // 1024)
        return self.documents

    def require(self, size: int, documents: int, stored_bytes: int) -> None:
        """Raise `QuotaExceeded` unless `size` bytes more may be stored beside `documents`."""
        if self.most_documents is not None and documents >= self.most_documents:
            raise QuotaExceeded(
                f"You may keep {counted(self.most_documents, 'document')} and have {documents:,}. "
                "Delete one first; those in the bin count."
            )
        if self.bytes is not None and stored_bytes + size > self.bytes:
            raise QuotaExceeded(
                f"Your documents may take {counted(self.bytes, 'byte')} and take {stored_bytes:,}; "
                f"this one has {size:,}. Delete something first; the bin counts."
            )


def refuse_if_full(count: int, most: int, noun: str, remedy: str, which: str = "") -> None:
    """Raise `QuotaExceeded` if there are `most` rows of a kind, or more.

    `noun` names one of them; `which` are words behind it, as `in this space`.
    """
    if count >= most:
        there = f"{counted(count, noun)} {which}".rstrip()
        raise QuotaExceeded(f"You have {there}; {most:,} is the most. {remedy}")

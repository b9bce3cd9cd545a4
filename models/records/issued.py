"""What a call returns once: a row together with values that are not its columns."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class RowWith(Generic[T]):
    """A row and values beside it. Every other attribute is the row's."""

    row: T

    def __getattr__(self, name: str) -> Any:
        return getattr(self.row, name)


@dataclass(frozen=True)
class Issued(RowWith[T]):
    """A new row with its secret, which is stored nowhere in clear."""

    secret: str

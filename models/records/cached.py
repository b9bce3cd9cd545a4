"""What a row works out once, when it is first asked for."""

import functools
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801
    """That of functools, without the lock that it has before Python 3.12: threads share no row."""

    def __get__(self, row: Any, owner: Any = None) -> T:  # type: ignore[override]
        value = row.__dict__[self.attrname] = self.func(row)
        return value

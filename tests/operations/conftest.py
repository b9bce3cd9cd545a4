"""The fixtures of the models, over which an operator works."""

from tests.models.conftest import (
    alice,
    bob,
    changed_rows,
    clock,
    configure,
    empty_instance,
    file,
    former_actor,
    in_bucket,
    instance,
    objects,
    runtime,
)

__all__ = [
    "alice",
    "bob",
    "changed_rows",
    "clock",
    "configure",
    "empty_instance",
    "file",
    "former_actor",
    "in_bucket",
    "instance",
    "objects",
    "runtime",
]

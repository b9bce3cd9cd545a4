"""The fixtures of the models, over which an operator works."""

from tests.models.conftest import (
    alice,
    bob,
    changed_rows,
    clock,
    configure,
    configure_on_server,
    empty_instance,
    empty_on_server,
    file,
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
    "configure_on_server",
    "empty_instance",
    "empty_on_server",
    "file",
    "in_bucket",
    "instance",
    "objects",
    "runtime",
]

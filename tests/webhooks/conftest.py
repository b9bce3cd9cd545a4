"""The models over a fresh SQLite file, and a receiver."""

import pytest

from tests.models.conftest import alice, bob, configure, empty_instance, instance, runtime
from tests.receiver import Receiver

__all__ = ["alice", "bob", "configure", "empty_instance", "instance", "runtime"]


@pytest.fixture
def receiver():
    with Receiver() as one:
        yield one

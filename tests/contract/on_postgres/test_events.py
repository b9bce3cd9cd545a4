"""The tests of `tests/contract/test_events.py`, on PostgreSQL."""

from tests.contract.test_events import *  # noqa: F403

"""The tests of `tests/contract/test_idempotency.py`, on PostgreSQL."""

from tests.contract.test_idempotency import *  # noqa: F403

"""The tests of `tests/contract/test_webhook_deliveries.py`, on PostgreSQL."""

from tests.contract.test_webhook_deliveries import *  # noqa: F403

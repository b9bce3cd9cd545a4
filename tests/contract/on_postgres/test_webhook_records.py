"""The tests of `tests/contract/test_webhook_records.py`, on PostgreSQL."""

from tests.contract.test_webhook_records import *  # noqa: F403

"""The tests of `tests/contract/test_api_keys.py`, on PostgreSQL."""

from tests.contract.test_api_keys import *  # noqa: F403

"""The tests of `tests/contract/test_lists.py`, on PostgreSQL."""

from tests.contract.test_lists import *  # noqa: F403

"""The tests of `tests/contract/test_search.py`, on PostgreSQL."""

from tests.contract.test_search import *  # noqa: F403

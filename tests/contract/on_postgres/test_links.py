"""The tests of `tests/contract/test_links.py`, on PostgreSQL."""

from tests.contract.test_links import *  # noqa: F403

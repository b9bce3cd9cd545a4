"""The tests of `tests/contract/test_changed_links.py`, on PostgreSQL."""

from tests.contract.test_changed_links import *  # noqa: F403

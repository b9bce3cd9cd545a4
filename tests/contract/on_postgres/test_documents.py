"""The tests of `tests/contract/test_documents.py`, on PostgreSQL."""

from tests.contract.test_documents import *  # noqa: F403

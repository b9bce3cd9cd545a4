"""The tests of `tests/contract/test_document_tokens.py`, on PostgreSQL."""

from tests.contract.test_document_tokens import *  # noqa: F403

"""Fixtures for the tests of webhooks."""

import pytest

from tests.receiver import Receiver


@pytest.fixture(scope="module")
def webhook_service(start_service):
    """A service whose webhooks may reach this machine."""
    return start_service(RATE_LIMITS="off", WEBHOOK_ALLOW="127.0.0.0/8")


@pytest.fixture
def webhook_owner(webhook_service):
    return webhook_service.register()


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver

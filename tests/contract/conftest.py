"""Fixtures that several files of tests share."""

import pytest

from tests.contract.requests import BIG
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


@pytest.fixture(scope="module")
def big(alice):
    """A document of several pieces, whose content is `BIG`."""
    return alice.upload(BIG, "application/octet-stream", name="big.bin")


@pytest.fixture
def caller(request, alice, anonymous):
    """Who may send a body to the test's `route`: accounts take it from anybody."""
    return anonymous if "auth" in request.node.callspec.params["route"] else alice

"""Fixtures that several files of tests share."""

import pytest

from tests.clock import ClockedService
from tests.contract.requests import BIG
from tests.receiver import Receiver


@pytest.fixture(scope="module")
def webhook_service(start_service):
    """A service whose webhooks may reach this machine."""
    return start_service(RATE_LIMITS="off", WEBHOOK_ALLOW="127.0.0.0/8")


@pytest.fixture
def webhook_owner(webhook_service):
    return webhook_service.register()


@pytest.fixture(scope="module")
def restarted(start_service):
    """A service that tests of a file end or break; each leaves it running and whole."""
    return start_service(RATE_LIMITS="off")


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="session")
def clocked_service(tmp_path_factory):
    service = ClockedService(
        tmp_path_factory.mktemp("service"), RATE_LIMITS="off", QUOTA_BYTES=1000, SESSION_SECONDS=600
    )
    yield service
    service.close()


@pytest.fixture
def clocked(clocked_service):
    """A service whose clock is right, until the test sets it."""
    clocked_service.set_clock()
    return clocked_service


@pytest.fixture(scope="module")
def big(alice):
    """A document of several pieces, whose content is `BIG`."""
    return alice.upload(BIG, "application/octet-stream", name="big.bin")


@pytest.fixture
def caller(request, alice, anonymous):
    """Who may send a body to the test's `route`: accounts take it from anybody."""
    return anonymous if "auth" in request.node.callspec.params["route"] else alice


@pytest.fixture
def person(mailing):
    """Somebody who shares documents by a service that sends mail."""
    return mailing.register()

"""A live service and the people who use it. Nothing here starts before a test asks for it."""

import pytest

from tests.people import Person, Service


def pytest_collection_modifyitems(items):
    """What judges all answers seen comes after the tests that ask for them."""
    items.sort(key=lambda item: "all_answers_seen" in item.name)


@pytest.fixture(scope="session")
def start_service(tmp_path_factory):
    """Start a service with settings of its own; all are stopped in the end."""
    started = []

    def start(**settings):
        started.append(Service(tmp_path_factory.mktemp("service"), **settings))
        return started[-1]

    yield start
    for one in started:
        one.process.terminate()
    for one in started:
        one.close()


@pytest.fixture(scope="session")
def service(start_service):
    """The service that most tests share."""
    return start_service(RATE_LIMITS="off")


@pytest.fixture(scope="session")
def alice(service):
    return service.register("alice@example.org", name="Alice")


@pytest.fixture(scope="session")
def bob(service):
    return service.register("bob@example.org")


@pytest.fixture
def newcomer(service):
    """Somebody who has nothing yet."""
    return service.register()


@pytest.fixture
def anyone(service):
    """Somebody without a credential."""
    return Person(service)


@pytest.fixture(scope="session")
def document(alice):
    """A document of Alice's that no test changes."""
    return alice.upload(b"what Alice keeps", "text/plain", name="kept.txt")


@pytest.fixture(scope="session")
def webhook(alice):
    """A webhook of Alice's that no test changes; nothing but a test is sent to it."""
    body = {"url": "https://hook.example/in", "events": ["webhook.test"]}
    return alice.post("/v1/webhooks", json=body).json


@pytest.fixture
def disposable(alice):
    """A document of Alice's that the test may change or delete."""
    return alice.upload(b"what Alice may lose", "text/plain", name="lost.txt")

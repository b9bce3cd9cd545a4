"""A response that tells of a change waits for the sync of this change, whatever the route is.

These tests walk every route that writes, with every kind of caller that it writes for, beside a
server that can hold responses.
"""

import pytest

from crypto import password_file
from models.storage import group_commit, sync_for_responses
from testing import service_in_process
from tests.walks.scene import Stage
from tests.walks.test_rights import REQUESTS, SETTINGS, made, walks


class HoldingServer:
    """What the server is for the application: it remembers what a response waits for."""

    can_be_held = True

    def __init__(self):
        self.confirm = None

    def serve_for(self, _caller, _part=None):
        """Serve it."""

    def reserve_memory(self, _size_bytes):
        return True

    def hold(self, confirm, *, is_streamed):
        assert isinstance(is_streamed, bool)
        assert self.confirm is None
        self.confirm = confirm

    def sent_status(self, answer):
        """The status of the response that is sent for an answer of the application."""
        confirm, self.confirm = self.confirm, None
        if confirm is None:
            return answer.status_code
        sync_for_responses()
        other = confirm()
        return int(other[0][:3]) if other else answer.status_code


@pytest.fixture(scope="module")
def service_of_all(tmp_path_factory):
    with service_in_process(
        tmp_path_factory.mktemp("held"), RATE_LIMITS="off", **SETTINGS
    ) as service:
        service.server = HoldingServer()
        application = service.app.wsgi_app

        def held_application(environ, start):
            return application(environ | {"server.response": service.server}, start)

        service.app.wsgi_app = held_application
        service.stage = Stage(service.app)
        yield service


@pytest.fixture
def service(service_of_all, monkeypatch):
    monkeypatch.setattr(password_file, "ROUNDS", 1)
    return service_of_all


def calls(request, service):
    """A call of the route for each kind of caller that it changes something for."""
    callers = {(walk.caller, walk.in_space): walk for walk in walks(request)}
    for walk in callers.values():
        if request.writes_for(walk.caller):
            yield walk, made(request, walk, service)


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_nobody_is_told_of_a_change_that_is_not_on_disk(request_, service, monkeypatch):
    for walk, call in calls(request_, service):
        with monkeypatch.context() as disk:
            disk.setattr(group_commit, "_fdatasync", _fails)
            answer = call.send()
            assert service.server.sent_status(answer) == 507, (walk, answer)


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_a_change_waits_for_one_sync_behind_its_request(request_, service, monkeypatch):
    synced = []
    for walk, call in calls(request_, service):
        with monkeypatch.context() as disk:
            disk.setattr(group_commit, "_fdatasync", synced.append)
            answer = call.send()
            assert answer.status_code < 400
            assert synced == [], walk
            assert service.server.sent_status(answer) == answer.status_code
            assert len(synced) == 1, walk
        synced.clear()


def _fails(_handle):
    raise OSError(5, "the disk")

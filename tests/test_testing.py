"""What other projects' tests get: the fixtures of docs/testing.md, and the API that they use."""

import os
import re
import subprocess
import sys
from datetime import timedelta

import pytest

from app import running_app
from models import current_runtime
from models.core import OperatorError, now, rfc3339
from testing import service_in_process
from tests.receiver import Receiver
from tests.service import ROOT

LOGIN = {"email": "alice@example.org", "password": "correct horse battery staple"}
PAGE = (ROOT / "docs" / "testing.md").read_text()


def block(first_line):
    """The block of the page that begins with this comment."""
    [text] = re.findall(rf"^```\w+\n(# {re.escape(first_line)}\n.*?)^```$", PAGE, re.M | re.S)
    return text


def run_as_another_project(folder, conftest, test, **files):
    """Run pytest on blocks of the page, in a folder and a process of their own."""
    if conftest:
        (folder / "conftest.py").write_text(block(conftest))
    (folder / test).write_text(block(test))
    for name, text in files.items():
        (folder / f"{name}.ini").write_text(text)
    dropped = ("DOCSERVICE_", "PYTEST_", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    done = subprocess.run(  # noqa: PLW1510
        [*command, test],
        cwd=folder,
        env=kept | {"DOCUMENT_SERVICE": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_fixtures_of_the_package_serve_another_project(tmp_path):
    (tmp_path / "models.py").touch()  # a name that the service has as well
    printed = run_as_another_project(tmp_path, None, "test_link.py")

    assert "1 passed" in printed


@pytest.mark.slow
def test_the_fixture_of_a_process_serves_another_project(tmp_path):
    printed = run_as_another_project(tmp_path, "conftest.py of a process", "test_served.py")

    assert "1 passed" in printed


@pytest.mark.slow
def test_the_fixture_of_one_process_serves_another_project(tmp_path):
    path = block("pytest.ini").replace("../document-service", str(ROOT))
    printed = run_as_another_project(
        tmp_path, "conftest.py of one process", "test_in_process.py", pytest=path
    )

    assert "2 passed" in printed


@pytest.fixture
def service(tmp_path):
    settings = {"RATE_LIMITS": "off", "WEBHOOK_ALLOW": "127.0.0.0/8"}
    with service_in_process(tmp_path / "instance", **settings) as service:
        yield service


def log_in(service):
    token = service.client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    return {"Authorization": f"Bearer {token}"}


def test_the_end_of_the_block_closes_the_application_though_the_block_fails(tmp_path):
    def fail():
        with running_app({"INSTANCE_PATH": str(tmp_path)}) as app:
            assert app.test_client().get("/readyz").status_code == 200
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    with pytest.raises(RuntimeError, match="No application is open"):
        current_runtime()


def test_an_instance_that_cannot_be_opened_leaves_no_application_behind(tmp_path):
    (tmp_path / "documents.sqlite").write_text("this is no database, though it is a file")

    with pytest.raises(Exception, match="database"), running_app({"INSTANCE_PATH": str(tmp_path)}):
        pytest.fail("It was opened.")
    with running_app({"INSTANCE_PATH": str(tmp_path / "another")}) as app:
        assert app.test_client().get("/readyz").status_code == 200


def test_a_second_instance_in_the_same_process_is_refused(service, tmp_path):
    with pytest.raises(OperatorError), service_in_process(tmp_path / "second"):
        pytest.fail("It was opened.")

    assert service.client.get("/readyz").status_code == 200


def test_a_key_has_the_scopes_that_the_test_asks_for(service):
    reading = {"X-API-Key": service.add_account("r@example.org", scopes=("documents:read",))}

    assert service.client.get("/v1/documents", headers=reading).status_code == 200
    form = {"name": "a.txt", "contentType": "text/plain", "payload": "YQ=="}
    refused = service.client.post("/v1/documents", json=form, headers=reading)
    assert refused.json["code"] == "scope_missing"


def test_a_session_and_a_ticket_end_by_the_clock_that_the_test_moves(service):
    service.add_account(**LOGIN)
    former = log_in(service)
    runtime = current_runtime()
    ticket = runtime.tickets.issue(runtime.session_tokens.open(former["Authorization"][7:]), 3600)

    service.move_clock(timedelta(minutes=59))
    runtime.tickets.open(ticket)
    assert service.client.get("/v1/api-keys", headers=former).status_code == 200
    service.move_clock(timedelta(hours=12))

    with pytest.raises(Exception, match="^$"):
        runtime.tickets.open(ticket)
    assert service.client.get("/v1/api-keys", headers=former).status_code == 401
    assert service.client.get("/v1/api-keys", headers=log_in(service)).status_code == 200


def test_the_clock_moves_ahead_only_and_is_right_again_at_the_end(tmp_path):
    before = now()
    with service_in_process(tmp_path) as service:
        service.move_clock(timedelta(days=1))
        service.move_clock(timedelta(days=1))
        assert now() - before >= timedelta(days=2) // timedelta(milliseconds=1)
        key = {"X-API-Key": service.add_account("later@example.org")}
        with pytest.raises(ValueError, match="ahead only"):
            service.move_clock(timedelta(days=-1))
        assert service.client.get("/v1/documents", headers=key).status_code == 200

    assert now() - before < timedelta(days=1) // timedelta(milliseconds=1)


def test_what_has_expired_is_deleted_by_the_background_work(service):
    key = {"X-API-Key": service.add_account("alice@example.org")}
    ends_at = rfc3339(now() + timedelta(days=1) // timedelta(milliseconds=1))
    form = {"name": "a.txt", "contentType": "text/plain", "payload": "YQ==", "expiresAt": ends_at}
    document = service.client.post("/v1/documents", json=form, headers=key).json

    service.move_clock(timedelta(days=2))
    service.run_background_work()

    events = service.client.get("/v1/events", headers=key).json["events"]
    assert "document.expired" in [event["type"] for event in events], document


def test_a_delivery_that_fails_is_attempted_again_when_it_is_due(service):
    service.add_account(**LOGIN)
    session = log_in(service)
    with Receiver() as receiver:
        receiver.answers = [(500, "not now")]
        service.client.post("/v1/webhooks", json={"url": receiver.url()}, headers=session)
        form = {"name": "a.txt", "contentType": "text/plain", "payload": "YQ=="}
        key = service.client.post("/v1/api-keys", json={}, headers=session).json["key"]
        service.client.post("/v1/documents", json=form, headers={"X-API-Key": key})
        service.run_background_work()
        first = len(receiver.requests)
        assert service.run_background_work() == 0
        service.move_clock(timedelta(minutes=1))
        service.run_background_work()

        bodies = [request.body for request in receiver.requests]
    assert bodies[0] == bodies[first]
    assert len(bodies) == first + 1


def test_a_view_is_an_event_after_the_background_work(service):
    key = {"X-API-Key": service.add_account("alice@example.org")}
    form = {"name": "a.txt", "contentType": "text/plain", "payload": "YQ=="}
    document = service.client.post("/v1/documents", json=form, headers=key).json
    for _ in range(3):
        assert service.client.get(document["token"]["viewUrl"]).status_code == 200

    service.run_background_work()

    events = service.client.get("/v1/events", headers=key).json["events"]
    viewed = [event for event in events if event["type"] == "document.viewed"]
    assert len(viewed) == 2  # the first one of a minute, and the two that follow it as one more

"""What is acknowledged survives the end of the process, and what has begun is finished."""

import json
import signal

import pytest

from tests.contract.requests import begin_upload, upload_body
from tests.formats import b64
from tests.people import Person
from tests.service import StartError
from tests.waiting import run_in_threads, until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def restarted(start_service):
    """A service that these tests end; each leaves it running."""
    return start_service(RATE_LIMITS="off")


def test_concurrent_uploads_are_all_stored(service):
    person = service.register()
    statuses = []

    def upload():
        body = {"payload": b64(b"small"), "contentType": "text/plain"}
        for _ in range(50):
            statuses.append(person.post("/v1/documents", json=body).status)

    run_in_threads(*[upload] * 4)
    assert statuses == [201] * 200
    assert sum(map(len, person.pages("/v1/documents?limit=100"))) == 200
    assert "database is locked" not in service.stderr()


def refuses_connections(service):
    try:
        Person(service).exchange("GET", "/healthz")
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        pass  # the listening socket was closed before it accepted this connection
    return False


def test_an_upload_in_progress_at_sigterm_is_answered(restarted):
    person = restarted.register()
    body = upload_body(bytes(1 << 20))
    connection = begin_upload(person, body)
    connection.send(body[:500_000])
    restarted.process.send_signal(signal.SIGTERM)
    until(lambda: refuses_connections(restarted))
    connection.send(body[500_000:])
    response = connection.getresponse()
    document = json.loads(response.read())
    connection.close()
    assert response.status == 201
    assert restarted.process.wait(60) == 0
    restarted.start()
    content = person.get(f"/v1/documents/{document['id']}/content").body
    assert content == bytes(1 << 20)


def test_accounts_sessions_keys_and_tokens_survive_a_restart(restarted):
    person = restarted.register()
    machine, document = person.create_api_key(), person.upload(b"kept")
    restarted.restart()
    assert person.get("/v1/auth/me").json == person.record
    assert machine.get(f"/v1/documents/{document['id']}/content").body == b"kept"
    assert person.open(document["token"]["viewUrl"]).status == 200
    assert restarted.log_in(person.record["email"]).record == person.record


def test_a_service_does_not_start_without_its_keyring(restarted):
    restarted.register().upload()
    restarted.stop()
    keyring = restarted.instance / "keyring"
    kept = keyring.read_bytes()
    keyring.unlink()
    with pytest.raises(StartError, match="key"):
        restarted.start()
    assert not keyring.exists()
    keyring.write_bytes(kept)
    keyring.chmod(0o600)
    restarted.start()

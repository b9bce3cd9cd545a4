"""What is acknowledged survives the end of the process; what is interrupted is whole or absent."""

import contextlib
import hashlib
import http.client
import json
import os
import random
import signal
import threading
from functools import partial

import pytest

from tests.contract.requests import JSON, begin_upload, upload_body
from tests.formats import b64
from tests.people import Person
from tests.waiting import join_threads, run_in_threads, start_threads, until

pytestmark = pytest.mark.slow


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
    profile = person.get("/v1/auth/me").json
    assert profile.pop("stored") == {"documentCount": 1, "size": 4, "binnedCount": 0}
    assert profile == person.record | {"showName": True}
    assert machine.get(f"/v1/documents/{document['id']}/content").body == b"kept"
    assert person.open(document["token"]["viewUrl"]).status == 200
    assert restarted.log_in(person.record["email"]).record == person.record


MIB = 1 << 20
PIECES = "SELECT count(*) FROM piece"
OF_DOCUMENTS = f"{PIECES} WHERE substr(document_id, 1, 3) = 'doc'"  # and not of previews
WITHOUT_ROW = f"{OF_DOCUMENTS} AND document_id NOT IN (SELECT id FROM document)"
LOST = (OSError, http.client.HTTPException)


@pytest.fixture(scope="module")
def large():
    return os.urandom(48 * MIB)


@pytest.fixture
def person(restarted):
    return restarted.register()


def query(service, question):
    return service.sql(question)[0][0]


def begun(service, person, content):
    """Start a large upload in a thread, and wait until some of its pieces are stored."""
    answers, body = [], upload_body(content)

    def send():
        with contextlib.suppress(*LOST):
            answers.append(person.post("/v1/documents", data=body, headers=JSON))

    thread = threading.Thread(target=send)
    thread.start()
    until(lambda: query(service, WITHOUT_ROW))
    return thread, answers


@pytest.mark.sqlite_only("an upload is one transaction, unseen before its end")
def test_sigkill_during_an_upload_leaves_no_pieces_after_the_next_start(restarted, person, large):
    kept = person.upload(b"kept")
    for _ in range(2):
        thread, answers = begun(restarted, person, large)
        restarted.kill()
        thread.join()
        assert not answers
        assert query(restarted, WITHOUT_ROW)
        restarted.start()
        assert query(restarted, WITHOUT_ROW) == 0
        listed = person.get("/v1/documents").json["documents"]
        assert [one["id"] for one in listed] == [kept["id"]]


@pytest.mark.sqlite_only("an upload is one transaction, unseen before its end")
def test_an_upload_whose_pieces_are_being_written_is_finished_before_the_service_stops(
    restarted, person, large
):
    thread, answers = begun(restarted, person, large)
    assert restarted.stop() == 0
    thread.join()
    assert answers[0].status == 201
    restarted.start()
    assert query(restarted, WITHOUT_ROW) == 0
    assert person.get(f"/v1/documents/{answers[0].json['id']}/content").body == large


@pytest.mark.logs_traceback("crypto.sealing.DecryptionError", "models.core.errors.NotFound")
def test_deleting_a_document_cuts_off_its_running_download(restarted, person, large):
    document = person.upload(large)
    path = f"/v1/documents/{document['id']}"
    with contextlib.closing(person.connect()) as connection:
        connection.request("GET", f"{path}/content", headers=person.credential)
        answer = connection.getresponse()
        came = answer.read(MIB)
        assert person.delete(path).status == 204
        with pytest.raises(http.client.IncompleteRead) as raised:
            answer.read()
    assert large.startswith(came + raised.value.partial)
    assert query(restarted, WITHOUT_ROW) == 0


def test_acknowledged_uploads_and_deletes_survive_sigkill(restarted, person):
    digests, asked, gone = {}, set(), set()

    def work(seed):
        chance = random.Random(seed)
        with contextlib.suppress(*LOST):
            while True:
                content = os.urandom(chance.choice([10, 5_000, 700_000, 2_500_000]))
                document = person.upload(content, "a/b", token=None)
                digests[document["id"]] = hashlib.sha256(content).hexdigest()
                if chance.random() < 0.6:
                    asked.add(document["id"])
                    assert person.delete(f"/v1/documents/{document['id']}").status == 204
                    gone.add(document["id"])

    for attempt in range(3):
        threads = start_threads(*[partial(work, f"{attempt} {n}") for n in range(4)])
        before = len(gone)
        until(lambda before=before: len(gone) >= before + 5)
        restarted.kill()
        join_threads(threads)
        restarted.start()

    listed = {one["id"]: one for one in person.get("/v1/documents?limit=100").json["documents"]}
    assert len(listed) < 100
    assert not listed.keys() & gone
    assert digests.keys() - asked <= listed.keys()
    for id, document in listed.items():
        content = person.get(f"/v1/documents/{id}/content").body
        assert hashlib.sha256(content).hexdigest() == document["sha256"]
        assert document["sha256"] == digests.get(id, document["sha256"])
    assert query(restarted, WITHOUT_ROW) == 0
    if not restarted.server_url:
        assert query(restarted, "PRAGMA integrity_check") == "ok"

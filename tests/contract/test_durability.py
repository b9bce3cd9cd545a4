"""What is acknowledged is kept, and what has begun is finished."""

import contextlib
import functools
import hashlib
import http.client
import json
import random
import signal
import sqlite3
import threading
import time

import pytest

from tests.people import DidNotStart, Person, b64


def at_once(*works):
    """Begin these in threads of their own."""
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    return threads


def every(person):
    """The records of all documents."""
    cursor = ""
    while cursor is not None:
        page = person.get(f"/v1/documents?limit=100{cursor and '&cursor=' + cursor}").json
        yield from page["documents"]
        cursor = page["nextCursor"]


def test_what_is_acknowledged_survives_kill_9_and_nothing_half_written_is_listed(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    acknowledged = {}

    def upload(seed):
        chance = random.Random(seed)
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                content = chance.randbytes(chance.choice([10, 5_000, 700_000, 3_000_000]))
                document = person.upload(content, "application/x-any", token=None)
                acknowledged[document["id"]] = hashlib.sha256(content).hexdigest()

    for attempt in range(5):
        before = len(acknowledged)
        seeds = [f"{attempt} {number}" for number in range(4)]
        threads = at_once(*[functools.partial(upload, seed) for seed in seeds])
        deadline = time.monotonic() + 10
        while len(acknowledged) < before + 5:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        service.kill()
        for thread in threads:
            thread.join()
        service.start()

    listed = list(every(person))
    assert acknowledged.keys() <= {document["id"] for document in listed}
    for document in listed:
        content = person.get(f"/v1/documents/{document['id']}/content").body
        digest = hashlib.sha256(content).hexdigest()
        assert (len(content), digest) == (document["size"], document["sha256"])
        assert digest == acknowledged.get(document["id"], digest)


def test_four_threads_of_200_uploads_meet_no_fault(service):
    person = service.register()
    statuses = []

    def upload():
        body = {"payload": b64(b"small"), "contentType": "text/plain"}
        for _ in range(200):
            statuses.append(person.post("/v1/documents", json=body).status)

    for thread in at_once(*[upload] * 4):
        thread.join()
    assert statuses == [201] * 800
    assert len(list(every(person))) == 800
    assert "database is locked" not in service.stderr()


def test_an_upload_that_runs_when_the_service_is_told_to_stop_is_answered(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    body = json.dumps({"payload": b64(bytes(1 << 20)), "contentType": "text/plain"}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    connection = person.begin("POST", "/v1/documents", headers)
    connection.endheaders(body[:500_000])
    time.sleep(0.1)
    service.process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    connection.send(body[500_000:])
    response = connection.getresponse()
    document = json.loads(response.read())
    connection.close()
    assert response.status == 201
    assert service.process.wait(30) == 0
    service.start()
    content = person.get(f"/v1/documents/{document['id']}/content").body
    assert content == bytes(1 << 20)


def test_a_service_that_is_told_to_stop_ends_with_0_and_takes_nobody_new(start_service):
    service = start_service(RATE_LIMITS="off")
    assert service.stop() == 0
    with pytest.raises(ConnectionRefusedError):
        Person(service).get("/healthz")


def test_accounts_sessions_keys_and_tokens_live_on_over_a_restart(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    machine, document = person.key(), person.upload(b"kept")
    service.restart()
    assert person.get("/v1/auth/me").json == person.record
    assert machine.get(f"/v1/documents/{document['id']}/content").body == b"kept"
    assert person.open(document["token"]["viewUrl"]).status == 200
    assert service.log_in(person.record["email"]).record == person.record


def test_a_service_without_its_keyring_says_so_and_does_not_start(start_service):
    service = start_service(RATE_LIMITS="off")
    service.register().upload()
    service.stop()
    keyring = service.instance / "keyring"
    kept = keyring.read_bytes()
    keyring.unlink()
    with pytest.raises(DidNotStart, match="key"):
        service.start()
    assert not keyring.exists()
    keyring.write_bytes(kept)
    keyring.chmod(0o600)
    service.start()


def test_a_newer_database_is_refused_by_an_older_service_with_a_sentence(start_service):
    service = start_service()
    service.stop()
    with sqlite3.connect(service.instance / "documents.sqlite") as plain:
        plain.execute("INSERT INTO schema_migration VALUES (99, '9999_later', '2099-01-01')")
    plain.close()

    with pytest.raises(DidNotStart, match="newer version") as stop:
        service.start()

    assert "Traceback" not in str(stop.value)
    assert stop.value.code != 0

"""What is interrupted in the middle is there as a whole or not at all, pieces included."""

import contextlib
import hashlib
import http.client
import os
import random
import sqlite3
import threading
import time

import pytest

from tests.people import b64, until

MIB = 1 << 20
LARGE = os.urandom(48 * MIB)
BODY = b'{"contentType":"a/b","payload":"' + b64(LARGE).encode() + b'"}'
JSON = {"Content-Type": "application/json"}
PIECES = "SELECT count(*) FROM piece"
WITHOUT_ROW = f"{PIECES} WHERE document_id NOT IN (SELECT id FROM document)"
LOST = (OSError, http.client.HTTPException)


@pytest.fixture
def setup(start_service):
    return start_service(RATE_LIMITS="off")


def count(service, question):
    with contextlib.closing(sqlite3.connect(service.instance / "documents.sqlite")) as database:
        return database.execute(question).fetchone()[0]


def begun(service, person):
    """A large upload in a thread, some pieces of which are stored; its answer comes later."""
    answers = []

    def send():
        with contextlib.suppress(*LOST):
            answers.append(person.post("/v1/documents", data=BODY, headers=JSON))

    thread = threading.Thread(target=send)
    thread.start()
    until(lambda: count(service, WITHOUT_ROW))
    return thread, answers


def test_kill_9_between_the_steps_of_an_upload_leaves_no_piece(setup):
    person = setup.register()
    kept = person.upload(b"kept")
    for _ in range(2):
        thread, answers = begun(setup, person)
        setup.kill()
        thread.join()
        assert not answers
        assert count(setup, WITHOUT_ROW)
        setup.start()
        assert count(setup, PIECES) == 1
        listed = person.get("/v1/documents").json["documents"]
        assert [one["id"] for one in listed] == [kept["id"]]


def test_an_upload_whose_steps_have_begun_is_finished_before_the_service_stops(setup):
    person = setup.register()
    thread, answers = begun(setup, person)
    assert setup.stop() == 0
    thread.join()
    assert answers[0].status == 201
    setup.start()
    assert count(setup, WITHOUT_ROW) == 0
    assert person.get(f"/v1/documents/{answers[0].json['id']}/content").body == LARGE


def test_a_client_that_hangs_up_in_the_middle_leaves_nothing(setup):
    person = setup.register()
    for sent in (100, len(BODY) // 2, len(BODY) - 1):
        headers = JSON | {"Content-Length": str(len(BODY))}
        begun = person.begin("POST", "/v1/documents", headers)
        with contextlib.closing(begun) as connection:
            connection.endheaders(BODY[:sent])
    assert person.get("/v1/documents").json["documents"] == []
    assert count(setup, PIECES) == 0


def test_what_is_deleted_while_it_is_read_breaks_off_and_is_gone(setup):
    person = setup.register()
    document = person.post("/v1/documents", data=BODY, headers=JSON).json
    path = f"/v1/documents/{document['id']}"
    with contextlib.closing(person.connect()) as connection:
        connection.request("GET", f"{path}/content", headers=person.credential)
        answer = connection.getresponse()
        came = answer.read(MIB)
        assert person.delete(path).status == 204
        with pytest.raises(http.client.IncompleteRead) as raised:
            answer.read()
    assert LARGE.startswith(came + raised.value.partial)
    assert count(setup, PIECES) == 0


def test_kill_9_among_uploads_and_deletes_keeps_what_was_answered(setup):
    person, digests, asked, gone = setup.register(), {}, set(), set()

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
        threads = [threading.Thread(target=work, args=(f"{attempt} {n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        before = len(gone)
        until(lambda before=before: len(gone) >= before + 5)
        time.sleep(random.Random(attempt).random() / 10)
        setup.kill()
        for thread in threads:
            thread.join()
        setup.start()

    listed = {one["id"]: one for one in person.get("/v1/documents?limit=100").json["documents"]}
    assert len(listed) < 100
    assert not listed.keys() & gone
    assert digests.keys() - asked <= listed.keys()
    for id, document in listed.items():
        content = person.get(f"/v1/documents/{id}/content").body
        assert hashlib.sha256(content).hexdigest() == document["sha256"]
        assert document["sha256"] == digests.get(id, document["sha256"])
    assert count(setup, WITHOUT_ROW) == 0
    assert count(setup, "PRAGMA integrity_check") == "ok"

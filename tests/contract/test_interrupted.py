"""Uploads and downloads that are interrupted: stored completely, or not at all."""

import contextlib
import hashlib
import http.client
import os
import random
import threading
from functools import partial

import pytest

from tests.contract.requests import JSON
from tests.formats import b64
from tests.waiting import join_threads, start_threads, until

pytestmark = pytest.mark.slow

MIB = 1 << 20
LARGE = os.urandom(48 * MIB)
BODY = b'{"contentType":"a/b","payload":"' + b64(LARGE).encode() + b'"}'
PIECES = "SELECT count(*) FROM piece"
WITHOUT_ROW = f"{PIECES} WHERE document_id NOT IN (SELECT id FROM document)"
LOST = (OSError, http.client.HTTPException)


@pytest.fixture(scope="module")
def interrupted(start_service):
    """A service that these tests kill, and start again."""
    return start_service(RATE_LIMITS="off")


@pytest.fixture
def person(interrupted):
    return interrupted.register()


def query(service, question):
    return service.sql(question)[0][0]


def begun(service, person):
    """Start a large upload in a thread, and wait until some of its pieces are stored."""
    answers = []

    def send():
        with contextlib.suppress(*LOST):
            answers.append(person.post("/v1/documents", data=BODY, headers=JSON))

    thread = threading.Thread(target=send)
    thread.start()
    until(lambda: query(service, WITHOUT_ROW))
    return thread, answers


@pytest.mark.sqlite_only("an upload is one transaction, unseen before its end")
def test_sigkill_during_an_upload_leaves_no_pieces_after_the_next_start(interrupted, person):
    kept = person.upload(b"kept")
    for _ in range(2):
        thread, answers = begun(interrupted, person)
        interrupted.kill()
        thread.join()
        assert not answers
        assert query(interrupted, WITHOUT_ROW)
        interrupted.start()
        assert query(interrupted, WITHOUT_ROW) == 0
        listed = person.get("/v1/documents").json["documents"]
        assert [one["id"] for one in listed] == [kept["id"]]


@pytest.mark.sqlite_only("an upload is one transaction, unseen before its end")
def test_an_upload_whose_pieces_are_being_written_is_finished_before_the_service_stops(
    interrupted, person
):
    thread, answers = begun(interrupted, person)
    assert interrupted.stop() == 0
    thread.join()
    assert answers[0].status == 201
    interrupted.start()
    assert query(interrupted, WITHOUT_ROW) == 0
    assert person.get(f"/v1/documents/{answers[0].json['id']}/content").body == LARGE


@pytest.mark.sqlite_only("an upload is one transaction, unseen before its end")
def test_a_client_that_disconnects_during_an_upload_leaves_nothing(interrupted, person):
    for sent in (100, len(BODY) // 2, len(BODY) - 1):
        headers = JSON | {"Content-Length": str(len(BODY))}
        begun = person.begin("POST", "/v1/documents", headers)
        with contextlib.closing(begun) as connection:
            connection.endheaders(BODY[:sent])
    assert person.get("/v1/documents").json["documents"] == []
    assert query(interrupted, WITHOUT_ROW) == 0


@pytest.mark.logs_traceback("crypto.sealing.DecryptionError", "models.core.errors.NotFound")
def test_deleting_a_document_cuts_off_its_running_download(interrupted, person):
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
    assert query(interrupted, WITHOUT_ROW) == 0


def test_acknowledged_uploads_and_deletes_survive_sigkill(interrupted, person):
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
        interrupted.kill()
        join_threads(threads)
        interrupted.start()

    listed = {one["id"]: one for one in person.get("/v1/documents?limit=100").json["documents"]}
    assert len(listed) < 100
    assert not listed.keys() & gone
    assert digests.keys() - asked <= listed.keys()
    for id, document in listed.items():
        content = person.get(f"/v1/documents/{id}/content").body
        assert hashlib.sha256(content).hexdigest() == document["sha256"]
        assert document["sha256"] == digests.get(id, document["sha256"])
    assert query(interrupted, WITHOUT_ROW) == 0
    if not interrupted.server_url:
        assert query(interrupted, "PRAGMA integrity_check") == "ok"

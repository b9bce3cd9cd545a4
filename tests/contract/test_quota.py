"""What one user may keep is limited exactly, and deleting gives room again."""

import contextlib
import sqlite3
import threading

import pytest

from tests.people import b64, moment, over, refused

LARGE = {"payload": b64(bytes(600)), "contentType": "text/plain", "token": None}


@pytest.fixture(scope="module")
def strict(start_service):
    return start_service(QUOTA_BYTES=1000, QUOTA_DOCUMENTS=3, RATE_LIMITS="off")


@pytest.fixture
def person(strict):
    return strict.register()


def test_a_document_that_fits_exactly_is_kept_and_the_next_byte_is_not(person):
    person.upload(bytes(600))
    refused(person.post("/v1/documents", json=LARGE), 403, "quota_exceeded")
    person.upload(bytes(400))
    problem = refused(
        person.post("/v1/documents", json=LARGE | {"payload": b64(b"1")}), 403, "quota_exceeded"
    )
    assert "1,000 bytes" in problem["detail"]
    person.upload(b"")


def test_the_number_of_documents_is_limited_too_and_the_refusal_says_so(person):
    for _ in range(3):
        person.upload(b"")
    problem = refused(
        person.post("/v1/documents", json=LARGE | {"payload": ""}), 403, "quota_exceeded"
    )
    assert "3 documents" in problem["detail"]


def test_nothing_of_a_refused_upload_is_kept(person, strict):
    person.upload(bytes(600))
    refused(person.post("/v1/documents", json=LARGE), 403, "quota_exceeded")

    assert len(person.get("/v1/documents").json["documents"]) == 1
    with contextlib.closing(sqlite3.connect(strict.instance / "documents.sqlite")) as database:
        stray = "SELECT COUNT(*) FROM piece WHERE document_id NOT IN (SELECT id FROM document)"
        assert database.execute(stray).fetchone() == (0,)


def test_deleting_gives_room_again_at_once(person):
    document = person.upload(bytes(600))
    refused(person.post("/v1/documents", json=LARGE), 403, "quota_exceeded")
    assert person.delete(f"/v1/documents/{document['id']}").status == 204
    assert person.post("/v1/documents", json=LARGE).status == 201


def test_an_expired_document_does_not_count(person):
    document = person.upload(bytes(600), expiresAt=moment(milliseconds=400))
    over(lambda: person.get(f"/v1/documents/{document['id']}"), document["expiresAt"])
    assert person.post("/v1/documents", json=LARGE).status == 201


def test_another_users_documents_do_not_count(person, strict):
    person.upload(bytes(600))
    assert strict.register().post("/v1/documents", json=LARGE).status == 201


def test_uploads_at_once_never_go_beyond(person):
    answers, body = [], LARGE | {"payload": b64(bytes(400))}

    def upload():
        answers.append(person.post("/v1/documents", json=body).status)

    threads = [threading.Thread(target=upload) for _ in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert sorted(answers) == [201] * 2 + [403] * 10


def test_an_answer_given_again_needs_no_room(person):
    key = {"Idempotency-Key": "once"}
    first = person.post("/v1/documents", json=LARGE, headers=key)
    again = person.post("/v1/documents", json=LARGE, headers=key)
    assert (first.status, again.status, again.json) == (201, 201, first.json)


def test_what_was_refused_may_be_sent_again_with_the_same_key(person):
    document, key = person.upload(bytes(600)), {"Idempotency-Key": "twice"}
    refused(person.post("/v1/documents", json=LARGE, headers=key), 403, "quota_exceeded")
    person.delete(f"/v1/documents/{document['id']}")
    assert person.post("/v1/documents", json=LARGE, headers=key).status == 201


def test_what_a_user_keeps_is_read_from_an_index_alone(strict):
    query = """
        EXPLAIN QUERY PLAN SELECT COUNT(*), TOTAL(size) FROM document
        WHERE owner_id = 'usr' AND (expires_at IS NULL OR expires_at > 0)"""
    with contextlib.closing(sqlite3.connect(strict.instance / "documents.sqlite")) as database:
        plan = database.execute(query).fetchall()

    assert "COVERING INDEX document_owner" in plan[0][-1]

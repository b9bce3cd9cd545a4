"""The quotas of one user: bytes, documents, links, API keys, sessions, webhooks."""

import contextlib
import sqlite3

import pytest

from tests.formats import b64
from tests.problems import refused
from tests.waiting import run_in_threads

LARGE = {"payload": b64(bytes(600)), "contentType": "text/plain", "token": None}


@pytest.fixture(scope="module")
def strict(start_service):
    most = {"QUOTA_LINKS": 3, "QUOTA_API_KEYS": 2, "QUOTA_SESSIONS": 4}
    return start_service(QUOTA_BYTES=1000, QUOTA_DOCUMENTS=3, RATE_LIMITS="off", **most)


@pytest.fixture
def person(strict):
    return strict.register()


def test_the_quota_is_exact_to_the_byte(person):
    person.upload(bytes(600))
    refused(person.post("/v1/documents", json=LARGE), 403, "quota_exceeded")
    person.upload(bytes(400))
    problem = refused(
        person.post("/v1/documents", json=LARGE | {"payload": b64(b"1")}), 403, "quota_exceeded"
    )
    assert "1,000 bytes" in problem["detail"]
    person.upload(b"")


def test_the_number_of_documents_is_limited(person):
    for _ in range(3):
        person.upload(b"")
    problem = refused(
        person.post("/v1/documents", json=LARGE | {"payload": ""}), 403, "quota_exceeded"
    )
    assert "3 documents" in problem["detail"]


def test_the_profile_says_how_much_is_stored(person):
    person.upload(bytes(600))
    deleted = person.upload(bytes(30))
    assert stored(person) == {"documentCount": 2, "size": 630, "binnedCount": 0}
    person.delete(f"/v1/documents/{deleted['id']}")
    assert stored(person) == {"documentCount": 1, "size": 600, "binnedCount": 0}


def stored(person):
    return person.get("/v1/auth/me").json["stored"]


def test_a_refused_upload_leaves_nothing(person, strict):
    person.upload(bytes(600))
    refused(person.post("/v1/documents", json=LARGE), 403, "quota_exceeded")
    assert len(person.get("/v1/documents").json["documents"]) == 1
    stray = "SELECT COUNT(*) FROM piece WHERE document_id NOT IN (SELECT id FROM document)"
    assert strict.sql(stray) == [(0,)]


def test_deleting_frees_quota_at_once(person):
    document = person.upload(bytes(600))
    refused(person.post("/v1/documents", json=LARGE), 403, "quota_exceeded")
    assert person.delete(f"/v1/documents/{document['id']}").status == 204
    assert person.post("/v1/documents", json=LARGE).status == 201


def test_another_users_documents_do_not_count(person, strict):
    person.upload(bytes(600))
    assert strict.register().post("/v1/documents", json=LARGE).status == 201


def test_concurrent_uploads_never_exceed_the_quota(person):
    answers, body = [], LARGE | {"payload": b64(bytes(400))}

    def upload():
        answers.append(person.post("/v1/documents", json=body).status)

    run_in_threads(*[upload] * 12)

    assert sorted(answers) == [201] * 2 + [403] * 10


def test_a_replayed_upload_needs_no_quota(person):
    key = {"Idempotency-Key": "once"}
    first = person.post("/v1/documents", json=LARGE, headers=key)
    again = person.post("/v1/documents", json=LARGE, headers=key)
    assert (first.status, again.status, again.json) == (201, 201, first.json)


def test_a_refused_upload_may_be_repeated_with_the_same_key(person):
    document, key = person.upload(bytes(600)), {"Idempotency-Key": "twice"}
    refused(person.post("/v1/documents", json=LARGE, headers=key), 403, "quota_exceeded")
    person.delete(f"/v1/documents/{document['id']}")
    assert person.post("/v1/documents", json=LARGE, headers=key).status == 201


def test_links_beside_those_of_uploads_are_limited(person):
    document, other = person.upload(b""), person.upload(b"")
    links = [person.share(one) for one in (document, document, other)]
    path = f"/v1/documents/{document['id']}/tokens"
    problem = refused(person.post(path, json={}), 403, "quota_exceeded")
    assert "Revoke one" in problem["detail"]
    person.upload(b"")
    person.delete(f"{path}/{links[0]['id']}")
    person.share(document)


def test_concurrent_requests_never_exceed_the_quota_of_links(person):
    path = f"/v1/documents/{person.upload(b'')['id']}/tokens"
    answers = []
    run_in_threads(*[lambda: answers.append(person.post(path, json={}).status)] * 8)
    assert sorted(answers) == [201] * 3 + [403] * 5


def test_live_api_keys_are_limited_and_rotating_needs_no_room(person):
    keys = [person.create_api_key().record for _ in range(2)]
    refused(person.post("/v1/api-keys", json={}), 403, "quota_exceeded")
    path, other = (f"/v1/api-keys/{key['id']}" for key in keys)
    overlap = {"overlapSeconds": 60}
    assert person.post(f"{path}/rotate", json=overlap).status == 201
    refused(person.post(f"{other}/rotate", json=overlap), 403, "quota_exceeded")
    for revoked in (path, other):
        person.delete(revoked)
    assert person.post("/v1/api-keys", json={}).status == 201


def test_a_login_beyond_the_limit_ends_the_oldest_session(person, strict):
    later = [strict.log_in(person.record["email"]) for _ in range(4)]
    refused(person.get("/v1/auth/me"), 401, "session_expired")
    assert [one.get("/v1/auth/me").status for one in later] == [200] * 4


@pytest.mark.sqlite_only("it is about the plan of a query")
@pytest.mark.parametrize(
    ("columns", "order"),
    [("COUNT(*), TOTAL(size), COUNT(binned_at)", "1"), ("id", "size DESC, id DESC LIMIT 10")],
)
def test_the_used_quota_and_an_order_are_read_from_a_covering_index(columns, order, strict):
    query = f"""
        EXPLAIN QUERY PLAN SELECT {columns} FROM document WHERE owner_id = 'usr'
        AND (expires_at IS NULL OR expires_at > 0) AND binned_at IS NULL ORDER BY {order}"""
    with contextlib.closing(sqlite3.connect(strict.instance / "documents.sqlite")) as database:
        plan = database.execute(query).fetchall()
    assert "COVERING INDEX document_" in plan[0][-1]

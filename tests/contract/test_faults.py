"""Answers while the service itself has a fault: damage, a missing key, no space, overload."""

import pytest

from tests.contract.requests import alter, flipped
from tests.formats import b64
from tests.people import PASSWORD, Person
from tests.problems import refused
from tests.waiting import join_threads, start_threads

UPLOAD = {"payload": b64(bytes(5000)), "contentType": "text/plain"}
READS = ["/view", "/download", "/content"]


@pytest.fixture(scope="module")
def faulty(start_service):
    """A service to which these tests do damage."""
    return start_service(RATE_LIMITS="off")


@pytest.fixture(scope="module")
def owner(faulty):
    return faulty.register()


@pytest.mark.logs_traceback("crypto.sealing.DecryptionError")
def test_a_damaged_document_is_reported_and_never_shown(faulty, owner):
    document = owner.post("/v1/documents", json=UPLOAD).json
    alter(faulty, "piece", "sealed", "document_id = :id", flipped, id=document["id"])
    for call in READS:
        answer = owner.get(f"/v1/documents/{document['id']}{call}", errors=[500])
        refused(answer, 500, "document_damaged")
    assert owner.delete(f"/v1/documents/{document['id']}").status == 204


def test_documents_are_unavailable_while_their_root_key_is_missing(faulty, owner, start_service):
    document = owner.upload(b"behind a lock")
    keyring = faulty.instance / "keyring"
    kept = keyring.read_bytes()
    keyring.write_bytes((start_service().instance / "keyring").read_bytes())
    for call in READS:
        answer = owner.get(f"/v1/documents/{document['id']}{call}", errors=[503])
        assert answer.status in (401, 503)  # the session's key is gone too
        assert answer.json["code"] in {"key_unavailable", "session_expired"}
    answer = Person(faulty).open(document["token"]["contentUrl"], errors=[503])
    refused(answer, 503, "key_unavailable")
    keyring.write_bytes(kept)
    assert owner.get(f"/v1/documents/{document['id']}/content").body == b"behind a lock"


@pytest.mark.sqlite_only("it alters the file")
def test_a_damaged_database_is_said_once_and_the_service_is_not_ready(start_service):
    service = start_service()
    owner = service.register()
    owner.upload()
    service.stop()
    ((root,),) = service.sql("SELECT rootpage FROM sqlite_master WHERE name = 'document'")
    ((size,),) = service.sql("PRAGMA page_size")
    with (service.instance / "documents.sqlite").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    service.start()

    for _ in range(3):
        refused(owner.get("/v1/documents", errors=[503]), 503, "key_unavailable")
    refused(Person(service).get("/readyz", errors=[503]), 503, "key_unavailable")
    assert Person(service).get("/healthz").status == 200
    assert service.stderr().count("The database is damaged: ") == 1


def test_a_service_without_its_keyring_is_not_ready_until_it_is_back(faulty):
    keyring = faulty.instance / "keyring"
    away = keyring.rename(faulty.instance / "away")
    refused(Person(faulty).get("/readyz", errors=[503]), 503, "key_unavailable")
    assert Person(faulty).get("/healthz").status == 200
    away.rename(keyring)
    assert Person(faulty).get("/readyz").status == 200


@pytest.mark.sqlite_only("the disk is the server's")
def test_uploads_are_refused_before_the_disk_is_full(start_service):
    owner = start_service(RESERVE_BYTES=2**40).register()
    refused(owner.post("/v1/documents", json=UPLOAD, errors=[507]), 507, "storage_full")
    assert owner.get("/v1/documents").json["documents"] == []


@pytest.mark.slow
def test_logins_are_answered_beside_a_flood_of_encrypted_downloads_by_one_link(service, alice):
    document = alice.upload(b"encrypted again and again")
    path, holder = (
        f"/v1/documents/{document['id']}/download",
        alice.with_token(document["token"]["token"]),
    )
    downloads = [lambda: holder.post(path, json={"password": "x"}, errors=[503])] * 24

    flood = start_threads(*downloads)
    try:
        for _ in range(4):
            assert service.log_in("alice@example.org")
    finally:
        join_threads(flood)


def test_a_flood_of_logins_is_answered_or_told_to_wait(service, alice):
    answers = []

    def log_in():
        body = {"email": "alice@example.org", "password": PASSWORD}
        answers.append(Person(service).post("/v1/auth/login", json=body, errors=[503]))

    threads = start_threads(*[log_in] * 40)
    assert alice.get("/v1/auth/me").status == 200
    join_threads(threads)
    assert {answer.status for answer in answers} <= {200, 503}
    assert 200 in {answer.status for answer in answers}
    for answer in answers:
        if answer.status == 503:
            refused(answer, 503, "busy")
            assert int(answer.headers["Retry-After"]) > 0

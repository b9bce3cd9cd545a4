"""A disk that takes no writes: changes are refused, reads work, and no restart is needed."""

import contextlib
import sys

import pytest

from tests.formats import b64
from tests.people import PASSWORD, Person
from tests.privileges import DROP_PRIVILEGES, needs_permissions
from tests.problems import refused
from tests.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("it is about the database's file")]

resource = pytest.importorskip("resource")

UPLOAD = {"payload": b64(bytes(5000)), "contentType": "a/b"}
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")


@pytest.fixture(scope="module")
def unprivileged_service(tmp_path_factory):
    """A service that file permissions apply to, even if root starts it."""

    class Unprivileged(Service):
        wrapper = DROP_PRIVILEGES

    service = Unprivileged(tmp_path_factory.mktemp("service"), RATE_LIMITS="off")
    yield service
    service.close()


@contextlib.contextmanager
def files_at_most(service, size_bytes):
    """Let the system refuse every write beyond this offset of a file."""
    kind = resource.RLIMIT_FSIZE
    before = resource.prlimit(service.process.pid, kind)
    resource.prlimit(service.process.pid, kind, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.prlimit(service.process.pid, kind, before)


@linux
def test_a_disk_that_takes_no_writes_refuses_changes_and_serves_reads(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(b"before")
    path, login = f"/v1/documents/{document['id']}", {"email": person.record["email"]}
    with files_at_most(service, 0):
        changes = [
            person.post("/v1/documents", json=UPLOAD, errors=[507]),
            person.patch(path, json={"name": "new"}, errors=[507]),
            person.delete(path, errors=[507]),
            person.post(f"{path}/tokens", json={}, errors=[507]),
            Person(service).post(
                "/v1/auth/login", json=login | {"password": PASSWORD}, errors=[507]
            ),
        ]
        for answer in changes:
            assert "Tell the person who runs this" in refused(answer, 507, "storage_full")["detail"]
        assert person.get(f"{path}/content").body == b"before"
        assert person.get("/healthz").status == 200
    assert [one["id"] for one in person.get("/v1/documents").json["documents"]] == [document["id"]]
    assert person.post("/v1/documents", json=UPLOAD).status == 201
    assert person.delete(path).status == 204


@linux
def test_a_deleted_document_is_gone_even_if_the_log_cannot_be_truncated(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    documents = [person.upload(bytes(2 << 20)) for _ in range(2)]
    assert person.delete(f"/v1/documents/{documents[0]['id']}").status == 204  # empties the log
    with files_at_most(service, 1 << 20):  # room in the log, none in the database
        path = f"/v1/documents/{documents[1]['id']}"
        assert person.delete(path).status == 204
        assert person.get(path).status == 404
    assert "the WAL was not truncated" in service.stderr()


@needs_permissions
def test_a_database_that_may_not_be_written_is_not_ready_until_it_may(unprivileged_service):
    database = unprivileged_service.instance / "documents.sqlite"
    person = unprivileged_service.register()
    document = person.upload(b"before")
    database.chmod(0o400)
    try:
        refused(person.get("/readyz", errors=[503]), 503, "key_unavailable")
        assert person.get(f"/v1/documents/{document['id']}/content").body == b"before"
    finally:
        database.chmod(0o600)
    assert person.get("/readyz").status == 200
    assert person.post("/v1/documents", json=UPLOAD).status == 201

"""A disk that is full, or takes no writes: changes are refused, reads work, and it recovers."""

import contextlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from models.storage.disk_space import BALLAST_BYTES
from tests.disks import SmallDisk
from tests.formats import b64
from tests.people import PASSWORD, Person
from tests.privileges import DROP_PRIVILEGES, needs_permissions
from tests.problems import refused
from tests.service import Service
from tests.tus import Upload, begin

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("it is about the database's file")]


MIB = 1 << 20
FILL = """
import contextlib, os
with contextlib.suppress(OSError), open("filler", "ab", buffering=0) as file:
    while True:
        file.write(bytes(4096))
"""
SPARE_IS_WRITTEN = f"""
import os
spare = "documents.sqlite.spare"
while not os.path.exists(spare) or os.path.getsize(spare) < {BALLAST_BYTES}:
    pass
"""
LOOK = """
import sqlite3
database = sqlite3.connect("documents.sqlite")
orphans = "SELECT count(*) FROM piece WHERE document_id NOT IN (SELECT id FROM document)"
for question in ("PRAGMA integrity_check", orphans):
    print(*database.execute(question).fetchone())
"""


@pytest.fixture
def start_on_disk(tmp_path):
    started = []

    def start(size_bytes, **settings):
        started.append(SmallDisk(tmp_path, size_bytes, **settings))
        return started[-1]

    yield start
    for one in started:
        one.close()


def send(person, size):
    body = {"payload": b64(os.urandom(size)), "contentType": "a/b", "token": None}
    return person.post("/v1/documents", json=body, errors=[507])


def fill(person, size):
    """Upload documents of this size until the disk is full, and return them."""
    stored = []
    while (answer := send(person, size)).status == 201:
        stored.append(answer.json)
        assert len(stored) < 1000
    refused(answer, 507, "storage_full")
    return stored


def assert_stored(service, person, stored):
    """Assert that exactly these documents are stored: no other one, and no piece of one."""
    assert service.inside(LOOK) == "ok\n0\n"
    listed = person.get("/v1/documents?limit=100").json["documents"]
    assert {one["id"] for one in listed} == {one["id"] for one in stored}
    for one in stored:
        assert len(person.get(f"/v1/documents/{one['id']}/content").body) == one["size"]


@pytest.mark.parametrize(("size", "disk"), [(300_000, 14 * MIB), (3 * MIB, 24 * MIB)])
def test_uploads_to_a_full_disk_are_refused_until_documents_are_deleted(start_on_disk, size, disk):
    service = start_on_disk(disk, RESERVE_BYTES=4 * MIB)
    person = service.register()
    stored = fill(person, size)
    assert len(stored) > 2
    assert_stored(service, person, stored)
    assert person.get("/readyz").status == 200
    again = service.log_in(person.record["email"])
    for _ in range(2):
        deleted, kept = stored[::2], stored[1::2]
        for one in deleted:
            assert again.delete(f"/v1/documents/{one['id']}").status == 204
        stored = kept + [send(again, size).json for _ in deleted[1:]]
        assert_stored(service, person, stored)


def test_concurrent_uploads_leave_the_reserve_free(start_on_disk):
    service = start_on_disk(48 * MIB, RESERVE_BYTES=4 * MIB)
    person = service.register()
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: send(person, 5 * MIB), range(12)))
    stored = [answer.json for answer in answers if answer.status == 201]
    assert {answer.status for answer in answers} == {201, 507}
    assert_stored(service, person, stored)
    assert person.delete(f"/v1/documents/{stored[0]['id']}").status == 204


def test_deleting_and_logging_in_work_on_a_disk_filled_by_others(start_on_disk):
    service = start_on_disk(32 * MIB, RESERVE_BYTES=4 * MIB)
    person = service.register()
    deleted, kept = person.upload(bytes(3 * MIB)), person.upload(b"kept")
    service.inside(SPARE_IS_WRITTEN)
    service.inside(FILL)
    again = service.log_in(person.record["email"])
    assert again.delete(f"/v1/documents/{deleted['id']}").status == 204
    assert_stored(service, again, [kept])


@pytest.mark.parametrize("size", [10, 9 * MIB])
def test_uploads_work_again_after_others_have_freed_the_disk(start_on_disk, size):
    service = start_on_disk(64 * MIB, RESERVE_BYTES=0)
    person = service.register()
    stored = [person.upload(b"before")]
    service.inside(FILL)
    while (answer := send(person, size)).status == 201:  # the log has reserved space
        stored.append(answer.json)
        service.inside(FILL)
    refused(answer, 507, "storage_full")
    assert_stored(service, person, stored)
    service.inside("import os; os.unlink('filler')")
    stored.append(send(person, size).json)
    assert_stored(service, person, stored)


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


@pytest.mark.parametrize(("size", "disk"), [(20 * MIB, 96 * MIB), (70 * MIB, 128 * MIB)])
def test_an_upload_in_pieces_goes_on_when_there_is_room_again(start_on_disk, size, disk):
    service = start_on_disk(disk, RESERVE_BYTES=4 * MIB)
    person = service.register()
    content = os.urandom(MIB) * (size // MIB)
    refused(begin(person, disk, errors=[507]), 507, "storage_full")
    upload = Upload.begin(person, size)
    assert upload.send(content[: 9 * MIB], 0).status == 204
    service.inside(FILL)
    refused(upload.send(content[9 * MIB :], 9 * MIB, errors=[507]), 507, "storage_full")
    arrived = upload.offset()
    assert 9 * MIB <= arrived < size
    service.inside("import os; os.unlink('filler')")
    assert upload.send(content[arrived:], arrived).status == 204
    assert upload.content() == content


def test_who_has_announced_much_refuses_nobody_else(start_on_disk):
    service = start_on_disk(96 * MIB, RESERVE_BYTES=4 * MIB)
    person, other = service.register(), service.register()
    Upload.begin(person, 70 * MIB)
    refused(begin(person, 30 * MIB, errors=[507]), 507, "storage_full")
    upload = Upload.begin(other, 30 * MIB)
    assert upload.send(bytes(30 * MIB), 0).status == 204
    assert other.upload(b"small")

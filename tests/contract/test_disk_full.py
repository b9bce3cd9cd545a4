"""A full disk: uploads are refused, reads work, and deleting frees space."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.disks import SmallDisk
from tests.formats import b64
from tests.problems import refused

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("it is about the database's file")]

MIB = 1 << 20
FILL = """
import contextlib, os
with contextlib.suppress(OSError), open("filler", "ab", buffering=0) as file:
    while True:
        file.write(bytes(4096))
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


@pytest.mark.parametrize("size", [300_000, 3 * MIB])
def test_uploads_to_a_full_disk_are_refused_until_documents_are_deleted(start_on_disk, size):
    service = start_on_disk(24 * MIB, RESERVE_BYTES=4 * MIB)
    person = service.register()
    stored = fill(person, size)
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
    service.inside("while not os.path.exists('documents.sqlite.spare'): pass")
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

"""While another process holds the lock of the database, writes are refused and reads work."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.formats import b64
from tests.problems import refused
from tests.service import Service

pytestmark = pytest.mark.sqlite_only("it is about the database's file")

UPLOAD = {"payload": b64(bytes(5000)), "contentType": "a/b"}
IMPATIENT = (
    "import models.storage.sqlite as b; b.PRAGMAS['busy_timeout'] = 1500; import app; app.main()"
)


@pytest.fixture
def service(tmp_path):
    class Impatient(Service):
        program = IMPATIENT

    service = Impatient(tmp_path, RATE_LIMITS="off")
    yield service
    service.close()


@pytest.mark.slow
def test_a_locked_database_refuses_writers_serves_readers_and_recovers(service):
    person = service.register()
    document = person.upload(b"before")
    path = f"/v1/documents/{document['id']}"
    with closing(sqlite3.connect(service.instance / "documents.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        with ThreadPoolExecutor(10) as pool:
            waiting = [
                *(
                    pool.submit(person.post, "/v1/documents", json=UPLOAD, errors=[503])
                    for _ in "12345678"
                ),
                pool.submit(person.delete, path, errors=[503]),
            ]
            assert person.get(f"{path}/content").body == b"before"
            assert person.get("/readyz").status == 200
            answers = [one.result() for one in waiting]
        assert time.monotonic() - begun < 9 * 1.5  # together, not one after the other
        other.rollback()
    for answer in answers:
        refused(answer, 503, "busy")
        assert int(answer.headers["Retry-After"]) > 0
    assert [one["id"] for one in person.get("/v1/documents").json["documents"]] == [document["id"]]
    assert person.post("/v1/documents", json=UPLOAD).status == 201
    assert person.delete(path).status == 204

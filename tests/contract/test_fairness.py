"""Shares of the workers, seen by others: nobody's requests keep out those of somebody else."""

import contextlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.people import PASSWORD, Person

pytestmark = pytest.mark.sqlite_only("it holds the lock of the database's file")
WORKERS = 8


@pytest.fixture(scope="module")
def few_workers(start_service):
    return start_service(RATE_LIMITS="off", THREADS=WORKERS)


@contextlib.contextmanager
def nobody_writes(service):
    """Hold the lock of the database, so that each request that writes keeps its worker."""
    with contextlib.closing(sqlite3.connect(service.instance / "documents.sqlite")) as database:
        database.isolation_level = None
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("ROLLBACK")


def test_uploads_of_one_user_leave_workers_to_everybody_else(few_workers):
    alice, bob = few_workers.register(), few_workers.register()
    with ThreadPoolExecutor(3 * WORKERS) as threads:
        with nobody_writes(few_workers):
            uploads = [threads.submit(alice.upload, token=None) for _ in range(3 * WORKERS)]
            assert [bob.get("/v1/auth/me").status for _ in range(5)] == [200] * 5
            assert Person(few_workers).get("/healthz").status == 200
            assert not any(upload.done() for upload in uploads)
        assert len({upload.result()["id"] for upload in uploads}) == 3 * WORKERS


def test_one_person_with_many_spaces_is_one_caller(few_workers):
    alice, bob = few_workers.register(), few_workers.register()
    callers = [alice]
    for number in range(10):
        space = alice.post("/v1/spaces", json={"name": f"Space {number}"}).json
        token = alice.post(f"/v1/spaces/{space['id']}/sessions").json["accessToken"]
        in_space = alice.with_token(token)
        callers += [in_space, in_space.create_api_key()]
    with ThreadPoolExecutor(len(callers)) as threads:
        with nobody_writes(few_workers):
            uploads = [threads.submit(one.upload, token=None) for one in callers]
            assert [bob.get("/v1/auth/me").status for _ in range(5)] == [200] * 5
            assert Person(few_workers).get("/docs").status == 200
            assert not any(upload.done() for upload in uploads)
        assert len({upload.result()["id"] for upload in uploads}) == len(callers)


def test_views_by_one_link_leave_workers_to_its_owner(few_workers):
    alice, anybody = few_workers.register(), Person(few_workers)
    document = alice.upload(token=None)
    alice.get(f"/v1/documents/{document['id']}/view")  # its preview is kept
    link = alice.share(document, maxViews=3 * WORKERS, password=PASSWORD)
    with ThreadPoolExecutor(3 * WORKERS) as threads:
        with nobody_writes(few_workers):
            views = [
                threads.submit(anybody.submit, link, password=PASSWORD) for _ in range(3 * WORKERS)
            ]
            assert [alice.get("/v1/auth/me").status for _ in range(5)] == [200] * 5
            assert not any(view.done() for view in views)
        assert {view.result().status for view in views} == {200}

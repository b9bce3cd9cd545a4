"""A clock that is set back by a day."""

import pytest

from tests.clock import ClockedService
from tests.people import Person
from tests.problems import refused

pytestmark = pytest.mark.slow


@pytest.fixture
def clocked(tmp_path):
    service = ClockedService(tmp_path)
    yield service
    service.close()


def log_in_wrongly(service, email):
    body = {"email": email, "password": "not the password"}
    return Person(service).post("/v1/auth/login", json=body)


def names(person):
    return [one["name"] for one in person.get("/v1/documents").json["documents"]]


def test_a_clock_set_back_by_a_day_revives_nothing_and_keeps_the_order(clocked):
    person = clocked.register()
    email, guessed = person.record["email"], clocked.register().record["email"]
    ended, machine = clocked.log_in(email), person.create_api_key()
    revoked = person.create_api_key()
    document = person.upload(b"first", name="first")
    link = document["token"]
    other = person.share(document)
    assert ended.post("/v1/auth/logout").status == 204
    assert person.delete(f"/v1/api-keys/{revoked.record['id']}").status == 204
    assert person.delete(f"/v1/documents/{document['id']}/tokens/{link['id']}").status == 204
    while (limited := log_in_wrongly(clocked, guessed)).status == 401:
        pass
    refused(limited, 429, "too_many_requests")
    wait = int(limited.headers["Retry-After"])

    clocked.set_clock(days=-1)

    # what has ended stays ended
    refused(ended.get("/v1/auth/me"), 401, "session_expired")
    refused(revoked.get("/v1/documents"), 401, "key_revoked")
    refused(Person(clocked).open(link["viewUrl"]), 410, "token_spent")
    # what is live stays live
    assert person.get("/v1/auth/me").status == 200
    assert machine.get("/v1/documents").status == 200
    assert Person(clocked).open(other["contentUrl"]).body == b"first"
    # what is created now sorts after what is there
    machine.upload(b"second", name="second")
    assert names(person) == ["second", "first"]
    # no limit lasts longer
    assert int(log_in_wrongly(clocked, guessed).headers["Retry-After"]) <= wait

    clocked.restart()

    refused(ended.get("/v1/auth/me"), 401, "session_expired")
    again = clocked.log_in(email)
    assert names(again) == ["second", "first"]

"""A clock that is set back by a day revives nothing, locks nobody out, and keeps the order."""

import pytest

from tests.people import Person, Service, refused

DAY = 24 * 60 * 60
# The service with a clock that goes wrong by as many seconds as a file says
PROGRAM = """
import datetime, os, pathlib, time
file = pathlib.Path(os.environ["TMPDIR"], "wrong")
wrong = lambda: int(file.read_text()) if file.exists() else 0
time_ns, real = time.time_ns, time.time
time.time_ns = lambda: time_ns() + wrong() * 10**9
time.time = lambda: real() + wrong()
class Wrong(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(seconds=wrong())
datetime.datetime = Wrong
import app
app.main()
"""


class Clocked(Service):
    program = ("-c", PROGRAM)

    def set_back(self, seconds):
        (self.temporary / "wrong").write_text(str(-seconds))


@pytest.fixture
def clocked(tmp_path):
    service = Clocked(tmp_path)
    yield service
    service.close()


def wrong_login(service, email):
    body = {"email": email, "password": "not the password"}
    return Person(service).post("/v1/auth/login", json=body)


def names(person):
    return [one["name"] for one in person.get("/v1/documents").json["documents"]]


def test_a_clock_set_back_by_a_day(clocked):
    person = clocked.register()
    email = person.record["email"]
    ended, machine = clocked.log_in(email), person.key()
    revoked = person.key()
    document = person.upload(b"first", name="first")
    link = document["token"]
    other = person.share(document)
    assert ended.post("/v1/auth/logout").status == 204
    assert person.delete(f"/v1/api-keys/{revoked.record['id']}").status == 204
    assert person.delete(f"/v1/documents/{document['id']}/tokens/{link['id']}").status == 204
    while (rate_limited := wrong_login(clocked, email)).status == 401:
        pass
    refused(rate_limited, 429, "too_many_requests")
    wait = int(rate_limited.headers["Retry-After"])

    clocked.set_back(DAY)

    # what has ended stays so
    refused(ended.get("/v1/auth/me"), 401, "session_expired")
    refused(revoked.get("/v1/documents"), 401, "key_revoked")
    refused(Person(clocked).open(link["viewUrl"]), 410, "token_spent")
    # what lives goes on
    assert person.get("/v1/auth/me").status == 200
    assert machine.get("/v1/documents").status == 200
    assert Person(clocked).open(other["contentUrl"]).body == b"first"
    # what is new is usable, and newer
    machine.upload(b"second", name="second")
    assert names(person) == ["second", "first"]
    # nobody waits longer
    assert int(wrong_login(clocked, email).headers["Retry-After"]) <= wait

    clocked.restart()

    refused(ended.get("/v1/auth/me"), 401, "session_expired")
    again = clocked.log_in(email)
    assert names(again) == ["second", "first"]

"""What ends at a given time, and a clock that is set back; the tests set the clock."""

import pytest

from tests.clock import ClockedService
from tests.formats import b64, time_from_now
from tests.people import Person, at
from tests.problems import assert_not_found, refused
from tests.waiting import until

MINUTE = 60


@pytest.fixture
def owner(clocked):
    return clocked.register()


@pytest.fixture
def in_a_minute():
    return time_from_now(seconds=MINUTE)


def test_an_expired_document_is_not_found(clocked, owner, in_a_minute):
    document = owner.upload(expiresAt=in_a_minute)
    assert owner.get(at(document)).status == 200
    clocked.set_clock(seconds=MINUTE)
    assert_not_found(owner, document)
    for link in ("viewUrl", "downloadUrl", "contentUrl"):
        assert owner.open(document["token"][link]).status in (404, 410)


def test_an_expired_document_does_not_count_towards_the_quota(clocked, owner, in_a_minute):
    large = {"payload": b64(bytes(600)), "contentType": "text/plain"}
    owner.upload(bytes(600), expiresAt=in_a_minute)
    refused(owner.post("/v1/documents", json=large), 403, "quota_exceeded")
    clocked.set_clock(seconds=MINUTE)
    assert owner.post("/v1/documents", json=large).status == 201


@pytest.mark.slow
def test_the_expiry_of_a_document_and_its_tokens_is_one_event_each(clocked, owner, in_a_minute):
    owner.upload(expiresAt=in_a_minute, token={"expiresAt": time_from_now(hours=1)})
    clocked.set_clock(seconds=MINUTE)
    for _ in range(2):  # the sweeper runs at the start
        clocked.restart()
        until(lambda: "document.expired" in owner.event_types())
    assert owner.event_types() == [
        "document.created",
        "token.created",
        "document.expired",
        "token.revoked",
    ]


def test_an_expired_token_is_410(clocked, owner, in_a_minute):
    document = owner.upload(b"shared", token=None)
    token = owner.share(document, expiresAt=in_a_minute)
    assert owner.open(token["contentUrl"]).body == b"shared"
    clocked.set_clock(seconds=MINUTE)
    for link in ("viewUrl", "downloadUrl", "contentUrl"):
        refused(owner.open(token[link]), 410, "token_spent")


def test_an_expired_key_is_refused(clocked, owner, in_a_minute):
    machine, revoked = owner.create_api_key(expiresAt=in_a_minute), owner.create_api_key()
    assert machine.get("/v1/documents").status == 200
    owner.delete(f"/v1/api-keys/{revoked.record['id']}")
    clocked.set_clock(seconds=MINUTE)
    answers = [one.get("/v1/documents") for one in (machine, revoked)]
    problems = [refused(answer, 401, "key_revoked") for answer in answers]
    assert problems[0]["detail"] == problems[1]["detail"]
    assert len({answer.headers["WWW-Authenticate"] for answer in answers}) == 1


def rotate(person, machine, **fields):
    answer = person.post(f"/v1/api-keys/{machine.record['id']}/rotate", json=fields)
    assert answer.status == 201, answer


def test_the_old_key_is_refused_after_the_overlap(clocked, owner):
    machine = owner.create_api_key()
    rotate(owner, machine, overlapSeconds=MINUTE)
    assert machine.get("/v1/documents").status == 200
    clocked.set_clock(seconds=MINUTE + 1)
    refused(machine.get("/v1/documents"), 401, "key_revoked")


def test_an_overlap_does_not_extend_the_expiry_of_a_key(clocked, owner, in_a_minute):
    machine = owner.create_api_key(expiresAt=in_a_minute)
    rotate(owner, machine, overlapSeconds=604_800)
    assert machine.get("/v1/documents").status == 200
    clocked.set_clock(seconds=MINUTE)
    refused(machine.get("/v1/documents"), 401, "key_revoked")


def test_a_session_ends_after_session_seconds(clocked, owner):
    session = Person(clocked).log_in(owner.record["email"]).json
    person = owner.with_token(session["accessToken"])
    assert session["expiresIn"] == 600
    clocked.set_clock(seconds=500)
    assert person.get("/v1/auth/me").status == 200
    clocked.set_clock(seconds=601)
    refused(person.get("/v1/auth/me"), 401, "session_expired")


@pytest.fixture
def limiting(tmp_path):
    """A service of its own, with limits."""
    service = ClockedService(tmp_path)
    yield service
    service.close()


def names(person):
    return [one["name"] for one in person.get("/v1/documents").json["documents"]]


@pytest.mark.slow
def test_a_clock_set_back_by_a_day_revives_nothing_and_keeps_the_order(limiting):
    person = limiting.register()
    email, guessed = person.record["email"], limiting.register().record["email"]
    ended, machine = limiting.log_in(email), person.create_api_key()
    revoked = person.create_api_key()
    document = person.upload(b"first", name="first")
    link = document["token"]
    other = person.share(document)
    assert ended.post("/v1/auth/logout").status == 204
    assert person.delete(f"/v1/api-keys/{revoked.record['id']}").status == 204
    assert person.delete(f"/v1/documents/{document['id']}/tokens/{link['id']}").status == 204
    while (limited := Person(limiting).log_in(guessed, "not the password")).status == 401:
        pass
    refused(limited, 429, "too_many_requests")
    wait = int(limited.headers["Retry-After"])

    limiting.set_clock(days=-1)

    # what has ended stays ended
    refused(ended.get("/v1/auth/me"), 401, "session_expired")
    refused(revoked.get("/v1/documents"), 401, "key_revoked")
    refused(Person(limiting).open(link["viewUrl"]), 410, "token_spent")
    # what is live stays live
    assert person.get("/v1/auth/me").status == 200
    assert machine.get("/v1/documents").status == 200
    assert Person(limiting).open(other["contentUrl"]).body == b"first"
    # what is created now sorts after what is there
    machine.upload(b"second", name="second")
    assert names(person) == ["second", "first"]
    # no limit lasts longer
    assert int(Person(limiting).log_in(guessed, "not the password").headers["Retry-After"]) <= wait

    limiting.restart()

    refused(ended.get("/v1/auth/me"), 401, "session_expired")
    again = limiting.log_in(email)
    assert names(again) == ["second", "first"]

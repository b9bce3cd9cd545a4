"""The access log: one line per request, as text or as JSON, without secrets."""

import json
import re
from contextlib import suppress

import pytest

from tests.people import Person

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture(scope="module", params=["text", "json"])
def logged(request, start_service):
    return start_service(LOG=request.param, RATE_LIMITS="off")


def lines(service):
    """Yield the lines of the log as dictionaries of one form."""
    for line in service.stderr().splitlines():
        with suppress(ValueError):
            yield json.loads(line) if line.startswith("{") else parsed(line)


def parsed(line):
    form = (
        rf"(?P<time>{TIME}) (?P<requestId>\S+) (?P<method>[A-Z]+|-) (?P<route>\S+) "
        r"(?P<status>\d+) (?P<ms>[\d.]+) ms (?P<bytes>\d+) bytes by (?P<caller>\S+)"
    )
    found = re.fullmatch(form, line)
    if not found:
        raise ValueError(line)
    return found.groupdict()


def line_of(service, request_id):
    """Return the only line of a request."""
    (found,) = [one for one in lines(service) if one["requestId"] == request_id]
    return found


def test_a_line_has_the_id_route_status_time_size_and_caller(logged):
    person = logged.register()
    document = person.upload(b"content")
    answer = person.get(f"/v1/documents/{document['id']}/content")

    line = line_of(logged, answer.headers["X-Request-Id"])

    assert (line["method"], line["route"]) == ("GET", "/v1/documents/<id>/content")
    assert (int(line["status"]), int(line["bytes"])) == (200, len(b"content"))
    assert line["caller"] == person.record["id"]
    assert re.fullmatch(TIME, line["time"])
    assert 0 <= float(line["ms"]) < 60_000


def test_a_document_token_is_logged_by_its_id(logged):
    document = logged.register().upload()
    answer = logged.register().open(document["token"]["viewUrl"])

    assert line_of(logged, answer.headers["X-Request-Id"])["caller"] == document["token"]["id"]


def test_an_answer_without_a_body_is_logged_with_0_bytes(logged):
    person = logged.register()
    answer = person.delete(f"/v1/documents/{person.upload()['id']}")

    assert int(line_of(logged, answer.headers["X-Request-Id"])["bytes"]) == 0


def test_an_answer_of_the_server_itself_is_logged(logged):
    answer = Person(logged).get("/v1/documents", headers={"X-Long": "x" * 40_000})
    assert answer.status == 431

    line = line_of(logged, answer.json["requestId"])

    assert (int(line["status"]), line["route"], line["caller"]) == (431, "-", "-")


def test_no_secret_no_query_and_no_name_is_logged(logged):
    person = logged.register("logged@example.org", name="Logged")
    machine = person.create_api_key()
    document = machine.upload(
        b"what is logged nowhere", name="logged.txt", metadata={"a": "logged"}
    )
    machine.open(document["token"]["viewUrl"])
    machine.get("/v1/documents?limit=7&colour=ultramarine")
    log = logged.stderr()

    secret = document["token"]["viewUrl"].partition("token=")[2]
    for one in (
        secret,
        person.secret,
        machine.secret,
        person.password,
        "ogged",
        "ultramarine",
        "?",
    ):
        assert one
        assert one not in log


def test_the_first_line_and_healthz_name_the_version(logged):
    version = Person(logged).get("/healthz").json["version"]

    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert logged.stderr().startswith(f"Document Service {version} listens on ")

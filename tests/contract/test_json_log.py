"""`LOG=json`: every line is JSON and has a level, from the first one to the last."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.people import Person
from tests.service import StartError


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_lines_of_start_requests_and_notes_are_json_with_a_level(start_service):
    service = start_service(LOG="json", CONVERTER="/bin/sh")
    Person(service).get("/healthz")

    lines = lines_of(service.stderr())

    (start,) = [one for one in lines if "listens on" in one.get("message", "")]
    (request,) = [one for one in lines if one.get("route") == "/healthz"][-1:]
    assert (start["level"], request["level"], request["status"]) == ("info", "info", 200)
    assert "warning" in {one["level"] for one in lines}  # what /bin/sh is not
    assert all({"time", "level"} <= one.keys() for one in lines)


@pytest.mark.logs_traceback("not a table")
def test_a_fault_is_one_line_with_its_traceback(start_service):
    service = start_service(LOG="json")
    person = service.register()
    with closing(sqlite3.connect(service.instance / "documents.sqlite")) as database, database:
        database.execute("ALTER TABLE collection RENAME TO not_a_table")

    answer = person.get("/v1/collections", errors=[500])

    assert answer.status == 500
    (fault,) = [one for one in lines_of(service.stderr()) if one["level"] == "error"]
    assert fault["traceback"].startswith("Traceback (most recent call last):")
    with closing(sqlite3.connect(service.instance / "documents.sqlite")) as database, database:
        database.execute("ALTER TABLE not_a_table RENAME TO collection")


@pytest.mark.parametrize(
    "setting", [{"LISTEN": "nowhere.invalid:80"}, {"ENVIRONMENT_FILE": "/nowhere"}]
)
def test_a_start_that_fails_says_so_in_json(setting, start_service):
    with pytest.raises(StartError) as failed:
        start_service(LOG="json", **setting)
    *_, last = lines_of(str(failed.value))
    assert last["level"] == "critical"
    assert last["message"].startswith("Document Service does not start.")

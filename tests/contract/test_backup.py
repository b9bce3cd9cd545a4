"""Backups made while the service is in use, and restored elsewhere."""

import random
import shutil
import threading
from functools import partial

import pytest

from tests.people import Person
from tests.waiting import join_threads, start_threads, until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("it is about the database's file")]


def content_of(person, id):
    answer = person.get(f"/v1/documents/{id}/content")
    assert answer.status == 200, answer
    return answer.body


def test_a_backup_made_during_uploads_restores_all_acknowledged_ones(start_service, tmp_path):
    service = start_service(RATE_LIMITS="off")
    machine = service.register("backup@example.org").create_api_key()
    stopped, kept, wrong = threading.Event(), {}, []

    def write(seed):
        chance = random.Random(seed)
        while not stopped.is_set():
            try:
                content = chance.randbytes(chance.choice([10, 1_000, 300_000]))
                kept[machine.upload(content, "application/x-any", token=None)["id"]] = content
            except Exception as error:
                wrong.append(error)

    writers = start_threads(*[partial(write, seed) for seed in range(2)])
    until(lambda: len(kept) > 30)
    acknowledged = dict(kept)
    output = service.run_command("backup", tmp_path / "copy.sqlite")
    stopped.set()
    join_threads(writers)
    assert wrong == []
    assert "The keyring is not in it" in output

    other = start_service(RATE_LIMITS="off")
    other.stop()
    shutil.copy(service.instance / "keyring", other.instance / "keyring")
    assert "all keys open" in other.run_command("restore", tmp_path / "copy.sqlite", "--deep")
    other.start()
    again = other.log_in("backup@example.org")
    for id, content in acknowledged.items():
        assert content_of(again, id) == content
    assert content_of(Person(other, machine.credential), id) == content


def test_a_restore_is_refused_while_the_service_runs(start_service, tmp_path):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    service.run_command("backup", tmp_path / "copy")
    document = person.upload(b"later")

    output = service.run_command("restore", tmp_path / "copy", "--force", code=1)

    assert "Stop that one first" in output
    assert content_of(person, document["id"]) == b"later"
    service.restart()
    assert content_of(person, document["id"]) == b"later"


def test_the_start_deletes_what_a_restore_that_was_killed_has_left(start_service):
    service = start_service()
    person = service.register()
    document = person.upload(b"as it was")
    service.stop()
    rest = service.instance / "documents.sqlite.part"
    (rest / "payloads").mkdir(parents=True)
    (rest / "documents.sqlite").write_bytes(b"half")

    service.start()
    assert not rest.exists()
    assert f"Deleted {rest}, the rest of a restore that did not end." in service.stderr()
    assert content_of(person, document["id"]) == b"as it was"


def test_a_rest_of_a_restore_that_cannot_be_deleted_stops_no_start(start_service, tmp_path):
    service = start_service()
    service.stop()
    (tmp_path / "elsewhere").mkdir()
    rest = service.instance / "documents.sqlite.part"
    rest.symlink_to(tmp_path / "elsewhere")

    service.start()
    assert Person(service).get("/readyz").status == 200
    line = f"Delete {rest}, the rest of a restore that did not end: the service cannot ("
    assert line in service.stderr()
    assert (tmp_path / "elsewhere").exists()

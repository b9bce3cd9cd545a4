"""A start that cannot go well ends with one sentence and exit code 1."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from tests.bound import BOUND, needs_permissions
from tests.people import ROOT, b64, until

START = ("app.py",)
IMPATIENT = ("-c", "import app; app.TAKEOVER_SECONDS = 0.2; app.main()")


def run(instance, how=START, wrapper=(), **settings):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DOCSERVICE_")}
    own = {"INSTANCE_PATH": instance, "LISTEN": "127.0.0.1:0"} | settings
    command = [*wrapper, sys.executable, *how]
    environment = kept | {f"DOCSERVICE_{name}": str(value) for name, value in own.items()}
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True, timeout=30
    )


def start(*how, **more):
    """A start that must fail; what it said."""
    done = run(*how, **more)
    assert done.returncode == 1, done
    *before, last = done.stderr.splitlines()
    assert last.startswith("Document Service does not start. ")
    assert last.endswith(".")
    assert "Traceback" not in done.stderr
    return last, before


@pytest.fixture(scope="module")
def running(start_service):
    return start_service(RATE_LIMITS="off")


@needs_permissions
def test_a_folder_that_takes_no_files_is_named(tmp_path):
    tmp_path.chmod(0o500)
    said, before = start(tmp_path, wrapper=BOUND)
    tmp_path.chmod(0o700)
    assert f"Permission denied: {tmp_path}" in said
    assert not before


def test_a_file_where_the_folder_should_be_is_named(tmp_path):
    (tmp_path / "instance").write_text("")
    assert f"File exists: {tmp_path / 'instance'}" in start(tmp_path / "instance")[0]


@pytest.mark.parametrize("kept", [0, 100])
def test_a_database_file_with_something_else_in_it_is_not_used(tmp_path, kept):
    stored = tmp_path / "documents.sqlite"
    with closing(sqlite3.connect(stored)) as database:
        database.execute("CREATE TABLE a (b)")
    stored.write_bytes(stored.read_bytes()[:kept] + b"no database" * 1000)
    before = stored.read_bytes()
    assert "The database can't be used" in start(tmp_path)[0]
    assert stored.read_bytes() == before


def test_a_database_of_a_newer_version_is_not_touched(tmp_path):
    with closing(sqlite3.connect(tmp_path / "documents.sqlite")) as database, database:
        database.execute("CREATE TABLE schema_migration (id INTEGER, name TEXT, applied TEXT)")
        database.execute("INSERT INTO schema_migration VALUES (1, '9999_later', '2099-01-01')")
    assert "A newer version made this database (9999_later)" in start(tmp_path)[0]
    with closing(sqlite3.connect(tmp_path / "documents.sqlite")) as database:
        assert len(database.execute("SELECT * FROM sqlite_master").fetchall()) == 1


@pytest.fixture(scope="module")
def keyrings(start_service):
    """Two instances that were stopped, each with a user sealed under its own keyring."""
    stopped = [start_service(RATE_LIMITS="off") for _ in range(2)]
    for service in stopped:
        service.register()
        service.stop()
    return [service.instance / "keyring" for service in stopped]


@pytest.mark.parametrize(
    ("spoilt", "sentence"),
    [
        (lambda _, other: other, "The keyring lacks root key"),
        (lambda own, _: own[:-20] + own[-19:], "was damaged in copying"),
        (lambda *_: b"", "holds no root key"),
        (lambda own, _: own + b"\xb5", "is no keyring, or was damaged in copying"),
    ],
)
def test_a_keyring_that_does_not_fit_is_told_and_not_touched(keyrings, spoilt, sentence):
    own, other = (path.read_bytes() for path in keyrings)
    given = spoilt(own, other)
    keyrings[0].write_bytes(given)
    said, _ = start(keyrings[0].parent)
    assert sentence in said
    assert keyrings[0].read_bytes() == given
    keyrings[0].write_bytes(own)


def test_a_port_that_is_taken_is_told(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        said, _ = start(tmp_path, LISTEN=f"127.0.0.1:{other.getsockname()[1]}")
    assert "Address already in use" in said


def test_a_second_server_waits_a_moment_and_is_refused(running):
    person = running.register()
    document = person.upload(b"undisturbed")
    said, before = start(running.instance, IMPATIENT)
    assert f"Another server works on {running.instance}" in said
    assert ["Waiting" in line for line in before] == [True]
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"undisturbed"


def test_a_command_works_beside_a_server(running):
    done = run(running.instance, ("-m", "flask", "--app", "app", "routes"))
    assert (done.returncode, "/v1/documents" in done.stdout) == (0, True), done


def test_a_new_server_waits_until_the_old_one_has_answered(start_service):
    service = start_service(RATE_LIMITS="off")
    person, old = service.register(), service.process
    body = json.dumps({"payload": b64(b"between two"), "contentType": "text/plain"}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    with closing(person.begin("POST", "/v1/documents", headers)) as connection:
        connection.endheaders(body[:20])
        time.sleep(0.1)
        old.terminate()
        new = threading.Thread(target=service.start)
        new.start()
        until(lambda: "Waiting" in service.stderr())
        connection.send(body[20:])
        answer = connection.getresponse()
        document = json.loads(answer.read())
    assert (answer.status, old.wait(30)) == (201, 0)
    new.join()
    until(service._answers)
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"between two"

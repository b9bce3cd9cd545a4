"""A start that fails ends with one sentence and exit code 1; servers take over from one another."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import SimpleNamespace

import pytest

from blueprints.commands import system_notes
from tests.contract.requests import begin_upload, upload_body
from tests.forking import ForkedProcess
from tests.privileges import DROP_PRIVILEGES, needs_permissions
from tests.service import ROOT, Service, StartError
from tests.waiting import until

pytestmark = pytest.mark.slow

WITHOUT_PATIENCE = "import app; app.TAKEOVER_SECONDS = 0.2; app.main()"


def environment(instance, **settings):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DOCSERVICE_")}
    own = {"INSTANCE_PATH": instance, "LISTEN": "127.0.0.1:0"} | settings
    return kept | {f"DOCSERVICE_{name}": str(value) for name, value in own.items()}


def run(variables, *command):
    """Run a command of an interpreter of its own, as an operator does."""
    return subprocess.run(
        command, cwd=ROOT, env=variables, check=False, capture_output=True, text=True, timeout=120
    )


def run_forked(variables, program):
    """Run a program in a process that has the modules already: a tenth of the time."""
    with NamedTemporaryFile("r") as log:
        process = ForkedProcess(program, ROOT, variables, log.name)
        return SimpleNamespace(returncode=process.wait(120), stderr=log.read())


def start(instance, program=Service.program, command=(), **settings):
    """Run a start that must fail; return its last line, and the lines before."""
    variables = environment(instance, **settings)
    done = run(variables, *command) if command else run_forked(variables, program)
    assert done.returncode == 1, done
    *before, last = done.stderr.splitlines()
    assert last.startswith("Document Service does not start. ")
    assert last.endswith(".")
    assert "Traceback" not in done.stderr
    return last, before


@pytest.fixture(scope="module")
def running(start_service):
    return start_service(RATE_LIMITS="off")


def test_weak_isolation_is_said_at_the_start(running):
    said = running.stderr()
    for note in system_notes(os.geteuid(), "off"):
        assert said.count(note) == 1
    assert ("runs as root" in said) == (os.geteuid() == 0)


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="there is no /proc here")
def test_a_running_service_leaves_no_core_dump(running):
    limits = Path(f"/proc/{running.process.pid}/limits").read_text()
    assert re.search(r"^Max core file size +0 +0 ", limits, re.M)


@pytest.mark.sqlite_only("it is about the database's file")
@needs_permissions
def test_an_instance_folder_without_write_permission_is_reported(tmp_path):
    tmp_path.chmod(0o500)
    last, before = start(tmp_path, command=(*DROP_PRIVILEGES, sys.executable, "app.py"))
    tmp_path.chmod(0o700)
    assert f"Permission denied: {tmp_path}" in last
    assert not before


@pytest.mark.sqlite_only("it is about the database's file")
def test_a_file_in_place_of_the_instance_folder_is_reported(tmp_path):
    (tmp_path / "instance").write_text("")
    last, _ = start(tmp_path / "instance")
    assert f"File exists: {tmp_path / 'instance'}" in last
    assert "DOCSERVICE_INSTANCE_PATH and DOCSERVICE_DATABASE name " in last


@pytest.mark.sqlite_only("it is about the database's file")
@pytest.mark.parametrize("kept", [0, 100])
def test_a_file_that_is_not_a_database_is_reported_and_kept(tmp_path, kept):
    stored = tmp_path / "documents.sqlite"
    with closing(sqlite3.connect(stored)) as database:
        database.execute("CREATE TABLE a (b)")
    stored.write_bytes(stored.read_bytes()[:kept] + b"no database" * 1000)
    before = stored.read_bytes()
    last, lines_before = start(tmp_path)
    assert f"DOCSERVICE_DATABASE name {stored}: The database can't be used" in last
    assert lines_before == []
    assert stored.read_bytes() == before


@pytest.mark.sqlite_only("it is about the database's file")
def test_a_database_of_a_newer_version_is_reported_and_kept(tmp_path):
    with closing(sqlite3.connect(tmp_path / "documents.sqlite")) as database, database:
        database.execute("CREATE TABLE schema_migration (id INTEGER, name TEXT, applied TEXT)")
        database.execute("INSERT INTO schema_migration VALUES (1, '9999_later', '2099-01-01')")
    assert "A newer version made this database (9999_later)" in start(tmp_path)[0]
    with closing(sqlite3.connect(tmp_path / "documents.sqlite")) as database:
        assert len(database.execute("SELECT * FROM sqlite_master").fetchall()) == 1


@pytest.fixture(scope="module")
def stopped(start_service):
    """Two services that were stopped, each with a user sealed under its own keyring."""
    stopped = [start_service(RATE_LIMITS="off") for _ in range(2)]
    for service in stopped:
        service.register()
        service.stop()
    return stopped


@pytest.mark.parametrize(
    ("spoilt", "sentence"),
    [
        (lambda _, other: other, "The keyring lacks root key"),
        (lambda own, _: own[:-20] + own[-19:], "was damaged in copying"),
        (lambda *_: b"", "holds no root key"),
        (lambda own, _: own + b"\xb5", "is no keyring, or was damaged in copying"),
    ],
)
def test_an_unusable_keyring_is_reported_and_kept(stopped, spoilt, sentence):
    own, other = ((service.instance / "keyring").read_bytes() for service in stopped)
    keyring, given = stopped[0].instance / "keyring", spoilt(own, other)
    keyring.write_bytes(given)
    last, _ = start(stopped[0].instance, **stopped[0].settings)
    assert sentence in last
    assert keyring.read_bytes() == given
    keyring.write_bytes(own)


def test_an_occupied_port_is_reported(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = other.getsockname()
        command = sys.executable, "app.py"
        last, _ = start(tmp_path, command=command, LISTEN=f"127.0.0.1:{address[1]}")
    assert "Address already in use" in last
    assert f"DOCSERVICE_LISTEN is 127.0.0.1:{address[1]}: " in last


S3 = {"AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
REFUSED = [
    ({"LISTEN": "192.0.2.1:8000"}, "DOCSERVICE_LISTEN is 192.0.2.1:8000: Cannot assign"),
    ({"LISTEN": "127.0.0.1:70000"}, "DOCSERVICE_LISTEN is '127.0.0.1:70000'; it takes"),
    ({"LISTEN": "unix:/nowhere/x"}, "DOCSERVICE_LISTEN is unix:/nowhere/x: No such file"),
    ({"KEYRING": "docroot_x"}, "DOCSERVICE_KEYRING: A line of the keyring is no root key"),
    ({"KEYRING": "#"}, "DOCSERVICE_KEYRING: The keyring holds no root key. Put its copy back."),
    ({"KEYRING_FILE": "/nowhere"}, "DOCSERVICE_KEYRING_FILE: There is no keyring at /nowhere."),
    ({"KEYRING_FILE": "/etc"}, "DOCSERVICE_KEYRING_FILE: Is a directory: /etc."),
    ({"KEYRING_COMMAND": "false"}, "DOCSERVICE_KEYRING_COMMAND: The keyring command failed: it"),
    (
        {"KEYRING_COMMAND": "a-secret-in-the-wrong-place"},
        "DOCSERVICE_KEYRING_COMMAND: The keyring command failed: No such file or directory.",
    ),
    (
        {"KEYRING_COMMAND": "'a-secret-in-the-wrong-place"},
        "DOCSERVICE_KEYRING_COMMAND: The keyring command failed: No closing quotation.",
    ),
    ({"DATABASE": "postgresql://docs:a@secret@db/docs"}, "DOCSERVICE_DATABASE cannot be used as"),
    ({"TRUSTED_PROXY": "0.0.0.0/0"}, "DOCSERVICE_TRUSTED_PROXY is '0.0.0.0/0'; it takes addresses"),
    ({"BASE_URL": "https://example.org/docs"}, "DOCSERVICE_BASE_URL cannot be used as it is; it"),
    ({"OIDC_CLIENT_SECRET_FILE": "a-secret"}, "DOCSERVICE_OIDC_CLIENT_SECRET_FILE takes the path"),
    ({"ENVIRONMENT_FILE": "a-secret"}, "DOCSERVICE_ENVIRONMENT_FILE takes the path of a file: No"),
    (
        {"DATABASE": "postgresql://user:secret@127.0.0.1:1/docs"},
        "DOCSERVICE_DATABASE is postgresql://…@127.0.0.1:1/docs: The database server cannot be",
    ),
    (
        {"PAYLOADS": "s3://bucket/x", "AWS_ENDPOINT_URL": "http://127.0.0.1:1", **S3},
        "DOCSERVICE_PAYLOADS: s3://bucket/x does not answer.",
    ),
    (
        {"PAYLOADS": "s3://bucket/x", "AWS_ENDPOINT_URL": "no address", **S3},
        "AWS_ENDPOINT_URL cannot be used as it is; it takes",
    ),
]


@pytest.mark.sqlite_only("one of the settings is the database")
@pytest.mark.parametrize(("settings", "sentence"), REFUSED)
def test_each_failure_of_a_start_is_told_once_and_names_the_setting(
    settings, sentence, tmp_path, monkeypatch
):
    for name in settings.keys() & {"AWS_ENDPOINT_URL", *S3}:
        monkeypatch.setenv(name, settings[name])
    last, before = start(
        tmp_path, **{name: value for name, value in settings.items() if "AWS" not in name}
    )
    assert last.startswith(f"Document Service does not start. {sentence}")
    assert before == []
    assert "secret" not in last


@pytest.mark.sqlite_only("several processes may serve one server's database")
def test_a_second_server_on_the_same_instance_waits_and_is_refused(running):
    person = running.register()
    document = person.upload(b"undisturbed")
    last, before = start(running.instance, WITHOUT_PATIENCE)
    assert f"Another server works on {running.instance}" in last
    assert ["Waiting" in line for line in before] == [True]
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"undisturbed"


def test_a_command_runs_beside_a_server(running):
    flask = (sys.executable, "-m", "flask", "--app", "app")
    done = run(environment(running.instance), *flask, "routes")
    assert (done.returncode, "/v1/documents" in done.stdout) == (0, True), done


@pytest.mark.sqlite_only("several processes may serve one server's database")
def test_a_new_server_waits_until_the_old_one_has_answered(start_service):
    service = start_service(RATE_LIMITS="off")
    person, old = service.register(), service.process
    body = upload_body(b"between two")
    with closing(begin_upload(person, body)) as connection:
        connection.send(body[:20])
        old.terminate()
        new = threading.Thread(target=service.start)
        new.start()
        until(lambda: "Waiting" in service.stderr())
        connection.send(body[20:])
        answer = connection.getresponse()
        document = json.loads(answer.read())
    assert (answer.status, old.wait(60)) == (201, 0)
    new.join()
    service.wait_until_it_answers()
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"between two"


WRONG = {
    "LISTEN": "nowhere",
    "SESSION_SECONDS": "-1",
    "REGISTRATION": "x",
    "BASE_URL": "https://dökumente.example",  # a header cannot hold it
}


@pytest.mark.parametrize(("name", "value"), WRONG.items())
def test_a_wrong_setting_stops_the_start_with_a_sentence(name, value, start_service):
    with pytest.raises(StartError, match=name) as stop:
        start_service(**{name: value})
    assert stop.value.exit_code != 0
    assert "Traceback" not in str(stop.value)


@pytest.mark.sqlite_only("it begins with an SQLite file")
def test_a_file_that_was_copied_to_a_server_stops_the_start_until_its_mark_is_deleted(
    start_service,
):
    service = start_service()
    service.stop()
    mark = service.instance / "documents.sqlite.copied"
    mark.write_text("postgresql://docs@db.example.net/docs\n")
    with pytest.raises(StartError, match=r"copied to postgresql://docs@db\S*/docs: .* delete /\S+"):
        service.start()
    mark.unlink()
    service.start()


def test_two_keyrings_stop_the_start_with_a_sentence(start_service):
    with pytest.raises(
        StartError, match="DOCSERVICE_KEYRING_FILE and DOCSERVICE_KEYRING_COMMAND name two"
    ):
        start_service(KEYRING_FILE="/nowhere", KEYRING_COMMAND="false")

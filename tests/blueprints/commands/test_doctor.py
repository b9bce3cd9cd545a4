"""`doctor`: text output, JSON output and exit codes; and the notes on weak isolation."""

import json
import os
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from blueprints.commands import operations, system
from models.runtime import Provider
from settings import read_settings
from tests.mailbox import Mailbox
from tests.service import ROOT, app_of_commands


@pytest.fixture
def weaknesses(monkeypatch):
    """What is said about the isolation of the process that parses documents."""
    found = []
    monkeypatch.setattr(operations, "system_notes", lambda *_: found)
    return found


def test_every_check_prints_ok_when_nothing_is_wrong(run, document, weaknesses):
    result = run("doctor")

    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.output.splitlines()] == ["OK"] * 15


def test_weak_isolation_is_noted_and_is_no_fault(run, document, weaknesses):
    weaknesses.append("The service runs as root.")

    result, as_json = run("doctor"), run("doctor", "--json")

    assert (result.exit_code, as_json.exit_code) == (0, 0)
    assert result.output.endswith("\nNOTE   system: The service runs as root.\n")
    assert json.loads(as_json.output)["notes"] == ["The service runs as root."]


def test_an_old_backup_is_noted(run, document, weaknesses, tmp_path, app):
    assert run("backup", str(tmp_path / "copy")).exit_code == 0
    assert "last backup" not in run("doctor").output
    database = Path(app.extensions["runtime"].settings.database)
    record = database.with_name("documents.sqlite.backed-up")
    assert record.stat().st_mode & 0o777 == 0o600

    long_ago = time.time() - 5 * 86_400
    os.utime(record, (long_ago, long_ago))

    assert "NOTE   system: The last backup is 5 days old." in run("doctor").output


def test_logins_elsewhere_are_noted_with_what_outlives_them(run, document, app, weaknesses):
    runtime = app.extensions["runtime"]
    runtime.settings = replace(runtime.settings, auth_header="Remote-Email")

    result = run("doctor")

    assert result.exit_code == 0
    assert "until you run: document-service users disable EMAIL" in result.output


def test_a_public_service_where_anybody_may_store_without_a_limit_is_noted(
    run, document, app, weaknesses
):
    runtime = app.extensions["runtime"]
    assert "anybody may register" not in run("doctor").output
    runtime.settings = replace(runtime.settings, base_url="https://docs.example.org")
    result = run("doctor")
    assert result.exit_code == 0
    assert "NOTE   system: Its address is public, and anybody may register there" in result.output
    for closing in ({"registration": "first"}, {"quota_bytes": 1000}):
        before, runtime.settings = runtime.settings, replace(runtime.settings, **closing)
        assert "anybody may register" not in run("doctor").output
        runtime.settings = before


def test_a_network_from_which_anybody_can_log_in_is_noted(run, document, app, weaknesses):
    runtime = app.extensions["runtime"]
    given = {"TRUSTED_PROXY": "172.18.0.0/16", "AUTH_HEADER": "Remote-Email"}
    proxies = read_settings({}, given, ROOT).trusted_proxy
    runtime.settings = replace(runtime.settings, trusted_proxy=proxies, auth_header="Remote-Email")
    assert "Whoever connects from 172.18.0.0/16 can log in as anybody" in run("doctor").output


def test_a_provider_that_does_not_answer_is_named(run, document, app, weaknesses):
    runtime = app.extensions["runtime"]
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        issuer = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        runtime.provider = Provider(replace(runtime.settings, oidc_issuer=issuer))

        result = run("doctor")

    assert result.exit_code == 1
    assert "WRONG  provider: The provider of OIDC_ISSUER gave no answer" in result.output


def test_a_problem_is_a_sentence_in_text_and_json_with_exit_code_1(run, document, app, weaknesses):
    assert json.loads(run("doctor", "--json").output)["ok"] is True
    runtime = app.extensions["runtime"]
    runtime.settings = replace(runtime.settings, reserve_bytes=1 << 60)

    result, as_json = run("doctor", "--deep"), run("doctor", "--json")

    report = json.loads(as_json.output)
    assert (result.exit_code, as_json.exit_code, report["ok"]) == (1, 1, False)
    assert "\nWRONG  space: " in result.output
    assert result.output.endswith("OK     sweeper\nOK     system\n")
    assert [one["check"] for one in report["checks"] if not one["ok"]] == ["space"]
    assert "uploads are refused" in report["checks"][1]["wrong"][0]


def test_it_runs_although_the_service_cannot_start_and_creates_no_keyring(run, app):
    keyring = app.extensions["runtime"].settings.instance_path / "keyring"
    keyring.unlink()  # the database is empty: the service would make a new one

    result = run("doctor")

    assert result.exit_code == 1
    assert "WRONG  keyring: There is no keyring" in result.output
    assert not keyring.exists()


def test_each_weakness_is_one_sentence_with_its_remedy(monkeypatch):
    root, seccomp = "The service runs as root", "There is no seccomp here"
    cases = {
        (True, 1000): [],
        (True, 0): [root],
        (False, 1000): [seccomp],
        (False, 0): [seccomp, root],
    }
    for (available, user_id), expected in cases.items():
        monkeypatch.setattr(system, "seccomp_available", lambda available=available: available)
        notes = list(system.system_notes(user_id, "off"))
        assert [note.partition(":")[0].partition(",")[0] for note in notes] == expected
        assert all(". " in note and note.endswith(".") for note in notes)


def test_a_converter_that_cannot_be_used_is_one_sentence_more(monkeypatch):
    monkeypatch.setattr(system, "seccomp_available", lambda: True)
    (note,) = system.system_notes(1000, "/bin/sh")

    assert note.startswith("Documents and slides are not converted to pages. /bin/sh")


def test_what_an_installed_converter_lacks_is_noted(monkeypatch):
    monkeypatch.setattr(system, "seccomp_available", lambda: True)
    monkeypatch.setattr(system, "configured_converter", lambda path: (path, ""))
    monkeypatch.setattr(system, "missing_parts", lambda found: [f"{found} lacks Math."])

    assert list(system.system_notes(1000, "soffice")) == ["soffice lacks Math."]


def test_a_mail_server_is_asked_whether_it_lets_the_service_in_and_gets_no_mail(
    run, document, app, weaknesses
):
    runtime, box = app.extensions["runtime"], Mailbox()
    server = read_settings({}, {"SMTP_URL": box.url(), "BASE_URL": "http://x"}, ROOT).smtp_url
    runtime.settings = replace(runtime.settings, smtp_url=server, base_url="http://x")
    away = run("doctor").output
    with box:
        well = run("doctor").output
    assert "WRONG  mail: The server of SMTP_URL takes no mail: The connection was refused" in away
    assert ("OK     mail\n" in well, box.recipients) == (True, [])


def test_a_folder_that_cannot_be_is_told_without_a_traceback():
    app = app_of_commands(INSTANCE_PATH="/dev/null/x")
    result = app.test_cli_runner().invoke(args=["doctor"])
    assert result.exit_code == 1
    assert "WRONG  database" in result.output
    assert isinstance(result.exception, SystemExit)
    app.extensions["runtime"].close()

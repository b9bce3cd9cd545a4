"""`doctor`: text output, JSON output and exit codes."""

import json
from dataclasses import replace
from importlib import import_module

import pytest

doctor = import_module("blueprints.commands.doctor")  # the package has a command of that name


@pytest.fixture
def weaknesses(monkeypatch):
    """What is said about the isolation of the process that parses documents."""
    found = []
    monkeypatch.setattr(doctor, "isolation_notes", lambda *_: found)
    return found


def test_every_check_prints_ok_when_nothing_is_wrong(run, document, weaknesses):
    result = run("doctor")

    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.output.splitlines()] == ["OK"] * 12


def test_weak_isolation_is_noted_and_is_no_fault(run, document, weaknesses):
    weaknesses.append("The service runs as root.")

    result, as_json = run("doctor"), run("doctor", "--json")

    assert (result.exit_code, as_json.exit_code) == (0, 0)
    assert result.output.endswith("\nNOTE   isolation: The service runs as root.\n")
    assert json.loads(as_json.output)["notes"] == ["The service runs as root."]


def test_a_problem_is_printed_as_a_sentence_with_exit_code_1(run, document, app, weaknesses):
    runtime = app.extensions["runtime"]
    runtime.settings = replace(runtime.settings, reserve_bytes=1 << 60)

    result = run("doctor", "--deep")

    assert result.exit_code == 1
    assert "\nWRONG  space: " in result.output
    assert result.output.endswith("OK     sweeper\nOK     isolation\n")


def test_json_output_has_the_same_findings(run, document, app):
    assert json.loads(run("doctor", "--json").output)["ok"] is True
    runtime = app.extensions["runtime"]
    runtime.settings = replace(runtime.settings, reserve_bytes=1 << 60)

    result = run("doctor", "--json")

    report = json.loads(result.output)
    assert (result.exit_code, report["ok"]) == (1, False)
    assert [one["check"] for one in report["checks"] if not one["ok"]] == ["space"]
    assert "uploads are refused" in report["checks"][1]["wrong"][0]


def test_it_runs_although_the_service_cannot_start(run, document, app):
    keyring = app.extensions["runtime"].settings.instance_path / "keyring"
    keyring.unlink()

    result = run("doctor")

    assert result.exit_code == 1
    assert "WRONG  keyring: There is no keyring" in result.output
    assert not keyring.exists()


def test_it_creates_no_keyring_for_an_empty_database(run, app):
    keyring = app.extensions["runtime"].settings.instance_path / "keyring"
    keyring.unlink()

    assert run("doctor").exit_code == 1
    assert not keyring.exists()

"""`doctor`: text output, JSON output and exit codes."""

import json
from dataclasses import replace


def test_every_check_prints_ok_when_nothing_is_wrong(run, document):
    result = run("doctor")

    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.output.splitlines()] == ["OK"] * 8


def test_a_problem_is_printed_as_a_sentence_with_exit_code_1(run, document, app):
    runtime = app.extensions["runtime"]
    runtime.settings = replace(runtime.settings, reserve_bytes=1 << 60)

    result = run("doctor", "--deep")

    assert result.exit_code == 1
    assert "\nWRONG  space: " in result.output
    assert result.output.endswith("OK     sweeper\n")


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

"""`doctor`: one line a check, for people, for a clock, and for machines."""

import json
from pathlib import Path


def test_a_well_house_is_0_and_a_line_a_check(run, document):
    seen = run("doctor")

    assert seen.exit_code == 0, seen.output
    assert [line.split()[0] for line in seen.output.splitlines()] == ["OK"] * 8


def test_what_is_wrong_is_1_and_a_sentence(run, document, app):
    app.config["RESERVE_BYTES"] = 1 << 60

    seen = run("doctor", "--deep")

    assert seen.exit_code == 1
    assert "\nWRONG  space: " in seen.output
    assert seen.output.endswith("OK     sweeper\n")


def test_a_machine_reads_it_as_json(run, document, app):
    assert json.loads(run("doctor", "--json").output)["ok"] is True
    app.config["RESERVE_BYTES"] = 1 << 60

    seen = run("doctor", "--json")

    told = json.loads(seen.output)
    assert (seen.exit_code, told["ok"]) == (1, False)
    assert [one["check"] for one in told["checks"] if not one["ok"]] == ["space"]
    assert "uploads are refused" in told["checks"][1]["wrong"][0]


def test_it_looks_beside_a_service_that_is_broken(run, document, app):
    keyring = Path(app.config["INSTANCE_PATH"]) / "keyring"
    keyring.unlink()

    seen = run("doctor")

    assert seen.exit_code == 1
    assert "WRONG  keyring: There is no keyring" in seen.output
    assert not keyring.exists()


def test_it_makes_no_keyring_even_where_nothing_is_sealed(run, app):
    keyring = Path(app.config["INSTANCE_PATH"]) / "keyring"
    keyring.unlink()

    assert run("doctor").exit_code == 1
    assert not keyring.exists()

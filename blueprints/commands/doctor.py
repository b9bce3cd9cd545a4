"""`flask --app app doctor`: is everything well, and if not, what is to be done."""

import json
from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext

from models.operations.doctor import DoctorContext, Finding, run_checks
from models.operations.progress import ReportProgress

from .output import fail_if, operator_errors, progress


@click.command()
@click.option("--deep", is_flag=True, help="Authenticate all documents, not a sample.")
@click.option("--json", "as_json", is_flag=True, help="For a machine.")
@with_appcontext
def doctor(deep: bool, as_json: bool) -> None:
    """Check files, keys, documents, disk and clock. Exit code 1 if something is wrong."""
    with operator_errors(), progress("Bytes authenticated") as tell:
        findings = []
        for finding in run_checks(_patient(deep, tell)):
            findings.append(finding)
            if not as_json:
                _say(finding)
    if as_json:
        checks = [{"check": name, "ok": not wrong, "wrong": wrong} for name, wrong in findings]
        click.echo(json.dumps({"ok": not any(one.wrong for one in findings), "checks": checks}))
    fail_if(any(one.wrong for one in findings))


def _patient(deep: bool, tell: ReportProgress) -> DoctorContext:
    config = current_app.config
    in_file = not (config["KEYRING"] or config["KEYRING_COMMAND"])
    keyring = Path(config["KEYRING_FILE"] or Path(config["INSTANCE_PATH"]) / "keyring")
    return DoctorContext(
        database=Path(config["DATABASE"]),
        keyring=keyring if in_file else None,
        use_keyring=current_app.extensions["use_keyring"],
        reserve_bytes=config["RESERVE_BYTES"],
        deep=deep,
        tell=tell,
    )


def _say(finding: Finding) -> None:
    if not finding.wrong:
        click.echo(f"OK     {finding.check}")
    for sentence in finding.wrong:
        click.echo(f"WRONG  {finding.check}: {sentence}")

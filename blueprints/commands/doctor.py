"""`flask --app app doctor`: prints the result of each diagnostic check, with the remedy."""

import json
import os
from pathlib import Path

import click
from flask.cli import with_appcontext

from models import current_runtime
from models.operations import DoctorContext, Finding, ReportProgress, run_checks
from models.storage import is_server

from .isolation import isolation_notes
from .output import fail_if, operator_errors, progress


@click.command()
@click.option("--deep", is_flag=True, help="Decrypt all documents, not a sample.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def doctor(deep: bool, as_json: bool) -> None:
    """Check files, keys, documents, disk and clock. Exit code 1 if something is wrong."""
    with operator_errors(), progress("Bytes decrypted") as report:
        findings, context = [], _context(deep, report)
        for finding in run_checks(context):
            findings.append(finding)
            if not as_json:
                _print(finding)
    isolation = _isolation(context)
    ok = not any(one.problems for one in findings)
    if as_json:
        checks = [{"check": name, "ok": not found, "wrong": found} for name, found in findings]
        click.echo(json.dumps({"ok": ok, "checks": checks, "notes": isolation.problems}))
    else:
        _print(isolation, "NOTE ")
    fail_if(not ok)


def _context(deep: bool, report: ReportProgress) -> DoctorContext:
    settings = current_runtime().settings
    in_file = not (settings.keyring or settings.keyring_command)
    keyring = settings.keyring_file or settings.instance_path / "keyring"
    return DoctorContext(
        database=None if is_server(settings.database) else Path(settings.database),
        keyring=keyring if in_file else None,
        reserve_bytes=settings.reserve_bytes,
        deep=deep,
        report=report,
    )


def _isolation(context: DoctorContext) -> Finding:
    """The service's user is the owner of the database: root may run this for another user."""
    database = context.database
    user_id = database.stat().st_uid if database and database.exists() else os.geteuid()
    return Finding(
        "isolation", list(isolation_notes(user_id, current_runtime().settings.converter))
    )


def _print(finding: Finding, label: str = "WRONG") -> None:
    if not finding.problems:
        click.echo(f"OK     {finding.check}")
    for problem in finding.problems:
        click.echo(f"{label}  {finding.check}: {problem}")

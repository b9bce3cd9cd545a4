"""`flask --app app doctor`: prints the result of each diagnostic check, with the remedy; and what
of the system weakens the service, which the service says when it starts.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click
from flask.cli import with_appcontext

from models import current_runtime
from models.operations import DoctorContext, Finding, ReportProgress, run_checks
from models.storage import is_server
from viewer import configured_converter, seccomp_available

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
    notes = list(system_notes(_owner(context), current_runtime().settings.converter))
    ok = not any(finding.problems for finding in findings)
    if as_json:
        checks = [{"check": name, "ok": not wrong, "wrong": wrong} for name, wrong in findings]
        click.echo(json.dumps({"ok": ok, "checks": checks, "notes": notes}))
    else:
        _print(Finding("system", notes), "NOTE ")
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


def _owner(context: DoctorContext) -> int:
    """The service's user owns the database: root may run this for another user."""
    database = context.database
    return database.stat().st_uid if database and database.exists() else os.geteuid()


def _print(finding: Finding, label: str = "WRONG") -> None:
    if not finding.problems:
        click.echo(f"OK     {finding.check}")
    for problem in finding.problems:
        click.echo(f"{label}  {finding.check}: {problem}")


def system_notes(user_id: int, converter: str | None) -> Iterator[str]:
    """One or two sentences for each weakness of the system, for this user and this setting."""
    if not seccomp_available():
        yield (
            "There is no seccomp here: the process that parses documents is held by limits of "
            "memory, time and files alone. Use Linux 4.14 or newer, on x86_64 or aarch64."
        )
    if user_id == 0:
        yield (
            "The service runs as root, so that a fault in it or in a library reaches the whole "
            "machine. Run it as a user of its own."
        )
    _, why_none = configured_converter(converter)
    if why_none:
        yield why_none

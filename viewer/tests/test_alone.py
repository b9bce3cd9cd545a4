"""The package without the rest of the project: a copy of it in an empty folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from viewer.tests import samples

pytestmark = pytest.mark.slow

VIEWER = Path(__file__).parents[1]
OTHERS = (
    "app",
    "blueprints",
    "crypto",
    "models",
    "operations",
    "server",
    "settings",
    "tests",
    "webhooks",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with nothing but the package, without its tests."""
    folder = tmp_path_factory.mktemp("alone")
    left_out = shutil.ignore_patterns("tests", "__pycache__")
    shutil.copytree(VIEWER, folder / "viewer", ignore=left_out)
    return folder


def run(folder, *arguments):
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, check=False
    )


def test_no_other_package_of_the_project_can_be_imported_there(folder):
    code = f"import importlib.util as util; print([*map(util.find_spec, {OTHERS})])"

    assert run(folder, "-c", code).stdout.decode().strip() == str([None] * len(OTHERS))


@pytest.mark.parametrize(
    ("name", "data", "shown"),
    [
        ("notes.md", samples.MARKDOWN, b'class="prose"'),
        ("letter.eml", samples.mail("<p>Dear <b>all</b></p>"), b'class="letter"'),
        ("report.pdf", samples.pdf("One"), b'class="page"'),
        ("plan.ics", samples.CALENDAR, b'class="agenda"'),
        ("sheet.xlsx", samples.xlsx(), b'class="grid"'),
        ("mystery.bin", bytes(range(256)), b'class="card"'),
    ],
)
def test_a_file_becomes_a_page(folder, name, data, shown):
    (folder / name).write_bytes(data)
    made = run(folder, "-m", "viewer", name)

    assert made.returncode == 0, made.stderr.decode()
    assert made.stdout.startswith(b"<!doctype html>")
    assert shown in made.stdout


def test_a_file_that_is_not_there_is_said_in_a_sentence(folder):
    made = run(folder, "-m", "viewer", "missing.pdf")

    assert made.returncode == 2
    assert b"missing.pdf can't be read: No such file or directory" in made.stderr

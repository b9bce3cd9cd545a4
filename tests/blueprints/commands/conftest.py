"""Fixtures that run CLI commands in this process, with an instance folder for each test."""

import os
import re
import shutil

import pytest

from models import User, connected, setup
from tests.models.conftest import empty_instance
from tests.service import app_of_commands
from tests.uploads import upload

__all__ = ["empty_instance"]


@pytest.fixture
def app(tmp_path, monkeypatch, empty_instance):
    for name in [name for name in os.environ if name.startswith("DOCSERVICE_")]:
        monkeypatch.delenv(name)
    shutil.copytree(empty_instance, tmp_path / "instance")
    app = app_of_commands(INSTANCE_PATH=str(tmp_path / "instance"), TESTING=True)
    setup.open_runtime()
    yield app
    app.extensions["runtime"].close()


@pytest.fixture
def run(app):
    """Runs a command; returns click's result."""

    def run(*args, **options):
        return app.test_cli_runner().invoke(args=list(args), **options)

    return run


@pytest.fixture
def document(app):
    """One document of one user."""
    with connected():
        owner = User.register("alice@example.org", "correct horse battery", "Alice", "open")
        return upload(owner)


@pytest.fixture
def roots(run):
    """Lists the ids of the root keys."""
    return lambda: re.findall(r"^([0-9a-f]{16}) ", run("keys", "list").output, re.M)

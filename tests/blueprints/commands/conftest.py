"""The command line, run in this process over a folder of its own."""

import os
import re

import pytest

from app import create_app
from models import User, connected, setup
from tests.uploads import upload


@pytest.fixture
def app(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("DOCSERVICE_")]:
        monkeypatch.delenv(name)
    yield create_app({"INSTANCE_PATH": str(tmp_path / "instance"), "TESTING": True})
    setup.close_all()


@pytest.fixture
def run(app):
    """A command's exit code, and what it said."""

    def run(*words, **more):
        return app.test_cli_runner().invoke(args=list(words), **more)

    return run


@pytest.fixture
def document(app):
    """One document, of one user."""
    with connected():
        owner = User.register("alice@example.org", "correct horse battery", "Alice", "open")
        return upload(owner)


@pytest.fixture
def roots(run):
    """The ids of the root keys, as listed."""
    return lambda: re.findall(r"^([0-9a-f]{16}) ", run("keys", "list").output, re.M)

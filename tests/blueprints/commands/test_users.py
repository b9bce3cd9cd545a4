"""`users`: creates, lists, disables and enables accounts."""

import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from models import User, connected

PASSWORD = "correct horse battery"


@pytest.fixture
def create(run):
    def create(email, password=PASSWORD, *words):
        return run("users", "create", email, *words, input=f"{password}\n")

    return create


def test_create_reads_the_password_from_stdin(create, app):
    result = create("Bob@example.org", PASSWORD, "--name", "Bob")

    assert result.exit_code == 0, result.output
    assert re.fullmatch(r"Bob@example\.org has an account: usr_\w+\.\n", result.output)
    with connected():
        assert User.identify("bob@example.org", PASSWORD, "here").name == "Bob"


def test_create_prompts_twice_without_echo_on_a_terminal(create, app, monkeypatch):
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(sys.modules["blueprints.commands.output"], "sys", terminal)

    result = create("bob@example.org", f"{PASSWORD}\n{PASSWORD}")

    assert result.exit_code == 0, result.output
    assert result.stderr.count("Password") == 1
    assert "Repeat for confirmation" in result.stderr
    assert PASSWORD not in result.output


def test_create_works_while_registration_is_closed(create, app):
    runtime = app.extensions["runtime"]
    runtime.settings = replace(runtime.settings, registration="closed")

    assert create("bob@example.org").exit_code == 0


def test_create_rejects_invalid_input(create, document):
    for email, password, code, says in (
        ("no address", PASSWORD, 2, "no e-mail address"),
        ("bob@example.org", "short", 1, "Use 8 to 1024 characters"),
        ("bob@example.org", "", 1, "Use 8 to 1024 characters"),
        ("alice@example.org", PASSWORD, 1, "exists"),
    ):
        refused = create(email, password)
        assert (refused.exit_code, says in refused.stderr) == (code, True), refused.stderr


def test_list_prints_documents_and_bytes_of_each_account(run, create, document):
    create("bob@example.org")
    run("users", "disable", "bob@example.org")

    _, alice, bob = run("users", "list").output.splitlines()

    assert re.fullmatch(r"alice@example.org  usr_\w+  [\d-]{10}  1          7", alice)
    assert re.fullmatch(r"bob@example.org +usr_\w+  [\d-]{10}  0 +0 +disabled since .+", bob)


def test_an_unknown_account_fails_with_one_sentence(run, document):
    for words in (["users", "disable"], ["users", "enable"], ["audit", "export"]):
        refused = run(*words, "nobody@example.org")
        assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1), words
        assert "nobody@example.org" in refused.stderr

"""`users`: accounts made without HTTP, and shut out."""

import re
import sys
from types import SimpleNamespace

import pytest

from models import User, connected

PASSWORD = "correct horse battery"


@pytest.fixture
def create(run):
    def create(email, password=PASSWORD, *words):
        return run("users", "create", email, *words, input=f"{password}\n")

    return create


def test_an_account_is_made_with_a_password_from_stdin(create, app):
    made = create("Bob@example.org", PASSWORD, "--name", "Bob")

    assert made.exit_code == 0, made.output
    assert re.fullmatch(r"Bob@example\.org has an account: usr_\w+\.\n", made.output)
    with connected():
        assert User.identify("bob@example.org", PASSWORD, "here").name == "Bob"


def test_on_a_terminal_the_password_is_asked_for_twice_and_not_shown(create, app, monkeypatch):
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(sys.modules["blueprints.commands.users"], "sys", terminal)

    made = create("bob@example.org", f"{PASSWORD}\n{PASSWORD}")

    assert made.exit_code == 0, made.output
    assert made.stderr.count("Password") == 1
    assert "Repeat for confirmation" in made.stderr
    assert PASSWORD not in made.output


def test_an_account_is_made_also_where_registration_is_closed(create, app):
    app.config["REGISTRATION"] = "closed"

    assert create("bob@example.org").exit_code == 0


@pytest.mark.parametrize(
    ("email", "password", "code", "says"),
    [
        ("no address", PASSWORD, 2, "no e-mail address"),
        ("bob@example.org", "short", 1, "Use 8 to 1024 characters"),
        ("bob@example.org", "", 1, "Use 8 to 1024 characters"),
        ("alice@example.org", PASSWORD, 1, "exists"),
    ],
)
def test_what_can_not_be_made_is_said_in_a_sentence(create, document, email, password, code, says):
    refused = create(email, password)

    assert (refused.exit_code, says in refused.stderr) == (code, True), refused.stderr


def test_accounts_are_listed_with_what_they_hold(run, create, document):
    create("bob@example.org")
    run("users", "disable", "bob@example.org")

    _, alice, bob = run("users", "list").output.splitlines()

    assert re.fullmatch(r"alice@example.org  usr_\w+  [\d-]{10}  1          7", alice)
    assert re.fullmatch(r"bob@example.org +usr_\w+  [\d-]{10}  0 +0 +disabled since .+", bob)


@pytest.mark.parametrize("word", ["disable", "enable"])
def test_an_unknown_account_is_1_and_one_sentence(run, document, word):
    refused = run("users", word, "nobody@example.org")

    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert "nobody@example.org" in refused.stderr

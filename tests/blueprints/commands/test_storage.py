"""`backup`, `restore`, `sweep` and `where`: output and exit codes."""

import pytest

from models import Document, connected, current_runtime, setup
from tests.service import app_of_commands


def test_backup_prints_the_file_and_the_root_key_a_restore_needs(run, document, roots, tmp_path):
    result = run("backup", str(tmp_path / "copy"))
    assert result.exit_code == 0, result.output
    assert f"{tmp_path / 'copy'} is written" in result.output
    assert f"root key {roots()[0]}" in result.output

    refused = run("backup", str(tmp_path / "nowhere" / "copy"))
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)


def test_a_backup_needs_no_keyring_and_changes_nothing_of_an_older_database(
    run, document, tmp_path, monkeypatch
):
    instance = current_runtime().settings.instance_path
    current_runtime().close_database()
    (instance / "keyring").rename(tmp_path / "keyring")
    monkeypatch.setattr(setup, "_migrate", lambda: pytest.fail("it was migrated"))
    monkeypatch.setattr(setup, "is_older", lambda: True)

    result = run("backup", str(tmp_path / "copy"))

    assert result.exit_code == 0, result.output
    assert not (instance / "keyring").exists()


def test_a_database_that_is_missing_is_not_made_by_a_backup(run, document, tmp_path):
    instance = current_runtime().settings.instance_path
    current_runtime().close_database()
    for path in instance.glob("documents.sqlite*"):
        path.unlink()

    result = run("backup", str(tmp_path / "copy"))

    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "There is no database at" in result.stderr
    assert not (instance / "documents.sqlite").exists()


def test_restore_replaces_users_with_force_only_and_prints_what_it_restored(
    run, document, tmp_path
):
    run("backup", str(tmp_path / "copy"))
    current_runtime().close_database()

    refused = run("restore", str(tmp_path / "copy"))
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert refused.stderr.startswith("Error: ")

    result = run("restore", str(tmp_path / "copy"), "--force")
    assert result.exit_code == 0, result.output
    assert "1 user and 1 document" in result.output


def test_sweep_deletes_expired_documents(run, document):
    with connected():
        document.change(expires_at=1)

    assert run("sweep").output == "1 expired document was deleted.\n"
    with connected():
        assert Document.select().count() == 0


def test_where_the_data_and_the_keyring_lie(app, run, tmp_path):
    assert run("where").output == f"{tmp_path / 'instance'}\n"
    assert run("where", "--keyring").output == f"{tmp_path / 'instance' / 'keyring'}\n"


def test_a_keyring_elsewhere_is_the_one_that_is_named(tmp_path):
    app = app_of_commands(INSTANCE_PATH=str(tmp_path), KEYRING_FILE="/mounted/keyring")
    assert app.test_cli_runner().invoke(args=["where", "--keyring"]).output == "/mounted/keyring\n"
    app.extensions["runtime"].close()


def test_a_keyring_that_is_not_in_a_file_lies_nowhere(tmp_path):
    app = app_of_commands(INSTANCE_PATH=str(tmp_path), KEYRING_COMMAND="cat keyring")
    result = app.test_cli_runner().invoke(args=["where", "--keyring"])
    assert result.exit_code == 1
    assert result.output == "Error: The keyring is not in a file. Copy it where it is kept.\n"
    app.extensions["runtime"].close()

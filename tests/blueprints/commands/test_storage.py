"""`backup`, `restore` and `sweep`: output and exit codes."""

from models import Document, connected, current_runtime


def test_backup_prints_the_file_and_the_root_key_a_restore_needs(run, document, roots, tmp_path):
    result = run("backup", str(tmp_path / "copy"))
    assert result.exit_code == 0, result.output
    assert f"{tmp_path / 'copy'} is written" in result.output
    assert f"root key {roots()[0]}" in result.output

    refused = run("backup", str(tmp_path / "nowhere" / "copy"))
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)


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

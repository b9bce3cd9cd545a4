"""`backup` and `restore`: output and exit codes."""

from models import current_runtime


def test_backup_prints_the_file_and_the_root_key_a_restore_needs(run, document, roots, tmp_path):
    result = run("backup", str(tmp_path / "copy"))

    assert result.exit_code == 0, result.output
    assert f"{tmp_path / 'copy'} is written" in result.output
    assert f"root key {roots()[0]}" in result.output


def test_restore_prints_the_number_of_users_and_documents(run, document, tmp_path):
    run("backup", str(tmp_path / "copy"))
    current_runtime().close_database()

    result = run("restore", str(tmp_path / "copy"), "--force")

    assert result.exit_code == 0, result.output
    assert "1 users and 1 documents" in result.output


def test_restore_over_existing_users_fails_with_one_sentence(run, document, tmp_path):
    run("backup", str(tmp_path / "copy"))
    current_runtime().close_database()

    result = run("restore", str(tmp_path / "copy"))

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_backup_to_a_missing_folder_fails_with_one_sentence(run, document, tmp_path):
    result = run("backup", str(tmp_path / "nowhere" / "copy"))

    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)

"""`backup` and `restore`: what they say, and their exit codes."""

from models import setup


def test_a_backup_says_where_it_lies_and_which_root_it_needs(run, document, roots, tmp_path):
    done = run("backup", str(tmp_path / "copy"))

    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'copy'} is written" in done.output
    assert f"root key {roots()[0]}" in done.output


def test_a_restore_says_what_is_there_now(run, document, tmp_path):
    run("backup", str(tmp_path / "copy"))
    setup.close_all()

    done = run("restore", str(tmp_path / "copy"), "--force")

    assert done.exit_code == 0, done.output
    assert "1 users and 1 documents" in done.output


def test_a_restore_over_users_is_1_and_one_sentence(run, document, tmp_path):
    run("backup", str(tmp_path / "copy"))
    setup.close_all()

    done = run("restore", str(tmp_path / "copy"))

    assert done.exit_code == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_a_missing_folder_is_1_and_one_sentence(run, document, tmp_path):
    done = run("backup", str(tmp_path / "nowhere" / "copy"))

    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)

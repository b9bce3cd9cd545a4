"""`export` and `import`: people and spaces move, and what is left to do is said."""

import pytest

from models import Document, User, connected
from models.account_deletion import delete_account, delete_space, finish_deletions
from models.accounts import Member, add_member, enter_space, make_space
from models.links import delete_document
from tests.uploads import upload

pytestmark = pytest.mark.usefixtures("quick_passphrases")
PASSPHRASE = "four words that nobody guesses\n"


@pytest.fixture
def alice(document):
    with connected():
        return User.find(document.owner_id)


@pytest.fixture
def team(alice):
    """The id of a space with a document, which Alice manages, with Bob as a member."""
    with connected():
        bob = User.register("bob@example.org", "correct horse battery", None, "open")
        space = make_space(alice, "Accounting").row
        add_member(space.id, alice.id, bob.email, "write")
        enter_space(space.id, bob.id)
        upload(space, b"a bill")
        return space.id


def delete_all(team, alice):
    with connected():
        delete_document(Document.select().where(Document.owner_id == team).get())
        delete_space(team, alice.id)
        for user in list(User.select()):
            delete_account(user)
            finish_deletions()


def test_all_people_and_spaces_move(run, tmp_path, team, alice):
    exported = run("export", str(tmp_path / "moved"), input=PASSPHRASE)
    assert exported.exit_code == 0, exported.output
    listed = [line.split("  ")[0] for line in exported.output.splitlines()[1:4]]
    assert listed == ["alice@example.org", "bob@example.org", f"space {team}"]
    delete_all(team, alice)

    imported = run("import", str(tmp_path / "moved"), input=PASSPHRASE)

    assert imported.exit_code == 0, imported.output
    assert f"space {team} is imported and compared with the export." in imported.output
    assert "document-service users invite EMAIL" in imported.output
    assert "Nobody manages it" not in imported.output
    assert "any more" not in imported.output
    with connected():
        assert len(Member.of_space(team)) == 2


def test_an_import_of_a_space_alone_says_who_is_left_out_and_how_it_gets_a_manager(
    run, tmp_path, team, alice
):
    exported = run("export", str(tmp_path / "moved"), "--owner", team, input=PASSPHRASE)
    assert exported.exit_code == 0, exported.output
    assert "alice@example.org" not in exported.output
    delete_all(team, alice)

    imported = run("import", str(tmp_path / "moved"), input=PASSPHRASE)

    assert imported.exit_code == 0, imported.output
    for email in ("alice@example.org", "bob@example.org"):
        assert f"{email} is no member of it any more: that account is not here." in imported.output
    assert f"Nobody manages it: document-service users manage EMAIL {team}." in imported.output
    assert "users invite" not in imported.output
    run("users", "create", "carol@example.org", input="correct horse battery\n")
    assert run("users", "manage", "carol@example.org", team).exit_code == 0
    again = run("import", str(tmp_path / "moved"), input=PASSPHRASE)
    assert f"space {team} is here already; nothing was changed." in again.output
    assert "Nobody manages it" not in again.output


def test_an_owner_who_is_not_there_is_told_in_one_sentence(run, tmp_path, team):
    for owner in ("nobody@example.org", "spc_01hzzzzzzzzzzzzzzzzzzzzzzz"):
        refused = run("export", str(tmp_path / "moved"), "--owner", owner, input=PASSPHRASE)
        assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
        assert f"There is no account {owner}" in refused.stderr

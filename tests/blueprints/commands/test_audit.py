"""`audit verify`, `checkpoint` and `export`, and the receipts of `backup`."""

import json
import re

import pytest

from models import Event, User, connected, database
from models.accounts import make_space


@pytest.fixture
def receipts(run, document, tmp_path):
    """A file with what `audit checkpoint` printed."""
    (tmp_path / "receipts").write_text(run("audit", "checkpoint").output)
    return tmp_path / "receipts"


def test_verify_says_what_it_looked_at_and_what_it_cannot_say(run, document, receipts):
    alone = run("audit", "verify")
    result = run("audit", "verify", "--against", str(receipts))

    assert (alone.exit_code, result.exit_code) == (0, 0), result.output
    counted = r"2 chains, 3 events, unbroken; oldest kept of \d{4}-\d\d-\d\d; "
    assert re.fullmatch(
        counted + "no receipt that holds: all of it is held by the keyring alone.\n", alone.output
    )
    assert re.fullmatch(
        counted + r"2 receipts hold, the youngest of \d{4}-\d\d-\d\d \d\d:\d\d: "
        r"what came after it is held by the keyring alone.\n",
        result.output,
    )


def test_verify_names_owner_and_number_with_exit_code_1(run, document):
    with connected():
        altered = "UPDATE event SET type = 'document.deleted' WHERE type = 'document.created'"
        database.execute_sql(altered)

    result = run("audit", "verify")

    assert result.exit_code == 1
    assert result.output.startswith(f"{document.owner_id} 1: ")
    assert "2 chains, 2 events, broken in 1 place" in result.output


def test_a_file_of_receipts_with_a_wrong_line_is_one_sentence(run, document, tmp_path):
    (tmp_path / "receipts").write_text(f"usr_a {'0' * 64}\n")

    result = run("audit", "verify", "--against", str(tmp_path / "receipts"))

    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)


def test_export_prints_the_chain_of_an_account_or_of_the_service(run, document):
    with connected():
        (event,), _ = Event.feed(document.owner_id, 10, None)
    (line,) = run("audit", "export", "alice@example.org").output.splitlines()
    service = run("audit", "export", "service").output.splitlines()

    assert json.loads(line) == {
        "owner": document.owner_id,
        "sequence": 1,
        "body": event.body,
        "hash": event.hash.hex(),
    }
    assert [json.loads(json.loads(one)["body"])["type"] for one in service] == [
        "log.began",
        "account.created",
    ]


def test_export_prints_the_chain_of_a_space(run, document):
    with connected():
        space = make_space(User.find(document.owner_id), "Accounting")
    (line,) = run("audit", "export", space.id).output.splitlines()
    assert json.loads(line)["owner"] == space.id
    assert json.loads(json.loads(line)["body"])["type"] == "member.added"


def test_what_backup_prints_is_a_file_of_receipts(run, document, tmp_path, receipts):
    printed = run("backup", str(tmp_path / "copy")).output
    (tmp_path / "printed").write_text(printed)

    assert printed.endswith(receipts.read_text())
    assert (
        "2 receipts hold" in run("audit", "verify", "--against", str(tmp_path / "printed")).output
    )

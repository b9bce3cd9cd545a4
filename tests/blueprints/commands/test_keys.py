"""`keys`: output and exit codes."""

import re

import pytest

from models import Document, connected

TODAY = r"\d{4}-\d\d-\d\d"


@pytest.fixture
def damaged(document):
    with connected():
        document.change(sealed_key=bytes(104))


def test_list_prints_date_number_of_rows_and_use_of_each_root_key(run, document, roots):
    former = roots()[0]
    run("keys", "rotate")
    new = roots()[0]

    _, first, second = run("keys", "list").output.splitlines()

    assert re.fullmatch(rf"{new}  {TODAY}  5     primary", first)
    assert re.fullmatch(rf"{former}  {TODAY}  0     unused: keys retire {former}", second)


def test_rotate_and_retire_replace_the_root_key_and_keep_every_document(run, document, roots):
    (former,) = roots()

    rotated = run("keys", "rotate")
    retired = run("keys", "retire", former)

    assert (rotated.exit_code, retired.exit_code) == (0, 0), rotated.output + retired.output
    assert "4 rows were re-wrapped" in rotated.output
    assert "Backups" in retired.output
    assert former not in roots()
    with connected():
        assert b"".join(Document.of_token(document.id).read()) == b"content"


@pytest.mark.parametrize("words", [["rotate", "extra"], ["retire"], ["check", "--deeper"], ["no"]])
def test_wrong_usage_exits_with_code_2(run, words):
    assert run("keys", *words).exit_code == 2


def test_retiring_the_primary_fails_with_one_sentence(run, roots):
    refused = run("keys", "retire", roots()[0])

    assert refused.exit_code == 1
    assert re.fullmatch(r"Error: Root key \w+ is the primary\. .+\.\n", refused.stderr)


def test_check_reports_that_everything_decrypts(run, document):
    assert run("keys", "check").output == "All keys decrypt.\n"
    assert run("keys", "check", "--deep").output == "All keys and documents decrypt.\n"


def test_check_lists_rows_that_cannot_be_decrypted_and_fails(run, document, damaged):
    checked = run("keys", "check")

    assert checked.exit_code == 1
    assert checked.output == f"{document.id} cannot be decrypted.\n1 rows cannot be decrypted.\n"


def test_rotate_lists_rows_it_could_not_rewrap_and_fails(run, document, damaged):
    rotated = run("keys", "rotate")

    assert rotated.exit_code == 1
    assert f"{document.id}: its key cannot be decrypted" in rotated.output


def test_make_prints_a_root_key_and_stores_nothing(run, roots):
    before = roots()

    line = run("keys", "make").output

    assert re.fullmatch(rf"docroot_\w{{49}}  # {TODAY}\n", line)
    assert roots() == before

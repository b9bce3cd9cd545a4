"""`keys`: what it prints, and the exit code that a clock can act on."""

import re

import pytest

from models import Document, connected

TODAY = r"\d{4}-\d\d-\d\d"


@pytest.fixture
def damaged(document):
    with connected():
        document.change(sealed_key=bytes(104))


def test_keys_are_listed_with_their_date_their_rows_and_their_use(run, document, roots):
    former = roots()[0]
    run("keys", "rotate")
    new = roots()[0]

    _, first, second = run("keys", "list").output.splitlines()

    assert re.fullmatch(rf"{new}  {TODAY}  4     seals what is new", first)
    assert re.fullmatch(rf"{former}  {TODAY}  0     unused: keys retire {former}", second)


def test_rotate_and_retire_leave_one_root_and_every_document(run, document, roots):
    (former,) = roots()

    rotated = run("keys", "rotate")
    retired = run("keys", "retire", former)

    assert (rotated.exit_code, retired.exit_code) == (0, 0), rotated.output + retired.output
    assert "3 rows were wrapped anew" in rotated.output
    assert "Backups" in retired.output
    assert former not in roots()
    with connected():
        assert b"".join(Document.of_token(document.id).read()) == b"content"


@pytest.mark.parametrize("words", [["rotate", "extra"], ["retire"], ["check", "--deeper"], ["no"]])
def test_wrong_usage_is_2(run, words):
    assert run("keys", *words).exit_code == 2


def test_what_can_not_be_done_is_one_sentence_and_1(run, roots):
    refused = run("keys", "retire", roots()[0])

    assert refused.exit_code == 1
    assert re.fullmatch(r"Error: Root key \w+ seals what is new\. .+\.\n", refused.stderr)


def test_check_is_0_when_everything_opens(run, document):
    for words in (["check"], ["check", "--deep"]):
        assert run("keys", *words).output == "Everything opens.\n"


def test_check_names_what_does_not_open_and_is_1(run, document, damaged):
    checked = run("keys", "check")

    assert checked.exit_code == 1
    assert checked.output == f"{document.id} does not open.\n1 in all do not open.\n"


def test_rotate_names_what_it_could_not_wrap_and_is_1(run, document, damaged):
    rotated = run("keys", "rotate")

    assert rotated.exit_code == 1
    assert f"{document.id}: its key does not open" in rotated.output


def test_make_prints_a_root_and_stores_nothing(run, roots):
    before = roots()

    line = run("keys", "make").output

    assert re.fullmatch(rf"docroot_\w{{49}}  # {TODAY}\n", line)
    assert roots() == before

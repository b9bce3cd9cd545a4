"""`keys`: output and exit codes."""

import re

from models import Document, connected

TODAY = r"\d{4}-\d\d-\d\d"


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
        assert b"".join(Document.of_id(document.id).read()) == b"content"


def test_doctor_asks_for_a_copy_of_the_keyring_until_somebody_says_that_there_is_one(run, document):
    asked = "Has a copy of the keyring been put away"
    assert asked in run("doctor").output

    said = run("keys", "kept", "--by", "Ada")
    assert said.output.startswith("Ada has put a copy of the keyring with root key ")
    assert asked not in run("doctor").output
    log = run("audit", "export", "service").output
    assert '"root.kept"' in log.replace("\\", "")
    assert "Ada" in log

    run("keys", "rotate")
    assert asked in run("doctor").output


def test_wrong_usage_exits_with_code_2(run):
    for words in (["rotate", "extra"], ["retire"], ["check", "--deeper"], ["no"]):
        assert run("keys", *words).exit_code == 2, words


def test_retiring_the_primary_fails_with_one_sentence(run, roots):
    refused = run("keys", "retire", roots()[0])

    assert refused.exit_code == 1
    assert re.fullmatch(r"Error: Root key \w+ is the primary\. .+\.\n", refused.stderr)


def test_make_prints_a_root_key_and_stores_nothing(run, roots):
    before = roots()

    line = run("keys", "make").output

    assert re.fullmatch(rf"docroot_\w{{49}}  # {TODAY}\n", line)
    assert roots() == before


def test_check_and_rotate_list_rows_that_cannot_be_decrypted_and_fail(run, document):
    assert run("keys", "check").output == "All keys decrypt.\n"
    assert run("keys", "check", "--deep").output == "All keys and documents decrypt.\n"
    with connected():
        document.change(sealed_key=bytes(104))

    checked, rotated = run("keys", "check"), run("keys", "rotate")

    assert (checked.exit_code, rotated.exit_code) == (1, 1)
    assert checked.output == f"{document.id} cannot be decrypted.\n1 row cannot be decrypted.\n"
    assert f"{document.id}: its key cannot be decrypted" in rotated.output

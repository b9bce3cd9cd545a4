"""A service whose documents above 64 MiB lie in files of its instance folder."""

import io
import json
import os
import shutil
from zipfile import ZipFile

import pytest

from models.storage.payloads import LARGE_BYTES
from tests.console.visitor import Visitor
from tests.people import PASSWORD
from tests.service import QuickService
from tests.tus import Upload
from tests.waiting import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sqlite_only("on a server payloads lie in rows or objects"),
]
MARK = b"<what only its owner may read>\n"
LARGE = MARK * (LARGE_BYTES // len(MARK) + 1)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    service = QuickService(
        tmp_path_factory.mktemp("large"),
        MAX_DOCUMENT_BYTES=80 << 20,
        RATE_LIMITS="off",
        RESERVE_BYTES=0,
    )
    yield service
    service.close()


def payload_files(service):
    return [path for path in (service.instance / "payloads").rglob("*") if path.is_file()]


def content(person, document, **headers):
    path = f"/v1/documents/{document['id']}/content"
    return person.get(path, headers=headers).body


def test_a_large_post_lies_sealed_in_a_file_until_it_is_deleted(large):
    alice = large.register()
    document = alice.upload(LARGE, "text/plain")
    (file,) = payload_files(large)

    assert file.name.startswith("upl_")
    assert file.parent.name == file.name[-2:]
    assert not any(MARK in path.read_bytes() for path in large.instance.rglob("*.sqlite*"))
    assert MARK not in file.read_bytes()
    assert content(alice, document) == LARGE
    span = f"bytes={LARGE_BYTES - 100}-{LARGE_BYTES - 1}"
    assert content(alice, document, Range=span) == LARGE[LARGE_BYTES - 100 : LARGE_BYTES]

    large.kill()
    large.start()
    assert content(alice, document) == LARGE
    assert alice.delete(f"/v1/documents/{document['id']}").status == 204
    until(lambda: not payload_files(large), 10)


def test_a_backup_says_that_it_has_two_parts_and_a_restore_elsewhere_needs_both(
    large, start_service, tmp_path
):
    alice = large.register("two.parts@example.org")
    document = alice.upload(LARGE, "text/plain")
    (of_document,) = payload_files(large)
    size = f"{of_document.stat().st_size / (1 << 20):.1f} MiB"
    unfinished = Upload.begin(alice, len(LARGE), LARGE[: 9 << 20])
    file = tmp_path / "copy.sqlite"
    unnamed = f"1 payload lies in files ({size}) which the last backup has not named."
    assert unnamed in json.loads(large.run_command("doctor", "--json"))["notes"][-1]

    *_, last = large.run_command("backup", file).splitlines()
    both = f"{file} and {file}.payloads (1 file, {size})."
    assert last == f"Copy both: {both}"
    assert large.run_command("backup", "check", file) == f"Both are whole: {both}\n"
    assert "payload lies in files" not in large.run_command("doctor")

    other = start_service(RATE_LIMITS="off")
    other.stop()
    shutil.copy(large.instance / "keyring", other.instance / "keyring")
    kept = tmp_path / "kept"
    (tmp_path / "copy.sqlite.payloads").rename(kept)
    refused = other.run_command("restore", file, code=1)
    assert f"{of_document.name} is missing from {file}.payloads" in refused
    assert "is missing" in large.run_command("backup", "check", file, code=1)
    assert "all keys open" in other.run_command("restore", file, "--deep", "--payloads", kept)
    other.start()
    again = other.log_in("two.parts@example.org")
    assert content(again, document) == LARGE
    assert unfinished.head(by=again).status == 404
    assert again.get("/v1/uploads").json["uploads"] == []
    assert unfinished.offset() == 9 << 20
    unfinished.end()

    assert alice.delete(f"/v1/documents/{document['id']}").status == 204
    until(lambda: not payload_files(large), 10)


def test_an_account_and_a_space_with_large_files_move_by_export_and_import(
    large, start_service, tmp_path
):
    alice = large.register("moving@example.org")
    space = alice.post("/v1/spaces", json={"name": "Films"}).json
    entered = alice.post(f"/v1/spaces/{space['id']}/sessions").json["accessToken"]
    as_space = alice.with_token(entered)
    posted = alice.upload(LARGE, "text/plain")
    sent = Upload.begin(as_space, len(LARGE), LARGE).get().json["document"]
    unfinished = Upload.begin(alice, len(LARGE), LARGE[: 20 << 20])

    browser = Visitor(large)
    browser.log_in("moving@example.org")
    answer = browser.post("/app/account/export")
    with ZipFile(io.BytesIO(answer.body)) as archive:
        (name,) = [one for one in archive.namelist() if one.startswith("documents/")]
        assert archive.read(name) == LARGE

    words = "four words that nobody guesses\n"
    moved = tmp_path / "moved"
    large.run_command("export", moved, input=words)
    other = start_service(RATE_LIMITS="off")
    imported = other.run_command("import", moved, input=words)
    for owner in ("moving@example.org", f"space {space['id']}"):
        assert f"{owner} is imported and compared with the export." in imported
    assert len(payload_files(other)) == 2
    other.run_command("users", "password", "moving@example.org", input=f"{PASSWORD}\n")
    again = other.log_in("moving@example.org")
    entered = again.post(f"/v1/spaces/{space['id']}/sessions").json["accessToken"]
    assert content(again, posted) == content(again.with_token(entered), sent) == LARGE
    assert again.get("/v1/uploads").json["uploads"] == []

    unfinished.end()
    for person, document in ((alice, posted), (as_space, sent)):
        assert person.delete(f"/v1/documents/{document['id']}").status == 204
    until(lambda: not payload_files(large), 10)


def test_a_file_that_a_killed_process_has_left_is_deleted_by_the_next_start(large):
    alice = large.register()
    alice.upload(b"small")
    large.kill()
    left = f"upl_{'0' * 26}"
    record = "INSERT INTO unreferenced_object VALUES (:id, 'files', 0, 1, 99999999999999)"
    large.sql(record, id=left)
    file = large.instance / "payloads" / left[-2:] / left
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(os.urandom(1000))
    large.start()
    until(lambda: not file.exists(), 10)

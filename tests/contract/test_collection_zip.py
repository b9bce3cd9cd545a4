"""A collection as one ZIP file: what is in it, and by which links it is saved."""

import io
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from zipfile import ZIP_STORED, ZipFile

import pytest

from tests.contract.requests import DAMAGE
from tests.people import at
from tests.problems import refused

LARGE = bytes(range(256)) * 2000  # several pieces


@pytest.fixture
def alice(new_user):
    return new_user


@pytest.fixture
def collection(alice):
    files = {"مكتب.pdf": LARGE, "../b.txt": b"", "a.txt": b"one"}
    documents = [alice.upload(body, name=name, token=None) for name, body in files.items()]
    documents.append(alice.upload(b"two", name="A.TXT", token=None))
    return alice.collect(*documents, title="Our offer")


def whole(collection):
    return at(collection, "/content")


def zip_by(link):
    return f"/s/content?token={link['token']}"


def names_in(answer):
    return ZipFile(io.BytesIO(answer.body)).namelist()


def events_of(alice, collection):
    return [one["type"] for one in alice.events(f"&collectionId={collection['id']}")]


def test_it_holds_the_originals_in_order_by_safe_names_with_their_checksums(
    alice, collection, tmp_path
):
    answer = alice.get(whole(collection))
    assert (answer.status, answer.kind) == (200, "application/zip")
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    assert 'filename="Our offer.zip"' in answer.headers["Content-Disposition"]
    archive = ZipFile(io.BytesIO(answer.body))
    assert archive.testzip() is None
    *files, last = archive.infolist()
    assert last.filename == "SHA256SUMS"
    assert [file.filename for file in files] == ["مكتب.pdf", "b.txt", "a.txt", "A (2).TXT"]
    assert {file.compress_type for file in files} == {ZIP_STORED}
    assert not any(file.flag_bits & 8 for file in files)  # no data descriptors
    assert [archive.read(file) for file in files] == [LARGE, b"", b"one", b"two"]
    archive.extractall(tmp_path)
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path, check=True)
    assert events_of(alice, collection)[-1] == "collection.downloaded"


def test_a_document_lies_in_the_folder_of_its_path(alice, tmp_path):
    files = [
        ("plans/2026", "a.pdf"),
        ("plans/2026", "a.pdf"),
        ("PLANS", "a.pdf"),
        ("", "a.pdf"),
        ("", "plans"),
    ]
    paths = [{"path": folder} if folder else {} for folder, _name in files]
    documents = [
        alice.upload(f"{number}".encode(), name=name, metadata=paths[number], token=None)
        for number, (_folder, name) in enumerate(files)
    ]
    collection = alice.collect(*documents)

    archive = ZipFile(io.BytesIO(alice.get(whole(collection)).body))

    assert archive.namelist() == [
        "plans/2026/a.pdf",
        "plans/2026/a (2).pdf",
        "PLANS/a.pdf",
        "a.pdf",
        "plans (2)",
        "SHA256SUMS",
    ]
    assert archive.read("plans/2026/a (2).pdf") == b"1"
    archive.extractall(tmp_path)
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_that_of_an_empty_collection_holds_the_checksums_alone(alice):
    assert names_in(alice.get(whole(alice.collect()))) == ["SHA256SUMS"]


@pytest.mark.parametrize(
    ("accepted", "kind"),
    [
        (None, "application/zip"),
        ("*/*", "application/zip"),
        ("application/octet-stream", "application/octet-stream"),
        ("application/json", "application/zip"),
    ],
)
def test_it_is_plain_bytes_for_a_client_that_asks_for_them(alice, collection, accepted, kind):
    headers = {"Accept": accepted} if accepted else {}
    answer = alice.get(f"/v1/collections/{collection['id']}/content", headers=headers)

    assert (answer.status, answer.kind) == (200, kind)
    assert "Accept" in answer.headers["Vary"]


def test_head_tells_the_length_and_is_no_download(alice, collection):
    answer = alice.head(whole(collection))
    assert answer.headers["Content-Length"] == str(len(alice.get(whole(collection)).body))
    assert events_of(alice, collection).count("collection.downloaded") == 1


def test_a_link_that_may_be_saved_saves_what_is_in_the_collection_now(alice, anonymous, collection):
    link, shown = alice.share(collection), alice.share(collection, permissions=["view"])
    alice.patch(at(collection), json={"remove": [collection["documents"][0]["id"]]})
    assert names_in(anonymous.get(zip_by(link))) == ["b.txt", "a.txt", "A (2).TXT", "SHA256SUMS"]
    refused(anonymous.get(zip_by(shown)), 403, "scope_missing")
    path = f"s/content?token={link['token']}"
    assert f'href="{path}"' in anonymous.get(f"/s?token={link['token']}").text
    assert "Save all" not in anonymous.get(f"/s?token={shown['token']}").text


def test_behind_a_password_only_the_ticket_of_the_visit_saves(alice, anonymous, collection):
    for permissions, status in ((["view", "download"], 200), (["view"], 403)):
        link = alice.share(collection, password="hunter22", maxViews=1, permissions=permissions)
        refused(anonymous.get(zip_by(link)), 403, "scope_missing")
        page = anonymous.post(f"/s?token={link['token']}", form={"password": "hunter22"})
        ticket = re.search(r"ticket=(v4\.local\.[\w.-]+)", page.text)[1]
        assert anonymous.get(f"/s/content?ticket={ticket}").status == status
        assert ("Save all" in page.text) == (status == 200)


def test_it_uses_up_a_view_where_those_are_limited(alice, anonymous, collection):
    link = alice.share(collection, maxViews=1)
    ways = [
        lambda: anonymous.get(zip_by(link)),
        lambda: anonymous.post(f"/s?token={link['token']}", json={}),
    ]
    head = anonymous.head(zip_by(link))
    assert (head.status, head.headers["Content-Disposition"]) == (200, None)
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda number: ways[number % 2]().status, range(20)))
    assert sorted(answers) == [200] + [410] * 19


@pytest.mark.logs_traceback("crypto.sealing.DecryptionError")
def test_a_damaged_document_is_no_part_of_it(alice, service, collection):
    first = collection["documents"][0]["id"]
    service.sql(DAMAGE, id=first)
    refused(alice.get(whole(collection), errors=[500]), 500, "document_damaged")

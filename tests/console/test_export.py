"""The export of all that an account holds."""

import contextlib
import io
import json
import os
import subprocess
import sys
from zipfile import BadZipFile, ZipFile

import pytest

from tests.console.visitor import SAME_SITE
from tests.people import Person
from tests.service import ROOT
from tests.waiting import until

EXPORT = "/app/account/export"


@pytest.fixture
def exported(member, tmp_path):
    """A function that saves the export of the member, and unpacks it."""

    def save():
        answer = member.post("/app/account/export")
        assert (answer.status, answer.kind) == (200, "application/zip")
        assert "Content-Length" not in answer.headers
        archive = ZipFile(io.BytesIO(answer.body))
        assert archive.testzip() is None
        archive.extractall(tmp_path)
        return {name: archive.read(name) for name in archive.namelist()}

    return save


def test_it_holds_originals_records_and_a_log_that_verifies(member, exported, tmp_path):
    api = member.api
    large = bytes(range(256)) * 2000  # several pieces
    first = api.upload(large, name="../Bericht für مكتب.pdf", token=None)
    link = api.upload(b"", name="a.txt")["token"]
    api.upload(b"two", name="A.TXT", metadata={"of": "me"}, token=None)
    key = api.create_api_key(name="backup").record
    hook = {"url": "https://hook.example/in", "description": "mine"}
    secret = api.post("/v1/webhooks", json=hook).json["secret"]

    files = exported()

    assert files["documents/Bericht für مكتب.pdf"] == large
    assert [files["documents/a.txt"], files["documents/A (2).TXT"]] == [b"", b"two"]
    records = {name: json.loads(files[f"{name}.json"]) for name in ("documents", "links", "keys")}
    assert records["documents"][0] == {
        **{name: value for name, value in first.items() if name != "token"},
        "binnedAt": None,
        "cameBy": None,
        "uploaderId": None,
        "file": "documents/Bericht für مكتب.pdf",
    }
    assert records["links"][0]["documentId"] == records["documents"][1]["id"]
    assert records["keys"][0]["maskedKey"] == key["maskedKey"]
    assert json.loads(files["webhooks.json"])[0]["url"] == hook["url"]
    assert json.loads(files["account.json"])["email"] == member.email
    everything = b"".join(files.values())
    for one in (key["key"], secret, link["token"]):
        assert one.encode() not in everything

    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path, check=True)
    verify = [sys.executable, ROOT / "deploy/verify_log.py", tmp_path / "log.jsonl"]
    said = subprocess.run(verify, check=True, capture_output=True, text=True).stdout
    assert "unbroken" in said
    assert b"account.exported" in files["log.jsonl"]


def test_what_is_in_the_bin_is_in_it_too(member, exported):
    api = member.api
    kept, binned = (api.upload(one, name="a.txt", token=None) for one in (b"kept", b"binned"))
    member.post("/app/documents", {"act": "bin", "id": binned["id"]})
    files = exported()
    assert (files["documents/a.txt"], files["bin/a.txt"]) == (b"kept", b"binned")
    names = {one["id"]: one["file"] for one in json.loads(files["documents.json"])}
    assert names == {kept["id"]: "documents/a.txt", binned["id"]: "bin/a.txt"}


def test_a_document_lies_in_the_folder_of_its_path(member, exported):
    api = member.api
    folder = {"path": "plans/2026"}
    kept = [api.upload(one, name="a.txt", metadata=folder, token=None) for one in (b"1", b"2")]
    binned = api.upload(b"3", name="a.txt", metadata=folder, token=None)
    member.post("/app/documents", {"act": "bin", "id": binned["id"]})
    files = exported()
    paths = {one["id"]: one["file"] for one in json.loads(files["documents.json"])}
    assert [paths[one["id"]] for one in (*kept, binned)] == [
        "documents/plans/2026/a.txt",
        "documents/plans/2026/a (2).txt",
        "bin/plans/2026/a.txt",
    ]
    assert [files[paths[one["id"]]] for one in (*kept, binned)] == [b"1", b"2", b"3"]


def test_an_account_without_anything_is_exported_too(exported):
    assert {"documents.json", "log.jsonl", "SHA256SUMS"} <= exported().keys()


def test_an_export_whose_line_breaks_is_no_whole_file_and_begins_anew(member):
    originals = [os.urandom(4 << 20) for _ in range(8)]  # more than buffers on the way hold
    for number, original in enumerate(originals):
        member.api.upload(original, name=f"{number}.bin", token=None)
    stored = member.api.get("/v1/auth/me").json["stored"]
    for _ in range(3):  # more than one person gets at a time
        received = until(lambda: broken_export(member))
        with pytest.raises(BadZipFile):
            ZipFile(io.BytesIO(received))

    files = until(lambda: whole_export(member))

    assert [files[f"documents/{number}.bin"] for number in range(8)] == originals
    assert member.api.get("/v1/auth/me").json["stored"] == stored
    assert " unbroken" in member.service.run_command("audit", "verify")


def broken_export(member):
    """The first MiB of an export whose reader goes away; None while a former one is sent."""
    cookie = "; ".join(f"{name}={one}" for name, one in member.cookies.items())
    with contextlib.closing(Person(member.service).connect()) as connection:
        connection.request("POST", EXPORT, b"", {"Cookie": cookie, **SAME_SITE})
        response = connection.getresponse()
        return response.read(1 << 20) if response.status == 200 else None


def whole_export(member):
    """The files of an export; None while a former one is sent."""
    answer = member.post(EXPORT)
    if answer.status == 503:
        return None
    archive = ZipFile(io.BytesIO(answer.body))
    return {name: archive.read(name) for name in archive.namelist()}


def test_nobody_else_is_in_it_and_nobody_else_gets_it(member, alice, exported, visitor):
    alice.upload(b"of alice", name="alices.txt")
    assert b"alices" not in b"".join(exported().values())
    assert visitor.post("/app/account/export").status == 303
    answer = Person(member.service).exchange("POST", "/app/account/export", SAME_SITE.items())
    assert answer.status == 303


def test_another_site_starts_no_export(member):
    refused = member.post("/app/account/export", headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status == 403
    led = member.get("/app/account/export", **{"Sec-Fetch-Site": "cross-site"})
    assert (led.status, led.headers["Location"]) == (303, "/app/account")
    assert "account.exported" not in [event["type"] for event in member.api.events()]

"""Nothing secret is on the disk in clear: no content, name, password or key."""

import base64
import fcntl
import hashlib
import json
import os
import secrets
import stat
import sys
from pathlib import Path

import pytest

from tests.formats import b64
from tests.forms import FORM, file
from tests.forms import body as form_body
from tests.processes import children
from tests.service import ServiceWithViewer

MARK = b"<" + secrets.token_hex(30).encode() + b">\n"
CONTENT = MARK * ((20 << 20) // len(MARK))
STEP = 8 << 20

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def traces(secret):
    """Yield the forms of a secret: as it is, and as base64 at any offset."""
    yield secret
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + secret)
        yield encoded[4 : len(encoded) - 4]


def holds(stored, secret):
    return any(trace in stored for trace in traces(secret))


@pytest.fixture(scope="module")
def sealed_service(start_service):
    return start_service(ServiceWithViewer, RATE_LIMITS="off")


@pytest.fixture(scope="module")
def owner(sealed_service):
    return sealed_service.register(
        "sealed@example.org", password=f"password {secrets.token_hex(20)}"
    )


@pytest.fixture(scope="module")
def secrets_by_name(sealed_service, owner):
    """Everything secret that the service receives or returns."""
    again = {"Idempotency-Key": "at-rest"}
    body = {
        "payload": b64(b"payload " + MARK),
        "contentType": "text/plain",
        "name": f"name {secrets.token_hex(20)}.txt",
        "metadata": {f"key {secrets.token_hex(20)}": f"value {secrets.token_hex(20)}"},
        "token": {"label": f"label {secrets.token_hex(20)}", "password": secrets.token_hex(20)},
    }
    document = owner.post("/v1/documents", json=body, headers=again).json
    key = owner.post("/v1/api-keys", json={}, headers=again).json
    new = {"currentPassword": owner.password, "newPassword": f"new {secrets.token_hex(20)}"}
    assert owner.post("/v1/auth/password", json=new).status == 204
    path = f"/v1/documents/{document['id']}"
    token = owner.post(f"{path}/tokens", json={}, headers=again).json
    patch = {"name": f"later {secrets.token_hex(20)}"}
    assert owner.patch(path, json=patch).status == 200
    for call in ("view", "download", "content"):
        assert owner.get(f"{path}/{call}").status == 200
    (key_of_metadata, value), *_ = body["metadata"].items()
    texts = {
        "name": body["name"],
        "a later name": patch["name"],
        "metadata name": key_of_metadata,
        "metadata value": value,
        "label": body["token"]["label"],
        "link password": body["token"]["password"],
        "password": owner.password,
        "new password": new["newPassword"],
        "session": owner.secret,
        "API key": key["key"],
        "random part of the key": key["key"].removeprefix("pk_live_"),
        "token of the upload": document["token"]["token"],
        "token": token["token"],
        "sha256": document["sha256"],
    }
    return {name: text.encode() for name, text in texts.items()} | {
        "payload": MARK,
        "sha256 in bytes": bytes.fromhex(document["sha256"]),
        "sha256 of the password": hashlib.sha256(owner.password.encode()).digest(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("when", ["while it runs", "after a restart", "after a stop"])
def test_nothing_lies_in_the_instance_folder_in_clear(when, sealed_service, secrets_by_name):
    if when == "after a restart":
        sealed_service.restart()
    if when == "after a stop":
        sealed_service.stop()
    files = sealed_service.files()
    for name, secret in secrets_by_name.items():
        found = [path.name for path, stored in files.items() if holds(stored, secret)]
        assert not found, name
    if when == "after a stop":
        sealed_service.start()


def test_nothing_lies_in_the_log_in_clear(sealed_service, secrets_by_name):
    for name, secret in secrets_by_name.items():
        assert secret not in sealed_service.stderr().encode(), name


@pytest.mark.sqlite_only("it is about the database's file")
def test_the_write_ahead_log_is_searched_too(sealed_service, owner):
    owner.upload(MARK)
    assert any(path.name.endswith("-wal") for path in sealed_service.files())
    assert not any(holds(stored, MARK) for stored in sealed_service.files().values())


@pytest.mark.skipif(os.name != "posix", reason="needs file modes")
def test_only_the_owner_may_read_the_files(sealed_service, owner):
    owner.upload()
    assert stat.S_IMODE(sealed_service.instance.stat().st_mode) == 0o700
    for path in sealed_service.instance.rglob("*"):
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected, path.name


# While 20 MiB go in and out


def in_memory(path):
    """Whether a file is in memory: only such files (tmpfs, memfd) can be sealed, fcntl(2)."""
    try:
        with path.open("rb") as file:
            return fcntl.fcntl(file, fcntl.F_GET_SEALS) >= 0
    except OSError:
        return False


def open_files_on_disk(service):
    """Yield the files on a disk that the service and its children have open, even unlinked."""
    for process in [service.process.pid, *children(service.process.pid)]:
        for link in Path(f"/proc/{process}/fd").glob("*"):
            try:
                about = link.stat()
                if stat.S_ISREG(about.st_mode) and not in_memory(link):
                    yield os.readlink(link), link.read_bytes()
            except OSError:
                continue  # closed meanwhile, or not readable


def assert_nothing_in_clear(service):
    for path in service.temporary.rglob("*"):
        assert not path.is_file() or in_memory(path), path.name
    for name, stored in open_files_on_disk(service):
        assert not holds(stored, MARK), name


UPLOADS = {
    "application/json": json.dumps({"contentType": "text/plain", "payload": b64(CONTENT)}).encode(),
    FORM: form_body(file("secret.txt", CONTENT)),
}


@pytest.mark.slow
@linux
@pytest.mark.parametrize("content_type", UPLOADS)
def test_an_upload_of_20_mib_leaves_no_plaintext_on_the_way(content_type, sealed_service, owner):
    body = UPLOADS[content_type]
    headers = {"Content-Type": content_type, "Content-Length": str(len(body))}
    connection = owner.begin("POST", "/v1/documents", headers)
    connection.endheaders()
    for start in range(0, len(body), STEP):
        connection.send(body[start : start + STEP])
        assert_nothing_in_clear(sealed_service)
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["size"]) == (201, len(CONTENT))
    connection.close()
    assert_nothing_in_clear(sealed_service)


@pytest.fixture(scope="module")
def large(owner):
    return owner.upload(CONTENT, "application/x-any", token=None)


@pytest.mark.slow
@linux
@pytest.mark.parametrize("call", ["content", "download", "view"])
def test_a_download_of_20_mib_leaves_no_plaintext_on_the_way(call, sealed_service, owner, large):
    connection = owner.begin("GET", f"/v1/documents/{large['id']}/{call}")
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 200
    while response.read(STEP):
        assert_nothing_in_clear(sealed_service)
    connection.close()

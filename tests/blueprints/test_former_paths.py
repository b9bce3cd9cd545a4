"""Documents whose metadata have a `path` that was stored before paths were judged."""

import io
from zipfile import ZipFile

import pytest

from models import Document, connected
from testing import service_in_process
from tests.in_process import LOGIN

FROM_HERE = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
FORMER = {"path": "/srv/scans", "a": "b"}
UPLOAD = {"payload": "aGVsbG8=", "contentType": "text/plain", "name": "plan.txt", "token": None}


@pytest.fixture
def client(tmp_path):
    with service_in_process(tmp_path, RATE_LIMITS="off") as service:
        service.add_account(LOGIN["email"], LOGIN["password"])
        client = service.client
        token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
        client.set_cookie("session", token)
        client.headers = {"Authorization": f"Bearer {token}"}
        yield client


@pytest.fixture
def path(client):
    id = client.post("/v1/documents", json=UPLOAD, headers=client.headers).json["id"]
    with connected():
        Document.edit(Document.of_id(id).owner_id, id, metadata=FORMER)
    return f"/v1/documents/{id}"


def test_the_document_opens_and_lies_in_no_folder_of_a_zip_file(client, path):
    record = client.get(path, headers=client.headers).json
    assert record["metadata"] == FORMER
    assert client.get(path + "/content", headers=client.headers).data == b"hello"
    made = {"title": "Plans", "documentIds": [record["id"]]}
    collection = client.post("/v1/collections", json=made, headers=client.headers).json["id"]
    saved = client.get(f"/v1/collections/{collection}/content", headers=client.headers)
    assert ZipFile(io.BytesIO(saved.data)).namelist() == ["plan.txt", "SHA256SUMS"]


def test_its_other_values_are_changed_in_the_pages_and_the_path_stays(client, path):
    metadata = "\n".join(f"{name}: {value}" for name, value in FORMER.items())
    form = {"name": "new.txt", "metadata": metadata, "ends": "keep"}
    page = path.replace("/v1", "/app")
    assert client.post(page, data=form, headers=FROM_HERE).status_code == 303
    record = client.get(path, headers=client.headers).json
    assert (record["name"], record["metadata"]) == ("new.txt", FORMER)

    form["metadata"] = metadata.replace("/srv", "/mnt")
    assert client.post(page, data=form, headers=FROM_HERE).status_code == 422

"""A response is stored in the transaction of its request, which begins as late as possible."""

import pytest

from app import create_app
from crypto import passwords
from models import database
from tests.formats import b64
from tests.people import PASSWORD

KEY = {"Idempotency-Key": "any"}
LOGIN = {"email": "alice@example.org", "password": PASSWORD}
LINK = {"password": "a link's own"}
UPLOAD = {"payload": b64(b"x"), "contentType": "a/b", "token": LINK}


@pytest.fixture
def client(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path), "TESTING": True})
    yield app.test_client()
    app.extensions["runtime"].close()


@pytest.mark.parametrize("more", [{}, KEY], ids=["without a key", "with a key"])
def test_no_password_is_hashed_within_a_transaction(client, more, monkeypatch):
    held, hash_password = [], passwords.hash_password

    def watched(*arguments):
        held.append(database.in_transaction())
        return hash_password(*arguments)

    monkeypatch.setattr(passwords, "hash_password", watched)
    assert client.post("/v1/auth/register", json=LOGIN, headers=more).status_code == 201
    token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    more = more | {"Authorization": f"Bearer {token}"}
    uploaded = client.post("/v1/documents", json=UPLOAD, headers=more)
    links = f"/v1/documents/{uploaded.json['id']}/tokens"
    assert client.post(links, json=LINK, headers=more).status_code == 201

    assert held == [False] * 3

"""Every request gets an id, a connection and a caller, in this order, and gives them back."""

import pytest

from app import create_app
from crypto import passwords
from models import ApiKey, User, database
from models.account_deletion import delete_account, finish_deletions
from models.events import current_actor
from tests.people import PASSWORD

LOGIN = {"email": "alice@example.org", "password": PASSWORD}
VIEW = "/v1/documents/doc_1/view"


@pytest.fixture
def client(tmp_path):
    limits = {"MAX_DOCUMENT_BYTES": 1 << 10}
    app = create_app({"INSTANCE_PATH": str(tmp_path), "TESTING": True, **limits})
    yield app.test_client()
    app.extensions["runtime"].close()


def test_the_actor_of_a_request_is_reset_after_it(client):
    before = current_actor.get()
    client.post("/v1/auth/register", json=LOGIN)
    token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]

    answer = client.get("/v1/auth/me", headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == 200
    assert current_actor.get() is before


@pytest.mark.parametrize("path", ["/healthz", "/v1/auth/me", "/nothing", "/v1%2fnothing"])
def test_the_connection_is_released_after_any_response(client, path):
    client.get(path)

    assert database.is_closed()


def test_an_error_of_the_first_hook_has_the_request_id(client):
    answer = client.get("/v1%2fnothing", headers={"X-Request-Id": "mine"})

    assert answer.status_code == 404
    assert answer.headers["X-Request-Id"] == answer.json["requestId"] == "mine"


def test_a_form_is_limited_before_it_is_searched_for_a_token(client):
    form = {"password": "x" * (65 << 10)}

    assert client.post(VIEW, data=form).status_code == 413


def test_too_long_an_upload_is_refused_before_the_password_of_its_link_is_hashed(
    client, monkeypatch
):
    client.post("/v1/auth/register", json=LOGIN)
    token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    body, hashed = {"contentType": "text/plain", "token": {"password": PASSWORD}}, []
    monkeypatch.setattr(passwords, "hash_password", lambda *about: hashed.append(about) or "")
    statuses = [
        client.post(
            "/v1/documents",
            json=body | {"payload": "AAAA" * count},
            headers={"Authorization": f"Bearer {token}"},
        ).status_code
        for count in (400, 4)
    ]

    assert (statuses, len(hashed)) == ([413, 201], 1)


def test_who_stores_something_while_the_account_is_deleted_is_not_logged_in(client, monkeypatch):
    client.post("/v1/auth/register", json=LOGIN)
    token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    issue = ApiKey.issue

    def deleted_beside(owner, *about):
        delete_account(User.find(owner.id))
        finish_deletions()
        return issue(owner, *about)

    monkeypatch.setattr(ApiKey, "issue", deleted_beside)
    answer = client.post(
        "/v1/api-keys",
        json={"name": "a key", "scopes": ["documents:read"]},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert (answer.status_code, answer.json["code"]) == (401, "session_expired")

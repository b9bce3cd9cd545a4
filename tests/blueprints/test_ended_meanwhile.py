"""Requests whose session ends after they were authenticated, as by a logout at the same moment."""

import pytest

from models import Session
from testing import service_in_process
from tests.in_process import LOGIN

FROM_HERE = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}


@pytest.fixture
def client(tmp_path):
    with service_in_process(tmp_path, RATE_LIMITS="off") as service:
        service.add_account(LOGIN["email"], LOGIN["password"])
        yield service.client


@pytest.fixture
def token(client):
    return client.post("/v1/auth/login", json=LOGIN).json["accessToken"]


@pytest.fixture
def space(client, token):
    asked = {"json": {"name": "Team"}, "headers": {"Authorization": f"Bearer {token}"}}
    return client.post("/v1/spaces", **asked).json["id"]


@pytest.fixture
def ended(monkeypatch, token, space):
    """The token of a session that ends as soon as a request was authenticated by it."""
    monkeypatch.setattr(Session, "note_use", lambda self, _moment: self.delete_instance())
    return token


@pytest.mark.parametrize("path", ["/v1/spaces/{}/sessions", "/v1/auth/logout"])
def test_the_api_says_that_the_session_has_ended(path, client, ended, space):
    answer = client.post(path.format(space), headers={"Authorization": f"Bearer {ended}"})
    assert (answer.status_code, answer.json["code"]) == (401, "session_expired")


@pytest.mark.parametrize("path", ["/app/spaces/{}/enter", "/app/logout"])
def test_a_page_leads_to_the_login(path, client, ended, space):
    client.set_cookie("session", ended)
    answer = client.post(path.format(space), headers=FROM_HERE)
    assert answer.status_code == 303
    assert answer.location.startswith("/app/login")

"""Which requests of an upload in pieces count in the rate limit of uploads."""

import pytest

from models import current_runtime
from testing import service_in_process
from tests.people import PASSWORD
from tests.tus import STREAM

SIZE = 200_000


@pytest.fixture
def client(tmp_path):
    with service_in_process(tmp_path) as service:
        login = {"email": "ada@example.org", "password": PASSWORD}
        service.add_account(*login.values())
        token = service.client.post("/v1/auth/login", json=login).json["accessToken"]
        service.client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        yield service.client


@pytest.fixture
def counted(client, monkeypatch):
    found = []
    monkeypatch.setattr(current_runtime().upload_limiter, "spend", found.append)
    return found


def begin(client, **headers):
    return client.post("/v1/uploads", headers={"Upload-Length": str(SIZE)} | headers)


def test_beginnings_and_small_steps_that_are_not_the_last_are_counted(client, counted):
    path = begin(client).headers["Location"].partition("localhost")[2]
    assert len(counted) == 1
    at = 0
    for length, count in ((10, 2), (65_535, 3), (65_536, 3), (SIZE - 131_081 - 5, 3), (5, 3)):
        headers = STREAM | {"Upload-Offset": str(at)}
        answer = client.patch(path, data=bytes(length), headers=headers)
        assert answer.status_code == 204, answer.text
        at += length
        assert len(counted) == count, length
    assert answer.headers["Document-Id"]


def test_a_repeated_beginning_is_not_counted(client, counted):
    for _ in range(3):
        assert begin(client, **{"Idempotency-Key": "once"}).status_code == 201
    assert len(counted) == 1

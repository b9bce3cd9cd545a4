"""Which requests of an upload in pieces count in the rate limit of uploads."""

from dataclasses import replace

import pytest

from models import current_runtime
from models.core import UPLOADS
from models.runtime.rate_limiter import RateLimiter
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


def send(client, path, data, offset):
    headers = STREAM | {"Upload-Offset": str(offset)}
    return client.patch(path, data=data, headers=headers).status_code


def test_who_sends_too_many_small_parts_is_refused_but_not_with_the_last_one(client, monkeypatch):
    limiter = RateLimiter(replace(UPLOADS, count=2))
    monkeypatch.setattr(current_runtime(), "upload_limiter", limiter)
    path = begin(client).headers["Location"].partition("localhost")[2]
    assert [send(client, path, b"a", at) for at in (0, 1)] == [204, 429]
    assert begin(client).status_code == 429
    assert send(client, path, bytes(65_536), 1) == 204
    assert send(client, path, bytes(SIZE - 65_537), 65_537) == 204


def test_by_a_link_six_hundred_beginnings_and_small_parts_an_hour_are_taken(client):
    collection = client.post("/v1/collections", json={"title": "Offers"}).json
    terms = {"permissions": ["upload"]}
    link = client.post(f"/v1/collections/{collection['id']}/tokens", json=terms).json
    del client.environ_base["HTTP_AUTHORIZATION"]
    address = f"/s/uploads?token={link['token']}"
    headers = {"Upload-Length": str(SIZE)}
    path = client.post(address, headers=headers).headers["Location"].partition("localhost")[2]
    for _ in range(598):
        current_runtime().uploads_by_link.spend(link["id"])
    assert [send(client, path, b"a", at) for at in (0, 1)] == [204, 429]
    assert client.post(address, headers=headers).status_code == 429
    assert send(client, path, bytes(SIZE - 1), 1) == 204


def test_a_repeated_beginning_is_not_counted(client, counted):
    for _ in range(3):
        assert begin(client, **{"Idempotency-Key": "once"}).status_code == 201
    assert len(counted) == 1

"""Rate limits: announced in every answer, and far above ordinary use."""

import re

import pytest

from app import create_app
from models import current_runtime
from models.core import By, Limit
from models.runtime.rate_limiter import RateLimiter
from tests.formats import b64
from tests.people import PASSWORD
from tests.problems import refused

UPLOAD = {"payload": b64(b"a document"), "contentType": "text/plain"}


@pytest.fixture
def client(tmp_path):
    """The service inside this process, so that a test can make a limit small."""
    app = create_app({"INSTANCE_PATH": str(tmp_path)})
    runtime = app.extensions["runtime"]
    registrations = Limit("register", "new accounts from this address", 2, 3600, By.NETWORK)
    runtime.registration_limiter = RateLimiter(registrations, clock=lambda: 0.0)
    runtime.upload_limiter = RateLimiter(
        Limit("upload", "uploads", 2, 3600, By.PAYER), clock=lambda: 0.0
    )
    yield Client(app)
    runtime.close()


class Client:
    def __init__(self, app):
        self.app, self.credential = app.test_client(), {}

    def post(self, path, body, address="192.0.2.1", **headers):
        answer = self.app.post(
            path,
            json=body,
            headers=self.credential | headers,
            environ_overrides={"REMOTE_ADDR": address},
        )
        return Answer(answer)

    def register(self, name, **more):
        email = f"{name}@example.org"
        return self.post("/v1/auth/register", {"email": email, "password": PASSWORD}, **more)

    def log_in(self, name):
        body = {"email": f"{name}@example.org", "password": PASSWORD}
        token = self.post("/v1/auth/login", body).json["accessToken"]
        self.credential = {"Authorization": f"Bearer {token}"}


class Answer:
    """An answer with the attributes that `refused` reads."""

    def __init__(self, answer):
        self.status, self.headers, self.json = answer.status_code, answer.headers, answer.json
        self.kind = answer.mimetype


def rate_limit(answer):
    """Return the name of the limit, how many requests are left, and the seconds to wait."""
    name, count, window = re.fullmatch(
        r'"([a-z-]+)";q=(\d+);w=(\d+)', answer.headers["RateLimit-Policy"]
    ).groups()
    again, left, wait = re.fullmatch(
        r'"([a-z-]+)";r=(\d+)(?:;t=(\d+))?', answer.headers["RateLimit"]
    ).groups()
    assert again == name
    assert int(left) <= int(count)
    assert int(window) > 0
    return name, int(left), wait and int(wait)


def rate_limited(answer, name):
    """The answer is a 429 of this limit, and says three times how long to wait."""
    problem = refused(answer, 429, "too_many_requests")
    wait = int(answer.headers["Retry-After"])
    assert rate_limit(answer) == (name, 0, wait)
    assert f"Wait {wait} s" in problem["detail"]
    return problem


def test_registrations_are_limited_by_address(client):
    assert rate_limit(client.register("one"))[:2] == ("register", 1)
    assert rate_limit(client.register("two"))[:2] == ("register", 0)
    rate_limited(client.register("three"), "register")
    assert client.register("three", address="192.0.2.2").status == 201


def test_an_invalid_registration_does_not_count(client):
    for _ in range(5):
        assert client.post("/v1/auth/register", {"email": "x"}).status == 422
    assert client.register("one").status == 201


@pytest.mark.slow
def test_uploads_are_limited_by_user(client):
    for name in ("one", "two"):
        client.register(name)
        client.log_in(name)
        assert rate_limit(client.post("/v1/documents", UPLOAD)) == ("upload", 1, None)
        assert rate_limit(client.post("/v1/documents", UPLOAD)) == ("upload", 0, 1800)
        rate_limited(client.post("/v1/documents", UPLOAD, address="192.0.2.9"), "upload")


def test_a_refused_upload_may_be_repeated_with_the_same_key(client):
    client.register("one")
    client.log_in("one")
    moment = [100.0]
    limit = Limit("upload", "uploads", 1, 60, By.PAYER)
    current_runtime().upload_limiter = RateLimiter(limit, clock=lambda: moment[0])
    assert client.post("/v1/documents", UPLOAD).status == 201
    rate_limited(client.post("/v1/documents", UPLOAD, **{"Idempotency-Key": "a"}), "upload")
    moment[0] += 60

    assert client.post("/v1/documents", UPLOAD, **{"Idempotency-Key": "a"}).status == 201


def test_a_refused_login_names_the_limit(client):
    client.register("one")
    body = {"email": "one@example.org", "password": "wrong"}
    answers = [client.post("/v1/auth/login", body) for _ in range(11)]
    assert [one.status for one in answers] == [401] * 10 + [429]
    rate_limited(answers[-1], "login")
    body["password"] = PASSWORD
    assert client.post("/v1/auth/login", body, address="192.0.2.2").status == 200
    assert client.post("/v1/auth/login", body).status == 429


def test_requests_for_codes_are_limited_by_network_whatever_the_address_in_them(client):
    limit = Limit("code", "requests for a code from this address", 2, 3600, By.NETWORK)
    current_runtime().code_limiter = RateLimiter(limit, clock=lambda: 0.0)
    client.register("ana")
    client.log_in("ana")
    document = client.post("/v1/documents", UPLOAD).json
    client.credential = {}

    def ask(path, number, network="192.0.2.1"):
        headers = {"Authorization": f"Bearer {document['token']['token']}"}
        return client.post(path, {"email": f"{number}@example.org"}, network, **headers)

    document_path = f"/v1/documents/{document['id']}/codes"
    for number, path in enumerate(("/s/codes", document_path)):
        refused(ask(path, number), 404, "not_found")  # this link asks for no code
    for path in ("/s/codes", document_path):
        answer = ask(path, 3)
        refused(answer, 429, "too_many_requests")
        assert answer.headers["RateLimit-Policy"] == '"code";q=2;w=3600'
    refused(ask("/s/codes", 3, "198.51.100.7"), 404, "not_found")


def test_the_usual_limits_leave_room_for_a_day_of_work(start_service):
    person = start_service().register()
    answer = person.post("/v1/documents", json=UPLOAD)
    assert rate_limit(answer)[1] >= 50_000
    assert "RateLimit" not in person.get("/v1/documents").headers


def test_no_limit_is_announced_when_limits_are_off(alice):
    assert "RateLimit" not in alice.post("/v1/documents", json=UPLOAD).headers

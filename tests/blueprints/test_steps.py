"""A route whose body comes in steps is called for each, and is one request for log and limits."""

from unittest.mock import patch

import pytest
from flask import request

from app import create_app
from blueprints.http import NOBODY, ApiBlueprint, access_log
from blueprints.http.routing import stepped_requests
from blueprints.http.serving import step_of
from server import Step

LONG = 100_000  # more than the body of another route may have


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    app = create_app({"INSTANCE_PATH": str(tmp_path_factory.mktemp("app")), "TESTING": True})
    blueprint = ApiBlueprint("stepped", __name__, url_prefix="/v1/stepped")

    def stored(**_path):
        step = step_of(request)
        return {"length": len(request.get_data()), "start": step.start if step else None}

    blueprint.post("", accepts=[NOBODY], stepped=True)(stored)
    stored.__name__ = "more"
    blueprint.patch("/<id>/parts", accepts=[NOBODY], stepped=True)(stored)
    app.register_blueprint(blueprint)
    yield app
    app.extensions["runtime"].close()


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def lines(capsys):
    """Returns the lines of the access log, each as method, route and status."""

    def read():
        return [tuple(line.split()[1:5]) for line in capsys.readouterr().err.splitlines()]

    with patch.object(access_log, "_form", "text"):
        yield read


def send(client, step, **headers):
    given = {"server.step": step}
    body = bytes(step.length)
    return client.patch("/v1/stepped/1/parts", data=body, environ_overrides=given, headers=headers)


def test_the_server_asks_by_method_and_path_whether_a_body_is_served_in_steps(app):
    is_stepped = stepped_requests(app)
    assert is_stepped("POST", "/v1/stepped")
    assert is_stepped("PATCH", "/v1/stepped/upl_1/parts")
    others = ["GET /v1/stepped", "POST /v1/stepped/", "PATCH /v1/stepped/1/2/parts"]
    others += ["PATCH /v1/stepped//parts", "PATCH /v1/stepped", "PUT /v1/stepped", "DELETE /x"]
    assert not any(is_stepped(*other.split()) for other in others)
    assert not is_stepped("POST", "/v1/documents")


def test_a_body_in_steps_may_be_longer_than_others(client):
    assert client.patch("/v1/stepped/1/parts", data=bytes(LONG)).json["length"] == LONG
    assert client.post("/v1/auth/login", json={"email": "a" * LONG}).status_code == 413


def test_all_steps_of_a_body_have_one_line_in_the_log_and_one_request_id(client, lines):
    shared = {}
    spans = [(0, False), (LONG, False), (2 * LONG, True)]
    steps = [Step(start, LONG, 3 * LONG, is_last, shared=shared) for start, is_last in spans]
    answers = [send(client, step) for step in steps]
    assert [answer.json["start"] for answer in answers] == [0, LONG, 2 * LONG]
    [id] = {answer.headers["X-Request-Id"] for answer in answers}
    assert lines() == [(id, "PATCH", "/v1/stepped/<id>/parts", "200")]


def test_the_line_has_the_time_of_all_steps(client):
    shared = {"seconds": 1000}
    with patch("blueprints.hooks.log_access") as log:
        send(client, Step(LONG, 1, LONG + 1, is_last=True, shared=shared))
    assert 1000 < log.call_args.args[0].seconds < 1100


def test_the_time_until_a_step_is_kept_for_the_next_one(client):
    shared = {}
    send(client, Step(0, LONG, None, shared=shared))
    seconds = shared["seconds"]
    send(client, Step(LONG, LONG, None, shared=shared))
    assert 0 < seconds < shared["seconds"]


def test_the_end_of_a_cut_body_is_logged_too(client, lines):
    shared = {}
    send(client, Step(0, LONG, None, shared=shared), **{"X-Request-Id": "mine"})
    assert lines() == []
    send(client, Step(LONG, 5, None, is_cut=True, shared=shared))
    assert lines() == [("mine", "PATCH", "/v1/stepped/<id>/parts", "200")]


def test_a_refusal_within_a_body_is_logged(client, lines):
    refused = Step(0, 5, None)
    answer = client.patch("/v1/nothing", data=b"12345", environ_overrides={"server.step": refused})
    assert answer.status_code == 404
    assert [line[3] for line in lines()] == ["404"]


def test_a_body_whose_place_others_wait_for_ends_after_the_step_and_its_client_goes_on(
    client, lines
):
    answer = send(client, Step(0, LONG, None, gives_way=True))
    assert (answer.status_code, answer.json["code"]) == (503, "busy")
    assert answer.headers["Retry-After"] == "1"
    assert [line[3] for line in lines()] == ["503"]

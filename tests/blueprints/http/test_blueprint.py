"""What decorators declare takes effect in one order, whichever order they stand in."""

from itertools import permutations

import pytest
from marshmallow import Schema, fields

from app import create_app
from blueprints.http import NOBODY, ApiBlueprint

JSON = {"Content-Type": "application/json"}


class Named(Schema):
    name = fields.String(required=True)


def handler(blueprint, path, order, counted):
    """A handler at `path` with its decorators in this order; `counted` lists its requests."""
    decorators = [
        blueprint.arguments(Named()),
        blueprint.response(201, Named),
    ]

    def view(body):
        return body

    view.__name__ = f"view_{path}"
    for place in order:
        view = decorators[place](view)
    declared = {"accepts": [NOBODY], "idempotent": True, "spend": lambda: counted.append(path)}
    blueprint.post(f"/{path}", **declared)(view)


ORDERS = list(permutations(range(2)))


@pytest.fixture(scope="module")
def counted():
    return []


@pytest.fixture(scope="module")
def client(counted, tmp_path_factory):
    app = create_app({"INSTANCE_PATH": str(tmp_path_factory.mktemp("app")), "TESTING": True})
    blueprint = ApiBlueprint("orders", __name__)
    for path, order in enumerate(ORDERS):
        handler(blueprint, path, order, counted)
    app.register_blueprint(blueprint)
    yield app.test_client()
    app.extensions["runtime"].close()


def test_a_request_is_counted_before_its_body_is_read_and_a_replayed_response_is_not(
    client, counted
):
    for path in range(len(ORDERS)):
        counted.clear()
        key = {"Idempotency-Key": "once"}
        answers = [client.post(f"/{path}", json={"name": "x"}, headers=key) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 201]
        assert [answer.headers.get("Idempotency-Replayed") for answer in answers] == [None, "true"]
        assert answers[0].json == answers[1].json == {"name": "x"}
        assert counted == [path]

        assert client.post(f"/{path}", data=b"{", headers=JSON).status_code == 400
        assert counted == [path, path]

"""The service's OpenAPI description."""

import importlib
import json
import re

import pytest

from tests.contract.routes import KEY, ROUTES, SESSION, TOKEN

V1 = [route for route in ROUTES if route.path.startswith("/v1")]
CREATING = {
    *("POST /v1/auth/register", "POST /v1/api-keys", "POST /v1/api-keys/<key>/rotate"),
    *("POST /v1/documents", "POST /v1/documents/<document>/tokens"),
}
LIMITED = {"POST /v1/auth/register", "POST /v1/documents"}


@pytest.fixture(scope="module")
def description(service):
    return service.description


def operation(description, route):
    """What the description says of a route, whatever it calls the parameters."""
    return description.operation(route.method, route.at())


@pytest.mark.slow
def test_the_description_is_valid_openapi_3_1(description):
    validator = importlib.import_module("openapi_spec_validator")  # which takes its time
    assert description.document["openapi"].startswith("3.1.")
    validator.OpenAPIV31SpecValidator(description.document).validate()


def test_operation_ids_are_unique(description):
    names = [
        operation["operationId"]
        for item in description.document["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict)
    ]
    assert len(names) == len(set(names)) >= len(ROUTES)
    assert [name for name in names if not re.fullmatch(r"[A-Za-z][\w.-]*", name)] == []


def test_the_security_of_every_route_is_described(description):
    schemes = description.document["components"]["securitySchemes"]
    for route in V1:
        security = operation(description, route).get(
            "security", description.document.get("security", [])
        )
        forms = {
            (schemes[name]["type"], schemes[name].get("in")) for one in security for name in one
        }
        if not route.callers:
            assert security == [] or {} in security, route
            continue
        assert {} not in security, route
        assert (("http", None) in forms) == (SESSION in route.callers), route
        assert (("apiKey", "header") in forms) == (KEY in route.callers), route
        assert (("apiKey", "query") in forms) == (TOKEN in route.callers), route


def test_every_expected_status_of_a_route_is_described(description):
    for route in V1:
        expected = {400, 401, 500}  # ambiguous credentials, a bad one, a fault of ours
        expected |= {403} if route.callers else set()
        expected |= {404} if "<" in route.path else set()
        expected |= {413, 415, 422} if route.body is not None else set()
        expected |= {410} if TOKEN in route.callers else set()
        is_zip = route.path.startswith("/v1/collections")  # which has no ranges
        expected |= {206, 304, 416} if route.path.endswith("/content") and not is_zip else set()
        expected |= {429} if route.path.endswith(("/login", "/password")) else set()
        expected |= {429} if str(route) in LIMITED else set()
        expected |= {409, 422} if str(route) in CREATING else set()
        expected |= {507} if route.method != "GET" else set()
        responses = operation(description, route)["responses"]
        assert expected - {int(status) for status in responses} == set(), route


def test_idempotency_key_is_described_on_every_post_that_creates(description):
    for route in V1:
        if str(route) in CREATING:
            assert "Idempotency-Key" in json.dumps(operation(description, route)), route

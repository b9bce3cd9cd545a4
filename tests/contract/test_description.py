"""The service's OpenAPI description."""

import importlib
import json
import re
from urllib.parse import urlencode

import pytest

from blueprints.http.problems import STATUS
from tests.contract.routes import KEY, ROUTES, SESSION, TOKEN
from tests.problems import refused_query

V1 = [route for route in ROUTES if route.path.startswith("/v1")]
CREATING = {
    "POST /v1/auth/register",
    "POST /v1/api-keys",
    "POST /v1/api-keys/<key>/rotate",
    "POST /v1/documents",
    "POST /v1/documents/<document>/tokens",
}


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


def operations(description):
    for path, of_path in description.document["paths"].items():
        for method, operation in of_path.items():
            if method in {"get", "post", "patch", "put", "delete"}:
                yield method.upper(), path, operation


def test_every_operation_says_what_it_does_in_more_than_a_title(description):
    found = list(operations(description))
    assert len(found) > 80
    for method, path, operation in found:
        assert operation["summary"], (method, path)
        assert operation["description"], (method, path)


def test_a_value_that_a_parameter_does_not_list_is_refused(description, alice, anonymous, document):
    """Each parameter of a query with an `enum`."""
    by_link = f"&token={document['token']['token']}"
    found = 0
    for method, path, operation in operations(description):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and "enum" in parameter["schema"]:
                at = path.replace("{id}", document["id"])
                asked = f"{at}?url=x&{parameter['name']}=AAA"
                if path == "/s":
                    answer = anonymous.request(method, asked + by_link)
                else:
                    answer = alice.request(method, asked)
                refused_query(answer, (path, parameter["name"]))
                found += 1
    assert found >= 7


NO_DIGITS = [
    "+2",
    " 2",
    "2 ",
    "2\n",
    "1_0",
    "0x2",
    "2.0",
    "２",
    "٢",
    "-0_2",
    "--2",
    "−2",
    "2" * 5000,
]


def test_a_number_in_a_query_is_written_in_ascii_digits_alone(description, alice, document):
    found = set()
    for method, path, operation in operations(description):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and parameter["schema"].get("type") == "integer":
                at = path.replace("{id}", document["id"]).replace("{number}", "1")
                others = {"url": "x"} if path == "/oembed" else {}
                for value in NO_DIGITS:
                    query = urlencode({parameter["name"]: value} | others)
                    answer = alice.request(method, f"{at}?{query}")
                    refused_query(answer, (path, parameter["name"], value))
                    assert "Use a whole number." in answer.text, (path, value)
                found.add((method, path, parameter["name"]))
    names = [name for *_, name in found]
    assert {"limit", "cursor", "scale", "maxwidth", "maxheight"} <= set(names)
    assert names.count("limit") >= 10


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


def test_errors_are_described_once_by_the_class_of_their_status(description):
    for route in V1:
        responses = operation(description, route)["responses"]
        assert not [one for one in responses if one.isdigit() and int(one) >= 400], route
        page = "OrPage" if TOKEN in route.callers else ""
        assert responses["4XX"] == {"$ref": f"#/components/responses/ClientError{page}"}, route
        assert responses["5XX"] == {"$ref": f"#/components/responses/ServerError{page}"}, route


def test_every_code_is_described_with_its_status(description):
    components = description.document["components"]["responses"]
    texts = (components[name]["description"] for name in ("ClientError", "ServerError"))
    row = re.compile(r"^- (\d+) `(\w+)`: .", re.M)
    listed = {(code, int(status)) for text in texts for status, code in row.findall(text)}
    # those at /app, which the description leaves out
    of_pages = {("origin_not_allowed", 403), ("owner_changed", 409)}
    assert listed == set(STATUS.items()) - of_pages


def test_a_change_has_no_defaults(description):
    """Generated clients would send them: what is absent stays as it is."""
    schemas = description.document["components"]["schemas"]
    changes = [name for name in schemas if name.endswith("Edit")]
    assert {"CollectionEdit", "LinkEdit", "WebhookEdit"} <= set(changes)
    for name in changes:
        fields = schemas[name]["properties"]
        assert [field for field in fields if "default" in fields[field]] == [], name


def test_every_success_of_content_is_described(description):
    for route in V1:
        is_zip = route.path.startswith("/v1/collections")  # which has no ranges
        if route.path.endswith("/content") and not is_zip:
            responses = operation(description, route)["responses"]
            assert {"200", "206", "304"} <= responses.keys(), route


def test_idempotency_key_is_described_on_every_post_that_creates(description):
    for route in V1:
        if str(route) in CREATING:
            assert "Idempotency-Key" in json.dumps(operation(description, route)), route

"""Health, the API's description, and the pages for people."""

import json
import re
from html.parser import HTMLParser

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.contract.routes import KEY, ROUTES, SESSION, TOKEN
from tests.people import DidNotStart, Person

V1 = [route for route in ROUTES if route.path.startswith("/v1")]
PAGES = ["/", "/docs"]
CREATING = {
    *("POST /v1/auth/register", "POST /v1/api-keys", "POST /v1/api-keys/<key>/rotate"),
    *("POST /v1/documents", "POST /v1/documents/<document>/tokens"),
}
LIMITED = {"POST /v1/auth/register", "POST /v1/documents"}


@pytest.fixture(scope="module")
def description(service):
    return Person(service).get("/openapi.json").json


# Health


def test_healthz_is_200_while_the_process_lives(anyone):
    assert anyone.get("/healthz").status == 200


def test_readyz_is_200_when_database_and_keys_answer(anyone):
    assert anyone.get("/readyz").status == 200


# OpenAPI


def operation(description, route):
    """What the description says of a route, whatever it calls the parameters."""
    form = re.sub(r"<\w+>", "{}", route.path)
    for path, item in description["paths"].items():
        if re.sub(r"\{\w+\}", "{}", path) == form:
            return item.get(route.method.lower())
    return None


def test_the_description_is_valid_openapi_3_1(description):
    assert description["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(description).validate()


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_every_route_is_described_with_a_summary_and_an_id(route, description):
    told = operation(description, route)
    assert told["summary"]
    assert re.fullmatch(r"[A-Za-z][\w.-]*", told["operationId"])
    assert told["tags"]


def test_operation_ids_are_unique(description):
    names = [
        told["operationId"]
        for item in description["paths"].values()
        for told in item.values()
        if isinstance(told, dict)
    ]
    assert len(names) == len(set(names)) >= len(ROUTES)


@pytest.mark.parametrize("route", V1, ids=str)
def test_the_security_of_every_route_is_described(route, description):
    security = operation(description, route).get("security", description.get("security", []))
    schemes = description["components"]["securitySchemes"]
    forms = {(schemes[name]["type"], schemes[name].get("in")) for one in security for name in one}
    if not route.callers:
        assert security == [] or {} in security
        return
    assert {} not in security
    assert (("http", None) in forms) == (SESSION in route.callers)
    assert (("apiKey", "header") in forms) == (KEY in route.callers)
    assert (("apiKey", "query") in forms) == (TOKEN in route.callers)


@pytest.mark.parametrize("route", V1, ids=str)
def test_every_status_that_can_come_is_described(route, description):
    expected = {400, 401, 500}  # ambiguous credentials, a bad one, a fault of ours
    expected |= {403} if route.callers else set()
    expected |= {404} if "<" in route.path else set()
    expected |= {413, 415, 422} if route.body is not None else set()
    expected |= {410} if TOKEN in route.callers else set()
    expected |= {206, 304, 416} if route.path.endswith("/content") else set()
    expected |= {429} if route.path.endswith(("/login", "/password")) else set()
    expected |= {429} if str(route) in LIMITED else set()
    expected |= {409, 422} if str(route) in CREATING else set()
    expected |= {507} if str(route) == "POST /v1/documents" else set()
    responses = operation(description, route)["responses"]
    assert expected - {int(status) for status in responses} == set()


@pytest.mark.parametrize("route", [r for r in V1 if str(r) in CREATING], ids=str)
def test_idempotency_key_is_described_on_every_post_that_creates(route, description):
    assert "Idempotency-Key" in json.dumps(operation(description, route))


def seen(service):
    """The answers of this test run, each with its route."""
    for (method, path, status), answer in service.seen.items():
        for route in ROUTES:
            form = re.sub(r"<\w+>", "[^/]+", route.path)
            if route.method == method and re.fullmatch(form, path):
                yield route, status, answer


def test_all_answers_seen_are_described(service, description):
    missing = {
        f"{route} -> {status}"
        for route, status, _ in seen(service)
        if str(status) not in operation(description, route)["responses"]
        if status != 431  # the server's own, before there is a route
    }
    assert not missing


def test_all_answers_seen_have_their_described_form(service, description):
    registry = Registry().with_resource(
        "urn:api", Resource(contents=description, specification=DRAFT202012)
    )
    wrong = []
    for route, status, answer in seen(service):
        told = operation(description, route)["responses"].get(str(status))
        if told and answer.kind.endswith("json") and not route.path.endswith("/content"):
            schema = resolved(told, description)["content"][answer.kind]["schema"]
            judge = Draft202012Validator(rebase(schema), registry=registry)
            wrong += [f"{route} -> {status}: {e.message}" for e in judge.iter_errors(answer.json)]
    assert not wrong


def resolved(told, description):
    """A response, wherever it is written."""
    if "$ref" in told:
        return description["components"]["responses"][told["$ref"].rpartition("/")[2]]
    return told


def rebase(schema):
    """A schema whose references lead into the description."""
    if isinstance(schema, dict):
        return {
            name: f"urn:api{value}" if name == "$ref" else rebase(value)
            for name, value in schema.items()
        }
    return [rebase(one) for one in schema] if isinstance(schema, list) else schema


# Pages


class References(HTMLParser):
    """Whatever a page would load or lead to."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.ids, self.links, self.handlers = [], set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value)
            elif name in {"src", "href", "srcset", "data", "action", "poster"}:
                self.loaded.append(value)
            elif name.startswith("on") or name == "style":
                self.handlers.append((tag, name))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_html_under_a_strict_policy(path, anyone):
    answer = anyone.get(path)
    assert (answer.status, answer.kind) == (200, "text/html")
    assert answer.policy["default-src"] == ["'none'"]
    for sources in answer.policy.values():
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:"} & set(sources)
    assert answer.policy["frame-ancestors"] in (["'none'"], ["'self'"])
    assert answer.policy["base-uri"] == ["'none'"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_nothing_from_outside(path, anyone):
    page = References(anyone.get(path).text)
    for address in page.loaded:
        assert address.startswith(("data:", "#")) or re.match(r"/[^/]", address), address
        if address.startswith("/"):
            assert anyone.get(address).status == 200
    assert page.handlers == []
    assert not re.search(r"@import|url\(\s*['\"]?(https?:)?//", anyone.get(path).text)


@pytest.mark.parametrize("path", PAGES)
def test_the_links_of_a_page_lead_somewhere(path, anyone):
    page = References(anyone.get(path).text)
    for link in page.links:
        target, _, name = link.partition("#")
        if target.startswith("/"):
            assert anyone.get(target).status == 200
        if name and target in {"", path}:
            assert name in page.ids


def test_docs_show_every_route(anyone):
    text = re.sub(
        r"<[^>]+>", "", anyone.get("/docs").text.replace("&lt;", "{").replace("&gt;", "}")
    )
    for route in V1:
        assert re.sub(r"<\w+>.*", "", route.path) in text
        assert route.method in text


def test_the_front_page_leads_to_a_first_upload(anyone):
    text = anyone.get("/").text
    for step in ("/auth/register", "/auth/login", "/documents", "viewUrl", "/docs"):
        assert step in text


def test_a_person_who_asks_for_html_gets_an_error_that_can_be_read(anyone):
    answer = anyone.get("/v1/nothing", headers={"Accept": "text/html"})
    assert answer.status == 404
    assert answer.kind in {"application/problem+json", "text/html"}


def test_the_log_has_one_line_a_request_and_no_query_string(service, anyone):
    anyone.get("/v1/nothing?colour=ultramarine", headers={"X-Request-Id": "in-the-log"})
    (line,) = [line for line in service.stderr().splitlines() if "in-the-log" in line]
    assert "404" in line
    assert "ultramarine" not in service.stderr()


def test_all_answers_seen_were_no_faults(service):
    assert "Traceback" not in service.stderr()


# Settings


@pytest.mark.parametrize(
    ("name", "value"), {"LISTEN": "nowhere", "SESSION_SECONDS": "-1", "REGISTRATION": "x"}.items()
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(name, value, start_service):
    with pytest.raises(DidNotStart, match=name) as stop:
        start_service(**{name: value})
    assert stop.value.code != 0
    assert "Traceback" not in str(stop.value)


def test_two_keyrings_stop_the_start_with_a_sentence(start_service):
    with pytest.raises(DidNotStart, match="KEYRING_FILE and KEYRING_COMMAND name two keyrings"):
        start_service(KEYRING_FILE="/nowhere", KEYRING_COMMAND="false")

"""Paths, methods, and what is not found."""

import pytest

from tests.contract.routes import GETS, GUARDED, OF_OWNER, ROUTES, who_may
from tests.problems import refused


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/", "/v1/nothing", "/v2/documents", "//"])
def test_an_unknown_path_is_404(path, anonymous, alice):
    refused(anonymous.get(path), 404, "not_found")
    refused(alice.post(path, json={}), 404, "not_found")


@pytest.mark.parametrize("route", [r for r in ROUTES if r.path != "/"], ids=str)
def test_a_trailing_slash_is_404(route, alice):
    refused(alice.request(route.method, route.at() + "/"), 404, "not_found")


@pytest.mark.parametrize("path", ["//v1/documents", "/v1//documents", "/V1/documents"])
def test_another_spelling_of_a_path_is_404_and_no_redirect(path, alice):
    refused(alice.get(path), 404, "not_found")


def methods_of(path):
    """What a path answers; the POST that opens a link with a password is not described here."""
    methods = {route.method for route in ROUTES if route.path == path}
    methods |= {"HEAD"} if "GET" in methods else set()
    return methods | ({"POST"} if path.endswith(("/view", "/download", "/s")) else set())


METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
OTHERS = [
    (method, route)
    for route in {route.path: route for route in ROUTES}.values()
    for method in METHODS
    if method not in methods_of(route.path)
]


@pytest.mark.parametrize(("method", "route"), OTHERS, ids=lambda value: str(value).split()[-1])
def test_another_method_is_405_with_allow(method, route, anonymous):
    answer = anonymous.request(method, route.at())
    assert answer.status == 405
    assert answer.kind == "application/problem+json"
    allowed = {name.strip() for name in answer.headers["Allow"].split(",")}
    assert allowed | {"POST"} == methods_of(route.path) | {"POST"}
    assert method not in allowed


@pytest.fixture(scope="module")
def known(alice, document, webhook):
    """Ids of Alice's, by what they are of."""
    ids = {"document": document["id"], "webhook": webhook["id"]}
    collection = alice.collect(document)
    ids |= {"collection": collection["id"], "link": alice.share(collection)["id"]}
    return ids | {"token": document["token"]["id"]}


@pytest.mark.parametrize("route", GETS, ids=str)
def test_head_has_the_status_and_headers_of_get(route, alice, anonymous, document, known):
    caller = who_may(route, alice, anonymous, document)
    path = route.at(**known)
    got, head = caller.get(path), caller.head(path)
    assert (head.status, head.body) == (200, b"")
    for name in ("Content-Type", "Content-Disposition", "ETag", "Cache-Control"):
        assert head.headers[name] == got.headers[name]


def test_head_of_an_unknown_document_is_404_without_a_body(alice):
    answer = alice.head("/v1/documents/doc_nothing")
    assert (answer.status, answer.body) == (404, b"")


@pytest.mark.parametrize("route", OF_OWNER, ids=str)
def test_an_unknown_id_is_404(route, alice):
    if "<" in route.path:
        for name in ("nothing", "doc_" + "0" * 26, "%00", "..%2f..%2fetc", "é".encode().hex()):
            answer = route.call(alice, document=name, token=name, collection=name)
            refused(answer, 404, "not_found")


@pytest.mark.parametrize("route", GUARDED, ids=str)
def test_an_unknown_query_parameter_causes_no_internal_error(route, alice, document, known):
    person = who_may(route, alice, None, document)
    if route.method == "GET":
        answer = route.call(person, query="?colour=red", **known)
        assert answer.status in (200, 422)

"""Paths, methods, and what is not found."""

import pytest

from tests.contract.routes import GETS, GUARDED, OF_OWNER, ROUTES, who_may
from tests.problems import refused


def test_an_unknown_path_is_404(anonymous, alice):
    for path in ("/nothing", "/v1", "/v1/", "/v1/nothing", "/v2/documents", "//"):
        refused(anonymous.get(path), 404, "not_found", path)
        refused(alice.post(path, json={}), 404, "not_found", path)


def test_a_trailing_slash_is_404(alice):
    for route in ROUTES:
        if route.path != "/":
            answer = alice.request(route.method, route.at() + "/")
            refused(answer, 404, "not_found", route)


def test_another_spelling_of_a_path_is_404_and_no_redirect(alice):
    for path in ("//v1/documents", "/v1//documents", "/V1/documents"):
        refused(alice.get(path), 404, "not_found", path)


def test_a_host_that_none_can_have_is_400(anonymous):
    """RFC 1035, 2.3.4: a part of a name has at most 63 characters."""
    assert anonymous.exchange("GET", f"http://{'a' * 63}.example/healthz").status == 200
    refused(anonymous.exchange("GET", f"http://{'a' * 64}.example/healthz"), 400, "bad_request")


def methods_of(path):
    """What a path answers; not described here is the POST that opens a link with a password, or
    begins an upload in pieces, whose abilities OPTIONS says.
    """
    methods = {route.method for route in ROUTES if route.path == path}
    methods |= {"HEAD"} if "GET" in methods else set()
    if path.endswith("/uploads"):
        methods |= {"POST", "OPTIONS"}
    return methods | ({"POST"} if path.endswith(("/view", "/download", "/s")) else set())


METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"]


@pytest.mark.parametrize("method", METHODS)
def test_another_method_is_405_with_allow(method, anonymous):
    for route in {route.path: route for route in ROUTES}.values():
        if method not in methods_of(route.path):
            answer = anonymous.request(method, route.at())
            assert answer.status == 405, route
            assert answer.kind == "application/problem+json"
            allowed = {name.strip() for name in answer.headers["Allow"].split(",")}
            assert allowed | {"POST"} == methods_of(route.path) | {"POST"}, route
            assert method not in allowed, route


@pytest.fixture(scope="module")
def known(alice, document, webhook):
    """Ids of Alice's, by what they are of."""
    ids = {"document": document["id"], "webhook": webhook["id"]}
    collection = alice.collect(document)
    ids |= {"collection": collection["id"], "link": alice.share(collection)["id"]}
    return ids | {"token": document["token"]["id"]}


def test_head_has_the_status_and_headers_of_get(alice, anonymous, document, known):
    for route in GETS:
        caller = who_may(route, alice, anonymous, document)
        path = route.at(**known)
        got, head = caller.get(path), caller.head(path)
        assert (head.status, head.body) == (200, b""), route
        for name in ("Content-Type", "Content-Disposition", "ETag", "Cache-Control"):
            assert head.headers[name] == got.headers[name], route


def test_head_of_an_unknown_document_is_404_without_a_body(alice):
    answer = alice.head("/v1/documents/doc_nothing")
    assert (answer.status, answer.body) == (404, b"")


def test_an_unknown_id_is_404(alice):
    for route in OF_OWNER:
        if "<" in route.path:
            for name in ("nothing", "doc_" + "0" * 26, "%00", "..%2f..%2fetc", "é".encode().hex()):
                answer = route.call(alice, document=name, token=name, collection=name)
                refused(answer, 404, "not_found", (route, name))


def test_an_unknown_query_parameter_causes_no_internal_error(alice, document, known):
    for route in GUARDED:
        if route.method == "GET":
            person = who_may(route, alice, None, document)
            answer = route.call(person, query="?colour=red", **known)
            assert answer.status in (200, 422), route

"""Assertions on answers that are problems (RFC 9457)."""

from tests.people import at


def refused(answer, status, code, case=""):
    """Assert that the answer is a problem with this status and code, and return it.

    A failure names the `case`, where a test tries several.
    """
    assert answer.status == status, (case, answer)
    assert answer.kind == "application/problem+json", (case, answer)
    problem = answer.json
    assert {"type", "title", "status", "detail", "code", "requestId"} <= problem.keys(), problem
    assert (problem["status"], problem["code"]) == (status, code), (case, answer)
    assert problem["requestId"] == answer.headers["X-Request-Id"]
    if status == 401:
        assert answer.headers["WWW-Authenticate"]
    return problem


def refused_field(answer, pointer, case=""):
    """Assert that the answer is a 422 for this field of the body, and return its detail."""
    errors = refused(answer, 422, "invalid_request", case)["errors"]
    assert pointer in [error.get("pointer") for error in errors], (case, answer)
    assert all(error["detail"] for error in errors)
    return next(error["detail"] for error in errors if error.get("pointer") == pointer)


def refused_query(answer, case=""):
    """Assert that the answer is a 422 for a parameter of the query."""
    errors = refused(answer, 422, "invalid_request", case)["errors"]
    assert errors, (case, answer)
    assert all(error["in"] == "query" for error in errors), (case, answer)


def assert_not_found(person, document):
    """Assert that no request finds anything of this document."""
    for path in ("", "/view", "/download", "/content", "/tokens"):
        refused(person.get(at(document, path)), 404, "not_found")
    refused(person.patch(at(document), json={"name": "x"}), 404, "not_found")
    refused(person.post(at(document, "/tokens"), json={}), 404, "not_found")
    refused(person.delete(at(document)), 404, "not_found")
    assert document["id"] not in person.get("/v1/documents").text

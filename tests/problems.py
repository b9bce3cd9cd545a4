"""Assertions on answers that are problems (RFC 9457)."""


def refused(answer, status, code):
    """Assert that the answer is a problem with this status and code, and return it."""
    assert answer.status == status, answer
    assert answer.kind == "application/problem+json", answer
    problem = answer.json
    assert {"type", "title", "status", "detail", "code", "requestId"} <= problem.keys(), problem
    assert (problem["status"], problem["code"]) == (status, code), answer
    assert problem["requestId"] == answer.headers["X-Request-Id"]
    if status == 401:
        assert answer.headers["WWW-Authenticate"]
    return problem


def refused_field(answer, pointer):
    """Assert that the answer is a 422 for this field of the body, and return its detail."""
    errors = refused(answer, 422, "invalid_request")["errors"]
    assert pointer in [error.get("pointer") for error in errors], answer
    assert all(error["detail"] for error in errors)
    return next(error["detail"] for error in errors if error.get("pointer") == pointer)


def refused_query(answer):
    """Assert that the answer is a 422 for a parameter of the query."""
    errors = refused(answer, 422, "invalid_request")["errors"]
    assert errors, answer
    assert all(error["in"] == "query" for error in errors), answer

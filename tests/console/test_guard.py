"""Forms of other sites: refused, before anything is done."""

import pytest

from tests.console.visitor import Visitor
from tests.people import PASSWORD

OTHERS = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "{own}"},
    {},
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "{own}.evil.example"},
    {"Origin": "https://127.0.0.1"},
    {"Origin": "://"},
]
OURS = [
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "{own}"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
]


def headers(given, service):
    return {name: value.replace("{own}", service.url) for name, value in given.items()}


@pytest.mark.parametrize("given", OTHERS, ids=str)
def test_a_form_of_another_site_is_refused(given, member):
    for path in ("/app/account", "/app/login", "/app/signup", "/app/logout"):
        answer = member.post(path, {"name": "Mallory"}, headers(given, member.service))
        assert (answer.status, answer.kind) == (403, "text/html")
        assert "another site" in answer.text
    assert "Mallory" not in member.get("/app/account").text


@pytest.mark.parametrize("given", OURS, ids=str)
def test_a_form_of_this_site_is_taken(given, member):
    answer = member.post("/app/account", {"name": "Bob"}, headers(given, member.service))
    assert answer.status == 303
    assert 'value="Bob"' in member.get("/app/account").text


def test_the_public_address_counts_as_this_site(start_service):
    visitor = Visitor(start_service(BASE_URL="https://docs.example.org/here"))
    fields = {"email": "a@example.org", "password": PASSWORD}
    assert visitor.post("/app/signup", fields, {"Origin": "https://docs.example"}).status == 403
    assert visitor.post("/app/signup", fields, {"Origin": "https://docs.example.org"}).status == 303

"""The pages for everybody, and the access log: a line per request, without secrets."""

import json
import re
from contextlib import suppress
from html.parser import HTMLParser

import pytest

from tests.contract.routes import ROUTES
from tests.people import Person

V1 = [route for route in ROUTES if route.path.startswith("/v1")]
PAGES = ["/", "/docs"]


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
def test_a_page_is_html_under_a_strict_policy(path, anonymous):
    answer = anonymous.get(path)
    assert (answer.status, answer.kind) == (200, "text/html")
    assert answer.policy["default-src"] == ["'none'"]
    for sources in answer.policy.values():
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:"} & set(sources)
    assert answer.policy["frame-ancestors"] in (["'none'"], ["'self'"])
    assert answer.policy["base-uri"] == ["'none'"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_nothing_from_outside(path, anonymous):
    page = References(anonymous.get(path).text)
    for address in page.loaded:
        assert address.startswith(("data:", "#")) or re.match(r"/[^/]", address), address
        if address.startswith("/"):
            assert anonymous.get(address).status == 200
    assert page.handlers == []
    assert not re.search(r"@import|url\(\s*['\"]?(https?:)?//", anonymous.get(path).text)


@pytest.mark.parametrize("path", PAGES)
def test_the_links_of_a_page_are_not_broken(path, anonymous):
    page = References(anonymous.get(path).text)
    for link in page.links:
        target, _, name = link.partition("#")
        if target.startswith("/"):
            assert anonymous.get(target).status == 200
        if name and target in {"", path}:
            assert name in page.ids


def test_the_docs_page_shows_every_route(anonymous):
    text = re.sub(
        r"<[^>]+>", "", anonymous.get("/docs").text.replace("&lt;", "{").replace("&gt;", "}")
    )
    for route in V1:
        assert re.sub(r"<\w+>.*", "", route.path) in text
        assert route.method in text


def test_the_front_page_explains_a_first_upload(anonymous):
    text = anonymous.get("/").text
    for step in ("/auth/register", "/auth/login", "/documents", "viewUrl", "/docs"):
        assert step in text


TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture(scope="module", params=["text", "json"])
def logged(request, start_service):
    return start_service(LOG=request.param, RATE_LIMITS="off")


def lines(service):
    """Yield the lines of requests in the log as dictionaries of one form."""
    for line in service.stderr().splitlines():
        with suppress(ValueError):
            found = json.loads(line) if line.startswith("{") else parsed(line)
            if "route" in found:
                yield found


def parsed(line):
    form = (
        rf"(?P<time>{TIME}) (?P<requestId>\S+) (?P<method>[A-Z]+|-) (?P<route>\S+) "
        r"(?P<status>\d+) (?P<ms>[\d.]+) ms (?P<bytes>\d+) bytes by (?P<caller>\S+)"
    )
    found = re.fullmatch(form, line)
    if not found:
        raise ValueError(line)
    return found.groupdict()


def line_of(service, request_id):
    """Return the only line of a request."""
    (found,) = [one for one in lines(service) if one["requestId"] == request_id]
    return found


def test_a_line_has_the_id_route_status_time_size_and_caller(logged):
    person = logged.register()
    document = person.upload(b"content")
    answer = person.get(f"/v1/documents/{document['id']}/content")

    line = line_of(logged, answer.headers["X-Request-Id"])

    assert (line["method"], line["route"]) == ("GET", "/v1/documents/<id>/content")
    assert (int(line["status"]), int(line["bytes"])) == (200, len(b"content"))
    assert line["caller"] == person.record["id"]
    assert re.fullmatch(TIME, line["time"])
    assert 0 <= float(line["ms"]) < 60_000


def test_a_document_token_is_logged_by_its_id(logged):
    document = logged.register().upload()
    answer = logged.register().open(document["token"]["viewUrl"])
    assert line_of(logged, answer.headers["X-Request-Id"])["caller"] == document["token"]["id"]


def test_an_answer_without_a_body_is_logged_with_0_bytes(logged):
    person = logged.register()
    answer = person.delete(f"/v1/documents/{person.upload()['id']}")
    assert int(line_of(logged, answer.headers["X-Request-Id"])["bytes"]) == 0


def test_an_answer_of_the_server_itself_is_logged(logged):
    answer = Person(logged).get("/v1/documents", headers={"X-Long": "x" * 40_000})
    assert answer.status == 431
    line = line_of(logged, answer.json["requestId"])
    assert (int(line["status"]), line["route"], line["caller"]) == (431, "-", "-")


def test_no_secret_no_query_and_no_name_is_logged(logged):
    person = logged.register("logged@example.org", name="Logged")
    machine = person.create_api_key()
    document = machine.upload(
        b"what is logged nowhere", name="logged.txt", metadata={"a": "logged"}
    )
    machine.open(document["token"]["viewUrl"])
    machine.get("/v1/documents?limit=7&colour=ultramarine")
    for misplaced in (person.secret, machine.secret):
        Person(logged).get(f"/v1/documents/{document['id']}/view?token={misplaced}")
    log = logged.stderr()

    secret = document["token"]["viewUrl"].partition("token=")[2]
    for one in (
        secret,
        person.secret,
        machine.secret,
        person.password,
        "ogged",
        "ultramarine",
        "?",
    ):
        assert one
        assert one not in log


def test_the_first_line_and_healthz_name_the_version(logged):
    version = Person(logged).get("/healthz").json["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    first, _, _ = logged.stderr().partition("\n")
    sentence = json.loads(first)["message"] if first.startswith("{") else first
    assert sentence.startswith(f"Document Service {version} listens on ")

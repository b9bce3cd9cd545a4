"""The pages for everybody, and the log."""

import re
from html.parser import HTMLParser

import pytest

from tests.contract.routes import ROUTES

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


def test_the_log_has_one_line_per_request_without_the_query(service, anonymous):
    anonymous.get("/v1/nothing?colour=ultramarine", headers={"X-Request-Id": "in-the-log"})
    (line,) = [line for line in service.stderr().splitlines() if "in-the-log" in line]
    assert "404" in line
    assert "ultramarine" not in service.stderr()

"""Uploads in pieces by the pages, with the cookie, and who may send what below `/app`."""

import re

import pytest

from app import app_with_routes
from blueprints.http.credentials import COOKIE
from blueprints.http.declarations import declaration_of
from tests.contract.test_uploads_of_spaces import acting
from tests.tus import STREAM, metadata

HERE = {"Sec-Fetch-Site": "same-origin"}
APP = app_with_routes(console=True)


@pytest.fixture
def mia(service):
    return service.register()


class Browser:
    """A browser that is logged in: its requests have the cookie, and say from where they come."""

    def __init__(self, service, person, space=None):
        self.service = service
        within = f"; space={space.secret}" if space else ""
        self.cookie = {"Cookie": f"session={person.secret}{within}"}
        self._anybody = type(person)(service)

    def request(self, method, path, headers=(), data=None, **more):
        return self._anybody.request(
            method, path, headers=self.cookie | HERE | dict(headers), data=data, **more
        )


@pytest.fixture
def browser(service, mia):
    return Browser(service, mia)


def begin(browser, size, at="/app/uploads", **values):
    headers = {"Upload-Length": str(size)} | (metadata(**values) if values else {})
    answer = browser.request("POST", at, headers)
    assert answer.status == 201, answer
    return answer.headers["Location"].removeprefix(browser.service.url)


def test_a_chunked_beginning_of_another_type_is_refused_and_nothing_is_begun(browser):
    head = {"Content-Type": "text/plain", "Upload-Length": "10"}
    assert browser.request("POST", "/app/uploads", head, chunks=iter([b"a"])).status == 415
    assert browser.request("GET", "/app/uploads").json["uploads"] == []


def test_a_page_sends_a_file_in_pieces_with_its_cookie(browser, mia):
    path = begin(browser, 6, filename="a.txt")
    assert re.fullmatch(r"/app/uploads/upl_\w{26}", path)
    assert browser.request("PATCH", path, STREAM | {"Upload-Offset": "0"}, b"abc").status == 204
    (listed,) = browser.request("GET", "/app/uploads").json["uploads"]
    assert (listed["name"], listed["received"]) == ("a.txt", 3)
    head = browser.request("HEAD", path)
    assert (head.status, head.headers["Upload-Offset"]) == (200, "3")
    last = browser.request("PATCH", path, STREAM | {"Upload-Offset": "3"}, b"def")
    assert mia.get(f"/v1/documents/{last.headers['Document-Id']}/content").body == b"abcdef"
    assert browser.request("GET", path).json["document"]["name"] == "a.txt"
    assert browser.request("DELETE", path).status == 204
    assert browser.request("GET", "/app/uploads").json == {"uploads": [], "nextCursor": None}


def test_what_a_page_began_goes_on_by_the_api_and_the_other_way(browser, mia):
    path = begin(browser, 3)
    of_api = path.replace("/app/", "/v1/")
    assert mia.patch(of_api, data=b"a", headers=STREAM | {"Upload-Offset": "0"}).status == 204
    answer = browser.request("PATCH", path, STREAM | {"Upload-Offset": "1"}, b"bc")
    assert answer.headers["Document-Id"]


def test_in_a_space_a_long_body_is_received_for_the_space(service, mia):
    space = mia.post("/v1/spaces", json={"name": "Accounting"}).json
    member = acting(mia, space)
    browser = Browser(service, mia, member)
    data = bytes(200_000)  # more than is received unless the head of the request admits it
    made_here = f"?for={space['id']}"
    path = begin(browser, len(data), at=f"/app/uploads{made_here}", filename="a.bin")
    headers = STREAM | {"Upload-Offset": "0"}
    answer = browser.request("PATCH", path + made_here, headers, data)
    assert answer.status == 204, answer
    assert member.get(f"/v1/documents/{answer.headers['Document-Id']}/content").body == data


def test_errors_of_uploads_are_problems_also_for_whoever_takes_pages(browser):
    for answer in (
        browser.request("GET", "/app/uploads/upl_01k5x8m3v7q2r9t4w6y0z1a2b3"),
        browser.request("POST", "/app/uploads", {"Accept": "text/html"}),
        browser._anybody.request("GET", "/app/uploads"),
    ):
        assert answer.kind == "application/problem+json"
        assert answer.headers["Tus-Resumable"] == "1.0.0"


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
@pytest.mark.parametrize("site", ["cross-site", "same-site", None])
def test_another_site_changes_nothing(browser, method, site):
    path = begin(browser, 3)
    headers = STREAM | {"Upload-Offset": "0"} if method == "PATCH" else {}
    said = {} if site is None else {"Sec-Fetch-Site": site}
    foreign = browser.cookie | {"Origin": "https://evil.example"} | said | headers
    answer = browser._anybody.request(method, path, headers=foreign, data=b"abc")
    assert (answer.status, answer.json["code"]) == (403, "origin_not_allowed")
    assert browser.request("HEAD", path).headers["Upload-Offset"] == "0"


def test_what_was_made_for_another_space_is_refused(browser):
    path = begin(browser, 3)
    for method in ("PATCH", "DELETE"):
        headers = STREAM | {"Upload-Offset": "0"} if method == "PATCH" else {}
        answer = browser.request(method, f"{path}?for=spc_01k5x8m3v7q2r9t4w6y0z1a2b3", headers, b"")
        assert (answer.status, answer.json["code"]) == (409, "owner_changed")


def acts():
    """Method and rule of all that may change something below `/app`, by the cookie."""
    for rule in APP.url_map.iter_rules():
        route = declaration_of(APP.view_functions[rule.endpoint])
        if rule.rule.startswith("/app") and COOKIE in route.accepts:
            for method in sorted(rule.methods - {"GET", "HEAD", "OPTIONS"}):
                yield method, re.sub("<[^>]+>", "one", rule.rule)


@pytest.mark.parametrize(("method", "path"), sorted(set(acts())))
def test_all_that_changes_something_is_judged_as_a_form_is(browser, method, path):
    for foreign in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        headers = browser.cookie | {"Accept": "application/json"} | foreign
        answer = browser._anybody.request(method, path, headers=headers)
        assert (answer.status, answer.json["code"]) == (403, "origin_not_allowed")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_no_method_that_changes_something_passes_the_guard(browser, method):
    """Whatever route is added: the guard names the methods that only read."""
    from blueprints.login.forms import READING  # noqa: PLC0415

    assert method not in READING

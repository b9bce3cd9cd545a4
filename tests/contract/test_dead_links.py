"""Links that do not open: a page for a person with a browser, a problem for every other client."""

import re
from urllib.parse import urlencode

import pytest

from tests.clock import ClockedService
from tests.contract.test_changed_links import FORM, opened
from tests.formats import time_from_now, unknown_credential
from tests.people import Person
from tests.problems import refused

BROWSER = {  # what Chromium, Firefox and Safari send when a link is followed
    "chromium": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
    "image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "firefox": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "safari": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}
ACCEPT = {"Accept": BROWSER["chromium"]}
OTHERS = [
    "*/*",
    "application/json",
    "application/problem+json, text/html;q=0.5",
    "image/*,*/*;q=0.5",
]
WAYS = ["view", "download", "content"]


def path_of(document, token, way="view"):
    return f"/v1/documents/{document['id']}/{way}?token={token}"


def text_of(page):
    """What a page shows, without its head."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.text.partition("<body>")[2]).split())


@pytest.fixture
def revoked(alice, temporary_document):
    link = alice.share(temporary_document)
    alice.delete(f"/v1/documents/{temporary_document['id']}/tokens/{link['id']}")
    return path_of(temporary_document, link["token"])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("browser", BROWSER)
def test_a_browser_gets_a_page_with_the_status_of_the_problem(browser, way, anonymous, revoked):
    path = revoked.replace("/view", f"/{way}")
    headers = {"Accept": BROWSER[browser]}

    page = anonymous.get(path, headers=headers)

    assert (page.status, page.kind) == (410, "text/html")
    assert "This link was taken back" in text_of(page)
    assert "Ask the person who sent it to you for a new one." in text_of(page)
    head = anonymous.head(path, headers=headers)
    assert (head.status, head.kind, head.body) == (410, "text/html", b"")


@pytest.mark.parametrize("accept", OTHERS)
def test_every_other_client_gets_a_problem(accept, anonymous, revoked):
    refused(anonymous.get(revoked, headers={"Accept": accept}), 410, "token_spent")
    refused(anonymous.get(revoked), 410, "token_spent")


def test_only_on_the_routes_that_a_link_opens_a_browser_gets_pages(anonymous, document):
    for path in ("/v1/documents", f"/v1/documents/{document['id']}", "/v1/auth/me", "/nothing"):
        answer = anonymous.get(path, headers=ACCEPT)
        refused(answer, answer.status, answer.json["code"])


def test_a_page_runs_no_script_loads_nothing_and_is_not_indexed(anonymous, revoked):
    page = anonymous.get(revoked, headers=ACCEPT)

    assert page.policy["default-src"] == ["'none'"]
    assert "script-src" not in page.policy
    assert page.policy["frame-ancestors"] == ["'self'"]
    assert "<script" not in page.text
    assert page.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert page.headers["Cache-Control"] == "private, no-store"
    assert page.headers["X-Request-Id"]


@pytest.mark.slow
def test_a_link_that_has_ended_says_when(tmp_path):
    service = ClockedService(tmp_path)
    try:
        alice, end = service.register(), time_from_now(hours=1)
        document = alice.upload(expiresAt=time_from_now(hours=3))
        link = alice.share(document, expiresAt=end, allowedOrigins=["https://a.example"])
        lasting = alice.share(document, expiresAt=None)
        service.set_clock(hours=2)

        page = Person(service).get(path_of(document, link["token"]), headers=ACCEPT)

        year, hour = end[:4], end[11:16]
        assert page.status == 410
        assert re.search(rf"until \d+ [A-Z][a-z]+ {year}, {hour} UTC\.", text_of(page))
        assert page.policy["frame-ancestors"] == ["https://a.example"]

        service.set_clock(hours=4)
        page = Person(service).get(path_of(document, lasting["token"]), headers=ACCEPT)
        assert page.status == 410
    finally:
        service.close()


def test_a_used_up_link_says_so_also_when_the_last_view_is_reloaded(
    alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, maxViews=1)
    data = urlencode({"token": link["token"]}).encode()
    path = f"/v1/documents/{temporary_document['id']}/view"
    assert opened(anonymous, temporary_document, link).status == 200

    reloaded = anonymous.post(path, data=data, headers=FORM | ACCEPT)
    followed = anonymous.get(path_of(temporary_document, link["token"]), headers=ACCEPT)

    for page in (reloaded, followed):
        assert (page.status, page.kind) == (410, "text/html")
        assert "This link is used up" in text_of(page)


def test_a_link_to_a_deleted_document_was_taken_back(alice, anonymous):
    document = alice.upload()
    alice.delete(f"/v1/documents/{document['id']}")

    page = anonymous.get(path_of(document, document["token"]["token"]), headers=ACCEPT)

    assert page.status == 410
    assert "deleted the document" in text_of(page)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrong", ["cut off", "mistyped", "unknown", "without a token"])
def test_a_mistyped_or_unknown_link_is_one_page(wrong, way, anonymous, document):
    token = document["token"]["token"]
    typed = {
        "cut off": path_of(document, token[:-3], way),
        "mistyped": path_of(document, token[:-1] + ("a" if token[-1] != "a" else "b"), way),
        "unknown": path_of(document, unknown_credential(token), way),
        "without a token": f"/v1/documents/{document['id']}/{way}",
    }[wrong]

    page = anonymous.get(typed, headers=ACCEPT)

    assert (page.status, page.kind) == (401, "text/html")
    assert "This link doesn’t open" in text_of(page)
    refused(anonymous.get(typed), 401, "not_authenticated")


def test_a_link_with_the_id_of_another_document_is_a_page(alice, anonymous, document):
    token = alice.upload()["token"]["token"]
    page = anonymous.get(path_of(document, token), headers=ACCEPT)
    assert (page.status, "There is no document here" in text_of(page)) == (404, True)


def test_a_link_that_only_shows_says_so_when_it_should_save(alice, anonymous, document):
    link = alice.share(document, permissions=["view"], allowedOrigins=["https://a.example"])
    page = anonymous.get(path_of(document, link["token"], "download"), headers=ACCEPT)
    assert (page.status, page.kind) == (403, "text/html")
    assert "permits more" in text_of(page)
    assert page.policy["frame-ancestors"] == ["https://a.example"]


def test_too_many_wrong_passwords_are_a_page_that_says_how_long_to_wait(start_service):
    service = start_service()
    alice = service.register()
    document = alice.upload()
    link = alice.share(document, password="hunter22")
    data = urlencode({"token": link["token"], "password": "wrong"}).encode()
    path = f"/v1/documents/{document['id']}/view"
    for _ in range(11):
        page = Person(service).post(path, data=data, headers=FORM | ACCEPT)

    assert (page.status, page.kind) == (429, "text/html")
    assert f"Wait {page.headers['Retry-After']} s" in text_of(page)
    assert page.headers["RateLimit"]


def test_a_page_tells_nothing_of_the_document_its_owner_or_the_token(
    service, alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, label="a label", maxViews=1)
    opened(anonymous, temporary_document, link)

    page = anonymous.get(path_of(temporary_document, link["token"]), headers=ACCEPT)

    for secret in ("lost.txt", "Alice", "a label", link["token"], temporary_document["id"]):
        assert secret not in page.text


def test_a_page_of_a_disabled_account_does_not_say_that_it_is_disabled(service):
    person = service.register()
    document = person.upload()
    service.run_command("users", "disable", person.record["email"])

    page = Person(service).get(path_of(document, document["token"]["token"]), headers=ACCEPT)

    assert page.status == 410
    assert "no longer works" in text_of(page)
    assert "disabled" not in text_of(page)


def test_a_hostile_token_is_not_reflected(anonymous, document):
    path = f"/v1/documents/{document['id']}/view?token=dt_%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    page = anonymous.get(path, headers=ACCEPT)
    assert page.status == 401
    assert "alert(1)" not in page.text

"""Links that do not open: a page for a person with a browser, a problem for every other client."""

import re

import pytest

from tests.formats import time_from_now, unknown_credential
from tests.people import at
from tests.problems import refused

BROWSER = {  # what Chromium, Firefox and Safari send when a link is followed
    "chromium": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
    "image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "firefox and safari": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}
ACCEPT = {"Accept": BROWSER["chromium"]}
OTHERS = [
    "*/*",
    "application/json",
    "application/problem+json, text/html;q=0.5",
    "image/*,*/*;q=0.5",
]
CALLS = ["view", "download", "content"]


def text_of(page):
    """What a page shows, without its head."""
    body = re.sub(r"</?(time|bdi|b)\b[^>]*>", "", page.text.partition("<body>")[2])
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


def assert_page(page, status, sentence):
    assert (page.status, page.kind) == (status, "text/html")
    assert sentence in text_of(page)


@pytest.fixture
def revoked(alice, temporary_document):
    link = alice.share(temporary_document, label="a label")
    alice.revoke(temporary_document, link)
    return link


@pytest.mark.parametrize("browser", BROWSER)
def test_a_browser_gets_a_page_with_the_status_of_the_problem(browser, alice, revoked):
    headers = {"Accept": BROWSER[browser]}
    for call in CALLS:
        page = alice.open(revoked[f"{call}Url"], headers=headers)
        assert_page(page, 410, "This link is off")
        assert "Ask Alice for a new one." in text_of(page)
        head = alice.open(revoked[f"{call}Url"], "HEAD", headers=headers)
        assert (head.status, head.kind, head.body) == (410, "text/html", b"")


def test_every_other_client_gets_a_problem(alice, revoked):
    for headers in ({}, *({"Accept": accept} for accept in OTHERS)):
        refused(alice.open(revoked["viewUrl"], headers=headers), 410, "token_spent")


def test_only_on_the_routes_that_a_link_opens_a_browser_gets_pages(anonymous, document):
    for path in ("/v1/documents", at(document), "/v1/auth/me", "/v1/nothing"):
        answer = anonymous.get(path, headers=ACCEPT)
        refused(answer, answer.status, answer.json["code"])


def test_a_page_runs_no_script_loads_nothing_and_is_not_indexed(alice, revoked):
    page = alice.open(revoked["viewUrl"], headers=ACCEPT)
    assert page.policy["default-src"] == ["'none'"]
    assert "script-src" not in page.policy
    assert page.policy["frame-ancestors"] == ["'self'"]
    assert "<script" not in page.text
    assert page.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert page.headers["Cache-Control"] == "private, no-store"
    assert page.headers["X-Request-Id"]


def test_a_link_that_has_ended_says_when(clocked):
    alice, end = clocked.register(), time_from_now(hours=1)
    document = alice.upload(expiresAt=time_from_now(hours=3))
    link = alice.share(document, expiresAt=end, allowedOrigins=["https://a.example"])
    lasting = alice.share(document, expiresAt=None)
    clocked.set_clock(hours=2)

    page = alice.open(link["viewUrl"], headers=ACCEPT)

    assert page.status == 410
    assert re.search(rf"until \d+ [A-Z][a-z]+ {end[:4]}, {end[11:16]} UTC\.", text_of(page))
    assert page.policy["frame-ancestors"] == ["https://a.example"]
    clocked.set_clock(hours=4)
    assert alice.open(lasting["viewUrl"], headers=ACCEPT).status == 410


def test_a_used_up_link_says_so_also_when_the_last_view_is_reloaded(alice, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    assert alice.submit(link).status == 200
    for page in (alice.submit(link, headers=ACCEPT), alice.open(link["viewUrl"], headers=ACCEPT)):
        assert_page(page, 410, "This link is used up")


def test_a_link_to_a_deleted_document_is_off(alice):
    document = alice.upload()
    alice.delete(at(document))
    page = alice.open(document["token"]["viewUrl"], headers=ACCEPT)
    assert_page(page, 410, "The sender turned it off or deleted the document.")


@pytest.mark.parametrize("call", CALLS)
def test_a_mistyped_or_unknown_link_is_one_page(call, anonymous, document):
    token = document["token"]["token"]
    mistyped = token[:-1] + ("a" if token[-1] != "a" else "b")
    tokens = [f"?token={text}" for text in (token[:-3], mistyped, unknown_credential(token))]
    for query in ("", *tokens):  # without one, cut off, mistyped, unknown
        path = at(document, f"/{call}{query}")
        assert_page(anonymous.get(path, headers=ACCEPT), 401, "This link doesn’t open")
        refused(anonymous.get(path), 401, "not_authenticated")


def test_a_link_with_the_id_of_another_document_is_a_page(alice, anonymous, document):
    path = at(document, f"/view?token={alice.upload()['token']['token']}")
    page = anonymous.get(path, headers=ACCEPT)
    assert_page(page, 404, "There is no document here")
    assert f'href="/s{path[path.index("?") :]}">Open what this link shows now' in page.text


def test_a_link_that_only_saves_leads_to_that(alice, document):
    link = alice.share(document, permissions=["download"])
    for address in ("shortUrl", "viewUrl"):
        page = alice.open(link[address], headers=ACCEPT)
        assert_page(page, 403, "This link saves the document")
        assert f'href="/s/download?token={link["token"]}">Save the document' in page.text


def test_a_link_that_only_shows_says_so_when_it_should_save(alice, document):
    link = alice.share(document, permissions=["view"], allowedOrigins=["https://a.example"])
    page = alice.open(link["downloadUrl"], headers=ACCEPT)
    assert_page(page, 403, "permits more")
    assert page.policy["frame-ancestors"] == ["https://a.example"]


def test_a_page_tells_nothing_of_the_document_or_the_token(alice, revoked, temporary_document):
    page = alice.open(revoked["viewUrl"], headers=ACCEPT)
    for secret in ("lost.txt", "a label", revoked["token"], temporary_document["id"]):
        assert secret not in page.text


def test_a_page_of_a_disabled_account_does_not_say_that_it_is_disabled(service):
    person = service.register()
    document = person.upload()
    service.run_command("users", "disable", person.record["email"])
    page = person.open(document["token"]["viewUrl"], headers=ACCEPT)
    assert_page(page, 410, "no longer works")
    assert "disabled" not in text_of(page)


def test_a_hostile_token_is_not_reflected(anonymous, document):
    path = at(document, "/view?token=dt_%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    page = anonymous.get(path, headers=ACCEPT)
    assert page.status == 401
    assert "alert(1)" not in page.text

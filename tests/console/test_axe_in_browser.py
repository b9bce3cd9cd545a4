"""Every page of the console by axe-core: light and dark, desk and phone, empty, full, refused."""

import secrets

import pytest

from tests.accessible import assert_accessible
from tests.console.terms import field
from tests.console.test_flows_in_browser import follow, sign_up, upload
from tests.console.visitor import Visitor
from tests.people import PASSWORD
from tests.waiting import until

NOUNS = (
    "documents",
    "collections",
    "requests",
    "bin",
    "links",
    "keys",
    "webhooks",
    "activity",
    "account",
)
LONG = "A name that is as long as names are which come from scanners, page 1 of 34, corrected.pdf"


@pytest.fixture(scope="module")
def full(service):
    """The address and the pages of somebody with documents, links, keys and webhooks."""
    email = f"{secrets.token_hex(6)}@example.org"
    ada = service.register(email, name="Ada")
    for name in (LONG, "x" * 200 + ".txt", "<b>\u202efdp.exe", "Notes.md"):
        document = ada.upload(b"# x", "text/markdown", name=name, token=None)
    link = ada.share(document, label="the auditor", password="hunter22", maxViews=3)
    gone = ada.share(document, label="y" * 100)
    ada.open(ada.share(document)["viewUrl"])
    ada.delete(f"/v1/documents/{document['id']}/tokens/{gone['id']}")
    ada.patch(f"/v1/documents/{document['id']}", json={"expiresAt": "2999-01-01T00:00:00Z"})
    member = Visitor(service)
    member.log_in(email)
    binned = [ada.upload(b"x", name=name, token=None)["id"] for name in (LONG, "عقد.pdf")]
    member.post("/app/documents", {"act": "bin", "id": binned})
    ada.create_api_key(name="backup")
    ada.delete(f"/v1/api-keys/{ada.create_api_key().record['id']}")
    webhook = ada.post("/v1/webhooks", json={"url": "https://hook.invalid/" + "z" * 120}).json
    ada.post(f"/v1/webhooks/{webhook['id']}/test")
    deliveries = f"/v1/webhooks/{webhook['id']}/deliveries"
    until(lambda: ada.get(deliveries).json["deliveries"][0]["attempts"])
    offer = ada.collect(document, title="x" * 200, note="For\nMonday")
    takes = ada.share(offer, permissions=["upload"])
    whole = f"collections/{offer['id']}"
    more = (whole, f"{whole}?find=", f"{whole}/links", f"{whole}/requests", f"{whole}/delete")
    more += (f"links/{takes['id']}",)
    more += (f"documents/{document['id']}", f"links/{link['id']}", f"webhooks/{webhook['id']}")
    more += (f"documents?done=binned&id={binned[0]}",)
    return email, [f"/app/{path}" for path in (*NOUNS, *more, "documents?name=nothing", "nothing")]


def assert_targets_are_large(page):
    small = page.eval_on_selector_all(
        "button, .button, nav a, input:not([type=hidden]), select, textarea, summary",
        """all => all.filter(one => one.checkVisibility() && !one.hidden)
            .map(one => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
            .filter(([_, box]) => Math.min(box.width, box.height) < 24)
            .filter(([html]) => !html.includes('checkbox')).map(([html]) => html)""",
    )
    assert small == [], page.url


def assert_asks_for_three_files_at_most(page, service):
    own = [url for url in page.asked if "/view" not in url and "/pages" not in url]
    assert len(own) <= 3, page.asked  # the preview in its frame loads what it shows
    assert all(url.startswith(service.url) for url in page.asked)


def test_every_page_when_it_is_full(full, service, open_browser):
    """Its targets are large enough on a phone too, and it asks no other host for anything."""
    page = open_browser(375)
    email, paths = full
    page.goto(service.url + "/app/login")
    assert_accessible(page)
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill("wrong")
    follow(page.get_by_role("button", name="Log in"))
    assert page.get_by_text("The e-mail address or the password is wrong.").is_visible()
    assert_accessible(page)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/app/documents")
    for path in paths:
        page.asked.clear()
        page.goto(service.url + path)
        assert_targets_are_large(page)
        if path == "/app/documents":
            page.get_by_role("checkbox", name=LONG).check()
            assert page.get_by_role("button", name="Delete").is_visible()
        for summary in page.locator("details > summary").all():
            summary.evaluate("one => one.parentElement.open = true")
        assert_accessible(page)
        assert_asks_for_three_files_at_most(page, service)


def test_every_page_when_it_is_new(service, open_browser):
    page = open_browser()
    page.goto(service.url + "/app/signup")
    assert_accessible(page)
    sign_up(page, service.url)
    for noun in NOUNS:
        page.goto(f"{service.url}/app/{noun}")
        assert_accessible(page)
    for noun, button in (("keys", "Create the key"), ("webhooks", "Create the webhook")):
        page.goto(f"{service.url}/app/{noun}")
        if noun == "webhooks":
            page.get_by_label("Address").fill("https://hook.example/in")
        follow(page.get_by_role("button", name=button))
        assert page.locator("#secret").is_visible()
        assert_accessible(page)
    page.goto(f"{service.url}/app/documents")
    upload(page, "new.md")
    field(page, "View limit").fill("0")
    field(page, "Password").fill("open sesame")
    follow(page.get_by_role("button", name="Create the link"))
    assert page.get_by_text("Use 1 to 1,000,000.").is_visible()
    assert page.get_by_text("Type the password again").is_visible()
    assert_accessible(page)
    field(page, "Password").fill("open sesame")
    field(page, "View limit").fill("1")
    follow(page.get_by_role("button", name="Create the link"))
    page.get_by_text("QR code").click()
    assert page.get_by_role("img", name="The link as a QR code").is_visible()
    assert_accessible(page)

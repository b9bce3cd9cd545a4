"""Links that ask, in a real browser: the gate without a script, and what its owner sees."""

import hashlib
import re
from datetime import UTC, datetime

import pytest

from tests.console.terms import field, open_pill, permit, say_of
from tests.console.test_flows_in_browser import follow
from tests.console.visitor import Visitor
from tests.site import Site
from tests.waiting import until
from viewer.tests import samples

TEXT = "We keep what we see to ourselves.\n\n" + "And so on, in many words. " * 600
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.fixture
def owner(mailing, email):
    return mailing.register(f"owner-{email}")


def code_of(mail):
    return re.search(r"^ +(\d{4} \d{4})$", mail.text, re.M)[1]


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.getAttribute('role')")


@pytest.mark.parametrize(
    ("scheme", "width", "scripts"),
    [("light", 1280, True), ("dark", 375, True), ("light", 375, False)],
)
def test_the_gate_is_passed_by_keyboard_and_without_a_script(  # noqa: PLR0917
    mailing, box, email, owner, open_browser, check, scheme, width, scripts
):
    look = check if scripts else lambda _page, _width: None  # axe-core is one
    collection = owner.collect(owner.upload(b"behind a gate", name="gated.txt", token=None))
    terms = {"recipients": [email], "agreement": TEXT, "password": "right one"}
    link = owner.share(collection, **terms)
    page = open_browser(width, color_scheme=scheme, java_script_enabled=scripts)
    page.goto(f"{mailing.url}/s?token={link['token']}")
    look(page, width)
    until(lambda: focused(page) == "email")
    page.keyboard.type(email)
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/codes?*")
    look(page, width)
    until(lambda: focused(page) == "code")
    code = code_of(box.wait_for(1)[0])
    for password in ("wrong one", "right one"):
        page.get_by_label("Code").focus()
        page.keyboard.type(code)
        page.keyboard.press("Tab")
        assert focused(page) == "password"
        page.keyboard.type(password)
        page.keyboard.press("Tab")
        assert focused(page) == "region"
        page.keyboard.press("PageDown")
        until(lambda: page.evaluate("document.activeElement.scrollTop") > 0)
        page.keyboard.press("Tab")
        assert focused(page) == "name"
        if password == "wrong one":
            page.keyboard.type("Ana Auditor")
        for key in ("Tab", "Space", "Tab", "Enter"):
            page.keyboard.press(key)
        if password == "wrong one":
            page.get_by_role("alert").get_by_text("That is not the password").wait_for()
            assert page.get_by_label("Your name").input_value() == "Ana Auditor"
            assert page.get_by_label("Code").input_value() == ""
            look(page, width)
    page.get_by_role("heading", name="Offer").wait_for()
    look(page, width)
    assert page.get_by_role("link", name="Save the receipt of the agreement").is_visible()


def test_the_gate_opens_in_a_frame_of_an_allowed_site(mailing, box, email, owner, open_browser):
    document = owner.upload(b"behind a gate", name="gated.txt", token=None)
    with Site() as site:
        link = owner.share(document, recipients=[email], allowedOrigins=[site.elsewhere])
        address = f"{mailing.url}/v1/documents/{document['id']}/view?token={link['token']}"
        site.show(f'<iframe src="{address}&amp;embed=1" width="600" height="800"></iframe>')
        page = open_browser()
        page.goto(site.elsewhere)
        gate = page.frame_locator("iframe")
        gate.get_by_label("E-mail address").fill(email)
        gate.get_by_role("button", name="Send me a code").click()
        gate.get_by_label("Code").fill(code_of(box.wait_for(1)[0]))
        gate.get_by_role("button", name="Open the document").click()
        gate.get_by_text("behind a gate").wait_for()


def test_an_owner_makes_a_link_that_asks_and_sees_who_opened_it(
    mailing, email, owner, open_browser, check
):
    document = owner.upload(b"behind a gate", name="gated.txt", token=None)
    page = open_browser(375)
    visitor = Visitor(mailing)
    visitor.log_in(f"owner-{email}")
    visitor.enter(page, f"/app/documents/{document['id']}")
    field(page, "Only these people").fill("nobody")
    field(page, "Require agreement").fill("I keep this to myself.")
    page.get_by_role("button", name="Create the link").click()
    page.get_by_text("Use addresses as ana@example.org").wait_for()
    assert field(page, "Require agreement").input_value() == "I keep this to myself."
    check(page, 375)
    field(page, "Only these people").fill("")
    page.get_by_role("button", name="Create the link").click()
    page.get_by_role("heading", name="Your link is ready").wait_for()
    address = page.inner_text("#link")
    reader = open_browser()
    reader.goto(mailing.url + "/s" + address.partition("/s")[2])
    reader.get_by_label("Your name").fill("Ana")
    reader.get_by_role("checkbox").check()
    reader.get_by_role("button", name="Open the document").click()
    reader.get_by_role("link", name="Save the receipt").wait_for()
    (link,) = owner.links(document)
    page.goto(f"{mailing.url}/app/links/{link['id']}")
    assert "“Ana”" in page.get_by_role("table", name="Openings").inner_text()
    check(page, 375)
    follow(page.get_by_role("link", name="Receipt"))
    assert "I keep this to myself." in page.inner_text("main")
    accepted = page.inner_text("dt:has-text('When') + dd")
    assert re.search(rf"{datetime.now(UTC).year} at .+ UTC", accepted)  # as it may be printed
    page.locator("summary", has_text="For audits").click()
    check(page, 375)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the line of the log").click()
    assert "agreement.accepted" in saved.value.path().read_text()


def test_a_watermark_and_downloads_exclude_each_other_in_one_choice(member, open_browser):
    api = member.api
    document = api.upload(samples.pdf("One"), "application/pdf", token=None)
    page = open_browser()
    member.enter(page, f"/app/documents/{document['id']}")
    form = page.locator("#new")
    if not form.evaluate("one => one.open"):
        page.get_by_role("link", name="New link").click()
    permit(form, "can only view, with a watermark")
    assert say_of(form, "may") == "can only view, with a watermark"
    assert form.get_by_text("A watermarked link can’t allow downloads.").is_visible()
    permit(form, "can view and download")
    assert not form.get_by_text("A watermarked link can’t allow downloads.").is_visible()
    permit(form, "can only view, with a watermark")
    follow(page.get_by_role("button", name="Create the link"))
    assert "A watermark is on every page." in page.inner_text(".ready")
    (link,) = api.links(document)
    assert (link["permissions"], link["watermark"]) == (["view"], True)

    page.goto(f"{member.service.url}/app/links/{link['id']}")
    chosen = open_pill(page, "may").get_by_role("radio", name="with a watermark")
    assert chosen.is_checked()
    permit(page, "can view and download")
    follow(page.get_by_role("button", name="Save the terms"))
    (link,) = api.links(document)
    assert (link["permissions"], link["watermark"]) == (["view", "download"], False)

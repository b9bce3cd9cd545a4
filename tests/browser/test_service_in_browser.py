"""The running service in Chromium: links that open by a button, and embedding on other sites."""

import pytest

from tests.console.test_flows_in_browser import follow
from tests.console.visitor import Visitor
from tests.waiting import until
from viewer.tests.convertible import workbook
from viewer.tests.samples import pdf

LISTENING = """
<script>
window.heard = [];
for (const type of ["ready", "size", "error"])
  document.addEventListener(type, event => window.heard.push(event.detail.type));
</script>"""


def shown_in(page):
    """The document's title in the page's iframe; None if the browser does not show what it got."""
    heading = page.frame_locator("iframe").locator("header h1")

    def is_refused():
        return page.frames[-1].url.startswith("chrome-error:")

    until(lambda: heading.count() or is_refused())
    return None if is_refused() else heading.inner_text()


def test_a_link_with_one_view_opens_once_by_its_button(page, service, alice):
    document = alice.upload(b"only once", name="once.txt")
    link = alice.share(document, maxViews=1)

    page.goto(link["viewUrl"])
    page.goto(link["viewUrl"])  # showing the button does not count as a view
    follow(page.locator("button"))

    assert "only once" in page.inner_text("main")
    page.goto(link["viewUrl"])
    assert page.inner_text("h1") == "This link is used up"


@pytest.mark.office
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_click_shows_a_workbook_as_pages_with_its_chart_and_a_click_its_table(
    new_page, start_service, soffice, scripts
):
    writer = start_service(RATE_LIMITS="off", CONVERTER=soffice).register()
    document = writer.upload(workbook(), name="sales.xlsx")
    link = writer.share(document)
    page = new_page(java_script_enabled=scripts)

    page.goto(link["viewUrl"])
    assert page.locator(".worksheet td", has_text="North").is_visible()
    page.get_by_role("link", name="As pages").click()
    page.wait_for_selector("#p1 image", state="attached")  # after the page that says it is prepared
    assert page.locator("#p1 text", has_text="North").count() == 1
    assert page.locator("#p1 image").evaluate("one => one.getBBox().width") > 500
    page.get_by_role("link", name="As a table").click()
    assert page.locator(".worksheet td", has_text="North").is_visible()
    assert page.heard == []
    assert writer.views(document, link) == 1


def test_a_link_with_a_password_rejects_a_wrong_one_and_opens_with_the_right_one(page, alice):
    link = alice.share(alice.upload(b"behind a word", name="w.txt"), password="hunter22")

    page.goto(link["viewUrl"])
    page.fill("#password", "hunter23")
    follow(page.locator("button"))
    assert "not the password" in page.inner_text("[role=alert]")
    page.fill("#password", "hunter22")
    follow(page.locator("button"))

    assert "behind a word" in page.inner_text("main")


def test_a_document_is_embedded_on_an_allowed_site_only(page, site, alice):
    document = alice.upload(b"framed", name="framed.txt")
    for origins, expected in (
        ([site.elsewhere], "framed.txt"),
        (["*"], "framed.txt"),
        (["https://other.example"], None),
        ([], None),
    ):
        link = alice.share(document, allowedOrigins=origins)
        site.show(f"<!doctype html><title>a site</title>{link['embedHtml']}")
        page.goto(site.elsewhere)
        assert shown_in(page) == expected


def test_the_embed_script_inserts_and_sizes_an_iframe_and_dispatches_ready(
    page, site, service, alice
):
    document = alice.upload(b"line\n" * 200, name="long.txt")
    link = alice.share(document, allowedOrigins=[site.elsewhere])
    script = f'<script src="{service.url}/embed.js" data-url="{link["viewUrl"]}"></script>'
    site.show(f"<!doctype html><body>{LISTENING}{script}")

    page.goto(site.elsewhere)

    assert shown_in(page) == "long.txt"
    until(lambda: "ready" in page.evaluate("window.heard"))
    frame = page.query_selector("iframe")
    assert frame.get_attribute("loading") == "lazy"
    until(lambda: frame.bounding_box()["height"] > 1500)


@pytest.mark.parametrize("terms", [{}, {"password": "hunter22"}], ids=["open", "prompt"])
def test_the_embed_script_dispatches_ready_for_pages_without_a_viewer(
    page, site, service, alice, terms
):
    link = alice.share(alice.collect(alice.upload(b"x")), allowedOrigins=[site.elsewhere], **terms)
    script = f'<script src="{service.url}/embed.js" data-url="{link["shortUrl"]}"></script>'
    site.show(f"<!doctype html><body>{LISTENING}{script}")
    page.goto(site.elsewhere)
    assert until(lambda: page.evaluate("window.heard")) == ["ready"]


def test_the_embed_script_dispatches_an_error_on_a_site_that_is_not_allowed(
    page, site, service, alice
):
    link = alice.share(alice.upload(b"x"), allowedOrigins=["https://other.example"])
    script = f'<script src="{service.url}/embed.js" data-url="{link["viewUrl"]}"></script>'
    site.show(f"<!doctype html><body>{LISTENING}{script}")

    page.goto(site.elsewhere)

    assert until(lambda: page.evaluate("window.heard")) == ["error"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (bytes(range(256)) * (9 << 12), "application/octet-stream"),  # 9 MiB
        (pdf("one", "two") + bytes(2 << 20), "application/pdf"),
    ],
    ids=["large", "PDF"],
)
def test_what_a_page_does_not_hold_is_saved_completely_by_ticket(
    content, kind, page, alice, tmp_path
):
    link = alice.upload(content, kind, name="kept")["token"]

    shown = page.goto(link["viewUrl"])
    with page.expect_download() as saving:
        page.click("text=Save original")
    saving.value.save_as(tmp_path / "kept")

    assert len(shown.body()) < 200_000
    assert (tmp_path / "kept").read_bytes() == content


def test_our_pages_load_nothing_from_other_origins(page, service):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("/", "/docs"):
        page.goto(service.url + path)

    assert all(url.startswith((service.url, "data:")) for url in asked)
    assert page.heard == []


UPLOAD = """
async ([header, value]) => {
  const form = new FormData();
  form.append("file", new File(["# Title"], 'Plan "B" é.md', {type: "text/markdown"}));
  form.append("metadata", JSON.stringify({project: "alpha"}));
  form.append("token", new Blob(['{"maxViews": 3}'], {type: "application/json"}));
  const answer = await fetch("/v1/documents", {
    method: "POST", body: form, headers: {[header]: value}});
  return [answer.status, await answer.json()];
}"""


def test_a_browser_uploads_a_form(page, alice, service):
    page.goto(service.url + "/healthz")  # a page whose policy lets it send requests
    [credential] = alice.credential.items()
    status, document = page.evaluate(UPLOAD, list(credential))

    assert status == 201, document
    assert (document["name"], document["contentType"]) == ('Plan "B" é.md', "text/markdown")
    assert (document["size"], document["metadata"]) == (7, {"project": "alpha"})
    assert document["token"]["viewUrl"]


@pytest.mark.parametrize("password", [None, "right one"])
def test_a_document_that_is_being_converted_arrives_by_itself_without_scripts(
    browser, converting, password
):
    writer = converting.register()
    document = writer.upload(rb"{\rtf1 Hello}", "application/rtf")
    link = writer.share(document, password=password)["viewUrl"]
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(link)
    if password:
        page.fill("#password", password)
        page.click("button", no_wait_after=True)

    page.get_by_role("heading", name="Being prepared…").wait_for()
    page.wait_for_selector("header h1", timeout=60_000)
    assert "Converted by LibreOffice" in page.inner_text("main")
    context.close()


def test_it_arrives_in_the_sandboxed_frame_of_its_owner_too(browser, converting):
    visitor = Visitor(converting).sign_up("framed@example.com")
    document = visitor.api.upload(rb"{\rtf1 Hello}", "application/rtf")
    context = browser.new_context()
    page = context.new_page()
    visitor.enter(page, f"/app/documents/{document['id']}")
    frame = page.frame_locator(".stage iframe")

    frame.get_by_role("heading", name="Being prepared…").wait_for()
    frame.get_by_text("Converted by LibreOffice").first.wait_for(timeout=60_000)
    context.close()

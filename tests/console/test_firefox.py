"""The pages in Firefox: what people do from signing up to a saved file."""

import json

from tests.browser.firefox import Page
from tests.people import PASSWORD

UPLOAD = """(() => {
    const carried = new DataTransfer(), field = document.querySelector("#file");
    carried.items.add(new File(["# We\\n\\nWe agree."], "مكتب.md", { type: "text/markdown" }));
    field.files = carried.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
})()"""
AGREED = "document.body.innerText.includes('We agree.')"


def fill(page, **fields):
    for name, value in fields.items():
        page.evaluate(f"document.querySelector('main [name={name}]').value = {json.dumps(value)}")


def press(page, selector):
    page.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView() ?? 1")
    page.click(selector)


def test_a_document_is_stored_shared_opened_and_saved_in_firefox(firefox, service):
    with Page(firefox) as page:
        page.goto(f"{service.url}/app/signup")
        fill(page, email="in@firefox.example", password=PASSWORD)
        press(page, "main button")
        page.until("location.pathname === '/app/documents' && document.readyState === 'complete'")
        page.evaluate(UPLOAD)
        page.until("document.querySelector('#uploads .live').textContent === 'stored'")
        document = page.evaluate("document.querySelector('#uploads a').href")
        press(page, "[data-pill=who] > summary")
        press(page, "[data-pill=who] [name=withPassword]")
        fill(page, password="open sesame")
        press(page, ".terms .first")
        link = page.until("document.querySelector('.ready [data-copy]').dataset.copy")

        page.goto(document)
        page.frame().until(AGREED)
        press(page, ".acts .menu > summary")
        saved = page.saved_by("a[href$='/download']")

        page.goto(link)
        assert not page.evaluate(AGREED)
        fill(page, password="open sesame")
        press(page, "main button")
        page.until(AGREED)
        assert not [text for text in page.heard if "Content-Security-Policy" in text]

        page.goto(saved.as_uri())
        page.until(AGREED)

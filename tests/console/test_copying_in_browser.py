"""Copy buttons: each puts into the clipboard what its page shows, and nothing else."""

import re
import secrets

import pytest

from tests.console.terms import open_pill
from tests.console.test_flows_in_browser import follow
from tests.console.visitor import Visitor
from tests.service import ROOT
from tests.waiting import until

TEMPLATES = ROOT / "templates"
SHOWN = {  # words of a copy button -> where its page shows what is copied
    "Copy the key": "#secret",
    "Copy the line": "#line",
    "Copy the secret": "#secret",
    "Copy the link": "#link",
    "Copy again": "#link",
    "Copy the HTML": "#embed",
    "Copy the message": "#words",
    "Copy password": ".ready .password code",
}
OF_A_LINK = "Copy"  # stands in the row of a link, which shows no address
OF_A_ROW = "Copy link"  # asks the page of a link for its address when it is pressed
OF_ALL = "Copy all"  # of the links that were made at once, a line each
BUTTON = re.compile(r'<button[^>]*\sdata-copy(?:-of)?="[^"]*"[^>]*>([^<]*)')
BUTTON_OF_SCRIPT = re.compile(r'node\("button", "(Copy[^"]*)"')


def words_of_all_copy_buttons():
    written = [path.read_text() for path in TEMPLATES.rglob("*.html")]
    found = [words.strip() for page in written for words in BUTTON.findall(page)]
    assert len(found) == sum(len(re.findall("data-copy(?:-of)?=", page)) for page in written)
    return found


def test_each_copy_button_is_one_that_is_pressed_here():
    later = {"Copy again"}  # said by the script
    scripts = sorted((TEMPLATES / "console" / "scripts").iterdir())
    script = "".join(file.read_text() for file in scripts)
    made = BUTTON_OF_SCRIPT.findall(script)
    assert script.count(".dataset.copy = ") == len(made)
    found = {*words_of_all_copy_buttons(), *made}
    assert found == {*SHOWN, OF_A_LINK, OF_A_ROW, OF_ALL} - later


def test_no_two_scripts_of_the_pages_give_a_function_the_same_name():
    """They are one script in the browser, where the later one would count."""
    files = [*(TEMPLATES / "console" / "scripts").iterdir(), TEMPLATES / "large_files.js"]
    named = [
        name
        for file in files
        for name in re.findall(r"^(?:async )?function\*? (\w+)", file.read_text(), re.M)
    ]
    assert len(named) > 50
    assert sorted(set(named)) == sorted(named)


class Reader:
    """Somebody who presses every copy button of the pages that they open."""

    def __init__(self, page, owner):
        self.page, self.owner, self.pressed = page, owner, []

    def press_all(self):
        for fold in self.page.locator("main details:not(.menu, .sure) > summary").all():
            fold.evaluate("one => { one.parentElement.open = true; }")
        buttons = self.page.locator("[data-copy], [data-copy-of]").all()
        assert buttons, self.page.url
        for button in buttons:
            self.press(button)

    def press(self, button):
        words = button.evaluate("one => one.firstChild.data.trim()")
        shown = self.shown_by(button, words)
        assert len(shown) > 10
        self.page.evaluate("navigator.clipboard.writeText('what was copied before')")
        button.click()
        until(lambda: button.evaluate("one => one.firstChild.data").startswith("Copied"))
        copied = self.page.evaluate("navigator.clipboard.readText()")
        assert copied == shown, (self.page.url, words)
        self.pressed.append(words)

    def shown_by(self, button, words):
        if words.startswith(OF_ALL):
            shown = self.page.get_by_role("list", name="New links").get_by_role("listitem")
            names = shown.locator("bdi").all_inner_texts()
            found = [self.shown_by(one, OF_A_LINK) for one in shown.locator("[data-copy]").all()]
            return "\n".join(f"{name}: {one}" for name, one in zip(names, found, strict=True))
        if words == OF_A_ROW:
            return self.addresses()[button.get_attribute("data-copy-of").split("/")[3]]
        if words == OF_A_LINK:
            row = button.locator("xpath=ancestor::li")
            address = row.locator("[href*='/app/links/']").first.get_attribute("href")
            return self.addresses()[address.split("/")[3]]
        place = self.page.locator(SHOWN[words])
        is_field = place.evaluate("one => 'value' in one")
        return place.input_value() if is_field else place.inner_text()

    def addresses(self):
        """The address of each link of the owner, by its id."""
        ids = set(re.findall(r"/app/links/(tok_\w+)", self.owner.get("/app/links").text))
        shown = {id: self.owner.get(f"/app/links/{id}").text for id in ids}
        return {
            id: re.search(r'id="link" value="([^"]+)"', text)[1].replace("&amp;", "&")
            for id, text in shown.items()
            if 'id="link"' in text
        }


@pytest.fixture
def reader(service, open_browser):
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    owner.enter(page)
    return Reader(page, owner)


@pytest.mark.slow
def test_each_copy_button_copies_what_its_page_shows(reader, service):
    page, api = reader.page, reader.owner.api
    document = api.upload(b"x", name="Contract.txt", token=None)
    link = api.share(document, label="the “auditor”", allowedOrigins=["https://intranet.example"])
    collection = api.collect(document, title='Offer "A" & <b>')

    files = [
        {"name": name, "mimeType": "text/plain", "buffer": b"x"} for name in ("New.txt", "b.txt")
    ]
    for chosen in (files[:1], files):
        page.locator("#file").set_input_files(chosen)
        if len(chosen) > 1:
            page.get_by_role("radio", name="A link for each").check()
        else:
            guard = open_pill(page.locator(".drop"), "who")
            guard.get_by_role("button", name="Suggest one").click()
            page.keyboard.press("Escape")
        page.get_by_role("button", name="Create and copy link").click()
        page.locator(".ready h2", has_text="copied").wait_for()
        reader.press_all()
    api.share(collection, permissions=["upload"])
    paths = "documents", "links", f"links/{link['id']}", f"documents/{document['id']}", "requests"
    for path in paths:
        page.goto(f"{service.url}/app/{path}")
        reader.press_all()
    page.goto(f"{service.url}/app/collections/{collection['id']}/requests")
    follow(page.get_by_role("button", name="Create the link"))
    reader.press_all()
    page.goto(f"{service.url}/app/keys")
    follow(page.get_by_role("button", name="Create the key"))
    reader.press_all()
    page.goto(f"{service.url}/app/webhooks")
    page.get_by_label("Address").fill("https://hook.example/in")
    follow(page.get_by_role("button", name="Create the webhook"))
    reader.press_all()
    follow(page.get_by_role("link", name="Done"))
    page.locator("main .menu > summary").click()
    follow(page.get_by_role("button", name="Replace the secret"))
    reader.press_all()
    space = api.post("/v1/spaces", json={"name": "Sales"}).json
    page.goto(f"{service.url}/app/spaces/{space['id']}")
    page.get_by_label("E-mail address").fill(f"{secrets.token_hex(6)}@example.org")
    follow(page.get_by_role("button", name="Invite", exact=True))
    reader.press_all()

    assert set(reader.pressed) == {*SHOWN, OF_A_LINK, OF_A_ROW, OF_ALL + " again"}

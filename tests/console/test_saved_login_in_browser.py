"""A browser that has saved the account's login: it fills that of the account, and no other field.

The login lies in the browser's own store (`Login Data` of its profile), and the browser fills it in
by itself. A form of a login, which the test adds to each page, says when the browser has done so.
"""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

import viewer
from tests.conftest import ARGUMENTS, skip_unless_required
from tests.lasting_browser import PATIENCE
from tests.people import PASSWORD

ROOT = Path(__file__).parents[2]
OF_ACCOUNT = {  # templates with a field for the password of the account itself
    "console/login.html",
    "console/account.html",
    "console/delete_account.html",
}
OF_ANOTHER = {
    "console/account.html",
    "console/fields.html",
    "console/signup.html",
    "prompt.html",
    "sealed.html",
    "pdf/locked.html",
}
FIELD = re.compile(r'type="password"')
AUTOCOMPLETE = re.compile(r'autocomplete="([a-z-]+)"')
EMAIL = "saved@example.org"  # of the login; whoever is logged in has another one
STORE = (  # by the program that keeps no secrets in a key ring: `--password-store=basic`
    "--headless=new",
    "--password-store=basic",
)
ADD_LOGIN_FORM = """
addEventListener("DOMContentLoaded", () => {
  const form = document.createElement("form");
  form.id = "of-a-login";
  for (const [type, autocomplete] of [["text", "username"], ["password", "current-password"]]) {
    form.append(Object.assign(document.createElement("input"), { type, autocomplete, name: type }));
  }
  document.body.append(form);
});
"""
FILLED = """() => [...document.querySelectorAll("input:not(#of-a-login *), textarea")]
  .filter(field => field.name && field.autocomplete !== "current-password")
  .filter(field => field.matches(":autofill") || field.value === SECRET || field.value === EMAIL)
  .map(field => field.name || field.id)"""


def password_fields():
    """The templates with a password field, and what `autocomplete` each field has."""
    found = {}
    for folder in ROOT / "templates", Path(viewer.TEMPLATES):
        for path in sorted(folder.rglob("*.html")):
            for line in path.read_text().splitlines():
                if FIELD.search(line):
                    [kind] = AUTOCOMPLETE.findall(line)
                    found.setdefault(str(path.relative_to(folder)), set()).add(kind)
    return found


def test_no_field_but_those_of_the_account_takes_a_stored_password():
    fields = password_fields()
    assert {one for one in fields if "current-password" in fields[one]} == OF_ACCOUNT
    assert {one for one in fields if "new-password" in fields[one]} == OF_ANOTHER
    assert set().union(*fields.values()) == {"current-password", "new-password"}


def sealed_as_chromium_stores(text):
    """Seal as Chromium does on Linux without a key ring (`components/os_crypt`, version 10)."""
    key = PBKDF2HMAC(SHA1(), 16, b"saltysalt", 1).derive(b"peanuts")  # noqa: S303
    padding = 16 - len(text) % 16
    encryptor = Cipher(algorithms.AES(key), modes.CBC(b" " * 16)).encryptor()
    padded = text + bytes([padding]) * padding
    return b"v10" + encryptor.update(padded) + encryptor.finalize()


def save_login(profile, url, email, password):
    values = {
        "origin_url": url + "/app/login",
        "action_url": url + "/app/login",
        "username_element": "email",
        "username_value": email,
        "password_element": "password",
        "password_value": sealed_as_chromium_stores(password.encode()),
        "signon_realm": url + "/",
        "date_created": 13_300_000_000_000_000,
        "blacklisted_by_user": 0,
        "scheme": 0,
        "times_used": 1,
    }
    columns = ", ".join(values)
    places = ", ".join(f":{name}" for name in values)
    with sqlite3.connect(profile / "Default" / "Login Data") as database:
        database.execute(f"INSERT INTO logins ({columns}) VALUES ({places})", values)  # noqa: S608
    database.close()


@pytest.fixture(scope="module")
def browser_with_login(chromium_of_playwright, tmp_path_factory, service):
    """A browser that has saved a login."""
    profile = tmp_path_factory.mktemp("profile")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        skip_unless_required("browser", "no Chromium here: apt-get install chromium")

    def start():
        context = chromium_of_playwright.launch_persistent_context(
            profile,
            executable_path=program,
            headless=False,  # the program without windows is another one, without a store
            args=[*ARGUMENTS, *STORE],
            ignore_default_args=["--enable-automation"],  # which switches off the store
        )
        context.set_default_timeout(PATIENCE)
        return context

    start().close()  # makes the profile
    save_login(profile, service.url, EMAIL, PASSWORD)
    context = start()
    context.add_init_script(ADD_LOGIN_FORM)
    yield context
    context.close()


@pytest.fixture
def page_with_login(browser_with_login):
    """A page of it, in which nobody is logged in."""
    browser_with_login.clear_cookies()
    page = browser_with_login.new_page()
    yield page
    page.close()


def filled(page):
    """The names of fields that hold the saved login, once the browser has filled it in."""
    page.mouse.click(5, 5)  # only then a page can read it
    page.wait_for_function("document.querySelector('#of-a-login [type=password]')?.value")
    values = FILLED.replace("SECRET", repr(PASSWORD)).replace("EMAIL", repr(EMAIL))
    return page.evaluate(values)


def test_a_browser_with_a_saved_login_fills_the_fields_of_the_account_alone(
    member, page_with_login
):
    page, api = page_with_login, member.api
    document = api.upload(b"x", name="x.txt", token=None)
    collection = api.post("/v1/collections", json={"title": "y", "documentIds": [document["id"]]})
    link = api.share(document, password="hunter22", label="Ben")
    url = member.service.url

    page.goto(url + "/app/login")
    page.mouse.click(5, 5)
    page.wait_for_function("document.querySelector('[name=password]').value")
    assert page.locator("[name=password]").first.input_value() == PASSWORD
    page.goto(link["shortUrl"])
    assert filled(page) == []

    member.enter(page, "/app")
    pages = {
        "/app/requests": "the form stands open as nothing was requested",
        "/app/documents": "the terms of a link to new files",
        f"/app/documents/{document['id']}": "a link, and a passphrase",
        f"/app/collections/{collection.json['id']}": "a link, a request, and a passphrase",
        f"/app/links/{link['id']}": "a link that has a password",
        "/app/account": "a new password",
    }
    for path, what in pages.items():
        page.goto(url + path)
        assert page.locator("input[type=password]:not(#of-a-login *)").count(), path
        assert filled(page) == [], what
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert filled(page) == [], what


def test_a_request_that_is_made_with_a_saved_login_has_no_password(member, page_with_login):
    page = page_with_login
    for title in "Receipts", "Photos":  # the second time in a card that is opened
        member.enter(page, "/app/requests")
        assert filled(page) == []
        card = page.locator("#new")
        if title == "Photos":
            page.get_by_role("link", name="New request").click()
        card.get_by_text("More options").click()
        password = card.get_by_label("Password", exact=True)
        assert password.is_disabled()
        card.get_by_label("What do you need?").fill(title)
        card.get_by_role("button", name="Create the link").click()
        page.wait_for_url(re.compile(r"[?]made="))
        made = member.api.get("/v1/tokens").json["tokens"][0]
        assert (made["hasPassword"], made["label"]) == (False, None)
        member.enter(page, "/app/requests")


def test_a_password_is_typed_once_its_box_is_ticked(member, page_with_login):
    page = page_with_login
    member.enter(page, "/app/requests")
    card = page.locator("#new")
    card.get_by_label("What do you need?").fill("Receipts")
    card.get_by_text("More options").click()
    card.get_by_label("With a password").check()
    password = card.get_by_label("Password", exact=True)
    assert password.input_value() == ""
    assert password.evaluate("one => one === document.activeElement")
    password.fill("tulip harbor")
    card.get_by_role("button", name="Create the link").click()
    page.wait_for_url(re.compile(r"[?]made="))
    assert member.api.get("/v1/tokens").json["tokens"][0]["hasPassword"]


def test_without_a_script_no_password_is_taken_unless_its_box_is_ticked(member):
    page = member.get("/app/requests")
    [box] = re.findall(r'<input type="checkbox" name="withPassword"[^>]*>', page.text)
    assert "checked" not in box
    terms = {"title": "Receipts", "ends": "7", "password": "filled by a browser"}
    assert member.post("/app/requests", terms).status == 303
    assert not member.api.get("/v1/tokens").json["tokens"][0]["hasPassword"]
    assert member.post("/app/requests", terms | {"withPassword": "1"}).status == 303
    assert member.api.get("/v1/tokens").json["tokens"][0]["hasPassword"]
    refused = member.post("/app/requests", terms | {"withPassword": "1", "password": ""})
    assert refused.status == 422
    assert "Type the password, or take the tick away." in refused.text

"""What people do in a browser, by what they see: with and without script, on desk and phone."""

import re
import secrets
import socket

import pytest

from tests.console.terms import choose_last_day, field
from tests.console.visitor import Visitor
from tests.people import PASSWORD, Person
from tests.service import Service
from tests.waiting import until


def follow(control):
    """Click on what leads to a page, and wait until that one has loaded."""
    with control.page.expect_navigation():
        control.click()


def follow_by_key(page):
    """Press Enter on what leads to a page, and wait until that one has loaded."""
    with page.expect_navigation():
        page.keyboard.press("Enter")


def sign_up(page, url):
    email = f"{secrets.token_hex(6)}@example.org"
    page.goto(url)
    follow(page.get_by_role("link", name="Sign up"))
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    page.wait_for_url("**/app/documents")
    return email


def enter(page, service):
    """Open the pages of somebody new."""
    Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org").enter(page)


def upload(page, name, js=True):
    """Store a file, and open its page."""
    file = {"name": name, "mimeType": "text/markdown", "buffer": b"# Contract\n\nWe agree."}
    page.get_by_label("Drop a file, get a link").set_input_files(file)
    if js:
        follow(page.get_by_role("list", name="Uploads").get_by_role("link", name=name))
    else:
        page.get_by_role("button", name="Keep private").click()
    page.wait_for_url("**/app/documents/doc_*")


def go_to(page, words):
    """Follow a link of the account's menu."""
    menu = page.locator(".me")
    menu.locator("summary").click()
    follow(menu.get_by_role("link", name=words))


def log_out(page, url):
    page.locator(".me > summary").click()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url(url + "/")


def open_part(page, words, js=True):
    """Of a document's page: by the menu, or without script where it stands."""
    if js:
        page.locator("main .menu > summary").click()
        page.get_by_role("link", name=words).click()
    else:
        page.locator("summary", has_text=words).click()


def share(page, **fields):
    for label, value in fields.items():
        field(page, label).fill(value)
    follow(page.get_by_role("button", name="Create the link"))
    return page.inner_text("#link")


@pytest.mark.parametrize(("js", "width"), [(True, 375), (False, 1280)])
def test_a_contract_is_sent_seen_and_taken_back(js, width, service, open_browser):
    page = open_browser(width, java_script_enabled=js)
    recipient = open_browser(width, java_script_enabled=js)
    sign_up(page, service.url)
    upload(page, "Contract.md", js)

    choose_last_day(page, "2999-12-31")
    field(page, "Who is it for?").fill("the auditor")
    follow(page.get_by_role("button", name="Create the link"))
    link = page.inner_text("#link")
    page.get_by_text("QR code").click()
    assert page.get_by_role("img", name="The link as a QR code").is_visible()
    follow(page.locator(".ready").get_by_role("link", name="Contract.md"))
    recipient.goto(link)
    assert "We agree." in recipient.inner_text("main")

    follow(page.get_by_role("link", name="Links", exact=True))
    row = page.get_by_role("list", name="Links").locator("li", has_text="the auditor")
    assert "1 time" in row.inner_text()
    assert "2999" in row.inner_text() or "3000" in row.inner_text()
    follow(row.get_by_role("link", name="the auditor", exact=True))
    assert "opened" in page.inner_text("main")
    follow(page.get_by_role("switch", name="Active"))
    assert page.get_by_role("switch", name="Active").get_attribute("aria-checked") == "false"
    assert recipient.goto(link).status == 410
    assert "This link is off" in recipient.inner_text("main")
    follow(page.get_by_role("button", name="Undo"))
    assert "The link is on again" in page.inner_text("#say")
    assert recipient.goto(link).status == 200
    question = page.locator("summary", has_text="Delete link")
    question.click()
    assert page.get_by_text("Its address never opens again").is_visible()
    question.click()
    assert not page.get_by_role("button", name="Delete link").is_visible()
    question.click()
    follow(page.get_by_role("button", name="Delete link"))

    assert "The link is deleted." in page.inner_text("#say")
    assert recipient.goto(link).status == 410
    follow(page.get_by_role("link", name="Activity"))
    sentence = "deleted the link to Contract.md for “the auditor”"
    assert sentence in page.inner_text("main")


@pytest.mark.parametrize(("js", "width"), [(True, 375), (False, 1280)])
def test_keys_and_webhooks_are_made_replaced_and_ended(js, width, service, open_browser):
    page = open_browser(width, java_script_enabled=js)
    enter(page, service)

    go_to(page, "Keys")
    page.get_by_label("Name").fill("backup")
    follow(page.get_by_role("button", name="Create the key"))
    first = page.inner_text("#secret")
    assert Person(service).with_api_key(first).get("/v1/documents").status == 200
    follow(page.get_by_role("link", name="Done"))
    acts = page.locator("summary[aria-label='Acts for backup']")
    acts.first.click()
    page.get_by_label("The old key of backup works").select_option("ends now")
    follow(page.get_by_role("button", name="Rotate backup"))
    second = page.inner_text("#secret")
    assert Person(service).with_api_key(first).get("/v1/documents").status == 401
    follow(page.get_by_role("link", name="Done"))
    acts.first.click()
    follow(page.get_by_role("button", name="Revoke backup"))
    assert Person(service).with_api_key(second).get("/v1/documents").status == 401

    go_to(page, "Webhooks")
    page.get_by_label("Address").fill("https://hook.example/in")
    follow(page.get_by_role("button", name="Create the webhook"))
    secret = page.inner_text("#secret")
    follow(page.get_by_role("link", name="Done"))
    follow(page.get_by_role("button", name="Send a test"))
    assert "Webhook test" in page.get_by_role("list", name="Deliveries").inner_text()
    more = page.locator("main .menu > summary")
    more.click()
    follow(page.get_by_role("button", name="Replace the secret"))
    assert page.inner_text("#secret") != secret
    follow(page.get_by_role("link", name="Done"))
    more.click()
    follow(page.get_by_role("button", name="Delete"))
    assert "No webhooks yet." in page.inner_text("main")


@pytest.mark.parametrize(("js", "width"), [(True, 375), (False, 1280)])
def test_a_document_is_renamed_saved_and_deleted(js, width, service, open_browser, tmp_path):
    page = open_browser(width, java_script_enabled=js, accept_downloads=True)
    enter(page, service)
    upload(page, "old.md", js)

    page.locator("summary:has(h1)").click()  # the name is edited where it stands
    page.get_by_label("Name", exact=True).fill("new.md")
    page.get_by_label("Metadata").fill("case: 7")
    follow(page.get_by_role("button", name="Save", exact=True))
    assert "new.md" in page.inner_text("h1")
    saved = ("Save the original", "new.md"), ("Save as one HTML file", "new.md.html")
    for name, expected in saved:
        page.locator("main .menu:not([open]) > summary").click()
        with page.expect_download() as saving:
            page.get_by_role("link", name=name).click()
        assert saving.value.suggested_filename == expected
        page.reload()
    open_part(page, "Save with a passphrase", js)
    page.get_by_label("Passphrase").fill("open sesame")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save the encrypted file").click()
    assert b"We agree." not in saving.value.path().read_bytes()

    page.locator("main .menu > summary").click()
    follow(page.get_by_role("button", name="Delete"))
    assert "“new.md” is in the bin." in page.inner_text("#say")
    follow(page.get_by_role("button", name="Undo"))
    assert "Restored" in page.inner_text("#say")
    assert page.get_by_role("link", name="new.md").is_visible()


@pytest.mark.parametrize(("js", "width"), [(True, 1280), (False, 375)])
def test_several_documents_are_deleted_and_put_back(js, width, service, open_browser):
    page = open_browser(width, java_script_enabled=js)
    enter(page, service)
    (cookie,) = page.context.cookies()
    ada = Person(service).with_token(cookie["value"])
    for number in range(3):
        ada.upload(b"x", name=f"{number}.txt", token=None)
    page.reload()
    delete = page.get_by_role("button", name="Delete")
    assert not delete.is_visible()
    page.get_by_role("checkbox", name="0.txt").check()
    page.get_by_role("link", name="2.txt").focus()
    page.keyboard.press("x") if js else page.get_by_role("checkbox", name="2.txt").check()
    assert delete.is_visible()
    follow(delete)
    assert "2 documents are in the bin." in page.inner_text("#say")
    assert not page.get_by_role("link", name="0.txt").count()
    follow(page.get_by_role("button", name="Undo"))
    page.get_by_role("checkbox", name="1.txt").check()
    if js:
        page.get_by_role("button", name="All on this page").click()
        assert page.locator(".list :checked").count() == 3
        follow(delete)
        assert "Nothing here yet" in page.inner_text("main")
        follow(page.get_by_role("link", name="Bin"))
        follow(page.get_by_role("button", name="Restore").first)
        page.locator("summary", has_text="Delete now").first.click()
        follow(page.get_by_role("button", name="Delete now"))
        assert "deleted for good" in page.inner_text("#say")


def test_a_password_is_changed_and_another_session_ended(service, open_browser):
    page, other = open_browser(), open_browser()
    email = sign_up(page, service.url)
    other.goto(service.url + "/app/account")
    other.get_by_label("E-mail address").fill(email)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Log in").click()
    other.wait_for_url("**/app/account")

    go_to(page, "Settings")
    follow(page.get_by_role("button", name="End", exact=False))
    assert "The session has ended." in page.inner_text("#say")
    other.reload()
    assert "/app/login" in other.url
    page.locator("summary", has_text="Password").click()
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password").fill("another good one")
    follow(page.get_by_role("button", name="Change the password"))
    assert "Your new password is set." in page.inner_text("#say")
    log_out(page, service.url)
    assert page.get_by_role("link", name="Log in").is_visible()


def tab_to(page, *names):
    """Press Tab until the element that has the focus is called so."""
    called = """() => {
        const focused = document.activeElement;
        const words = focused.labels?.[0]?.firstChild || focused.querySelector("bdi") || focused;
        return words.textContent.trim() || focused.ariaLabel || "";
    }"""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(called) in names:
            return
    pytest.fail(f"Tab does not reach {names}")


def test_everything_is_done_by_keyboard_alone(service, open_browser):
    page = open_browser()
    page.goto(service.url)
    tab_to(page, "Sign up")
    page.keyboard.press("Enter")
    page.wait_for_url("**/app/signup")
    tab_to(page, "E-mail address")
    page.keyboard.type(f"{secrets.token_hex(6)}@example.org")
    tab_to(page, "Password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/app/documents")
    tab_to(page, "Drop a file, get a link")
    choosers = []
    page.on("filechooser", lambda one: choosers.append(one))  # noqa: PLW0108, Playwright marks it
    until(lambda: page.keyboard.press("Space") or choosers)  # Chromium may miss the first
    choosers[0].set_files({"name": "k.md", "mimeType": "text/markdown", "buffer": b"# Keys"})
    table = page.get_by_role("table", name="Documents")
    table.get_by_role("link", name="k.md").wait_for()  # what has the focus is not replaced any more
    tab_to(page, "k.md")  # the box that selects it
    tab_to(page, "k.md")
    page.keyboard.press("Enter")
    page.wait_for_url("**/app/documents/doc_*")
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", name="Keys").wait_for()
    page.reload()
    tab_to(page, "Name, limit, embedding")
    page.keyboard.press("Enter")
    tab_to(page, "Who is it for?")
    page.keyboard.type("the auditor")
    follow_by_key(page)
    tab_to(page, "Copy the link")
    page.keyboard.press("Enter")
    until(lambda: page.inner_text("#say") == "Copied.")
    tab_to(page, "k.md")
    page.keyboard.press("Enter")
    page.wait_for_url("**/app/documents/doc_*")
    page.locator(".person > summary").focus()  # the only link is open
    tab_to(page, "Delete link for the auditor")
    page.keyboard.press("Enter")
    tab_to(page, "Delete link")
    follow_by_key(page)
    assert "deleted" in page.inner_text("#say")
    tab_to(page, "Your account")
    page.keyboard.press("Enter")
    tab_to(page, "Log out")
    page.keyboard.press("Enter")
    page.wait_for_url(service.url + "/")


def test_the_first_tab_offers_to_skip_to_the_content(service, open_browser):
    page = open_browser()
    enter(page, service)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    box = page.get_by_role("link", name="Skip to the content").bounding_box()
    assert box["x"] >= 0


def addresses_of_this_machine():
    """Addresses that other machines would use."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            return []
        return [probe.getsockname()[0]]


def test_over_plain_http_on_another_address_everything_works(tmp_path, open_browser):
    """There browsers send no `Sec-Fetch-Site`, and drop cookies with the prefix `__Host-`."""
    addresses = [one for one in addresses_of_this_machine() if not one.startswith("127.")]
    if not addresses:
        pytest.skip("this machine has no other address")
    service = Service(tmp_path)
    try:
        service.stop()
        service.settings["LISTEN"] = f"0.0.0.0:{service.port}"
        service.start()
        page = open_browser()
        url = f"http://{addresses[0]}:{service.port}"
        sign_up(page, url)
        upload(page, "lan.md")
        link = share(page, **{"Who is it for?": "a neighbour"})
        assert link.startswith(url)
        page.get_by_role("button", name="Copy the link").click()
        until(lambda: page.inner_text("#say") == "Copied.")
        log_out(page, url)
    finally:
        service.close()


def test_a_reader_sees_times_of_their_own_zone(service, open_browser):
    page = open_browser(timezone_id="Asia/Tokyo", locale="en-GB")
    enter(page, service)
    upload(page, "time.md")
    time = page.locator("time").first
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", time.get_attribute("title"))
    assert time.inner_text() != time.get_attribute("title")
    choose_last_day(page, "2999-12-31")
    follow(page.get_by_role("button", name="Create the link"))
    ends = page.locator(".ready time")
    assert ends.get_attribute("title") == "2999-12-31 14:59 UTC"
    assert "31 December 2999" in ends.inner_text()


def is_on_top(control):
    """Whether a click in the middle of the control, inside of the window, reaches it."""
    return control.evaluate(
        """one => {
            const box = one.getBoundingClientRect();
            const x = box.x + box.width / 2, y = box.y + box.height / 2;
            return one.contains(document.elementFromPoint(x, y));
        }"""
    )


@pytest.mark.parametrize("height", [600, 844])
def test_on_a_phone_every_act_of_a_menu_can_be_pressed(height, service, open_browser):
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    document = owner.api.upload(b"# Text", name="Contract.md", token=None)
    collection = owner.api.collect(document)
    page = open_browser(390)
    page.set_viewport_size({"width": 390, "height": height})
    for path in (f"documents/{document['id']}", f"collections/{collection['id']}"):
        owner.enter(page, f"/app/{path}")
        menu = page.locator(".acts .menu > summary")
        place = menu.bounding_box()["y"]
        page.evaluate("y => scrollTo(0, y)", place - height + 130)  # just above the bar
        menu.click()
        acts = page.locator(".acts .menu > div").locator("a, button").all()
        assert len(acts) > 4
        for act in acts:
            act.scroll_into_view_if_needed()
            assert is_on_top(act), act.inner_text()
        page.keyboard.press("Escape")
        assert menu.evaluate("one => one === document.activeElement")


def test_what_a_link_of_the_page_opens_has_the_focus(service, open_browser):
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    document = owner.api.upload(b"# Text", name="Contract.md")
    page = open_browser()
    owner.enter(page, f"/app/documents/{document['id']}")
    page.get_by_role("link", name="New link").click()
    first = page.locator("#new summary", has_text="Anyone with the link")
    assert first.evaluate("one => one === document.activeElement")
    for words, name in (("Save with a passphrase", "password"), ("Edit details", "name")):
        page.locator("main .menu > summary").click()
        page.get_by_role("link", name=words).click()
        assert page.evaluate("document.activeElement.name") == name


def test_on_a_phone_a_notice_hides_nothing_that_is_pressed_next(service, open_browser):
    page = open_browser(390)
    page.set_viewport_size({"width": 390, "height": 844})
    enter(page, service)
    file = {"name": "Contract.md", "mimeType": "text/markdown", "buffer": b"# Contract"}
    page.get_by_label("Drop a file, get a link").set_input_files(file)
    until(lambda: page.inner_text("#say") == "1 file stored.")
    page.get_by_role("checkbox", name="Contract.md").check()
    for button in page.locator(".bar button").all():
        assert is_on_top(button), button.inner_text()


def test_on_a_phone_the_state_of_an_upload_is_in_one_line(service, open_browser):
    page = open_browser(390)
    enter(page, service)
    name = "A name that is as long as those which come from scanners.md"
    file = {"name": name, "mimeType": "text/markdown", "buffer": b"# Contract"}
    page.get_by_label("Drop a file, get a link").set_input_files(file)
    state = page.locator("#uploads .state")
    state.wait_for()
    line = state.evaluate("one => parseFloat(getComputedStyle(one).lineHeight) * 1.5")
    assert state.bounding_box()["height"] < line


@pytest.mark.parametrize("width", [390, 1280])
def test_a_question_stands_where_its_button_is_until_it_is_put_away(width, service, open_browser):
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    owner.api.create_api_key(name="backup")
    page = open_browser(width)
    page.set_viewport_size({"width": width, "height": 844})
    owner.enter(page, "/app/keys")
    question = page.locator("summary[aria-label='Acts for backup']")
    act = page.get_by_role("button", name="Revoke backup")
    assert not act.is_visible()
    question.click()
    assert is_on_top(act)
    box = act.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    page.keyboard.press("Escape")
    assert not act.is_visible()
    assert question.evaluate("one => one === document.activeElement")
    question.click()
    page.get_by_role("heading", name="Keys", exact=True).click(
        position={"x": 2, "y": 2}, force=True
    )
    assert not act.is_visible()

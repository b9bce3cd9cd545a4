"""Uploading with the script: several at once, progress, cancel, limits, dropping, pasting."""

import re
import secrets
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.accessible import assert_accessible
from tests.console.terms import choose_end, field, say_of
from tests.console.test_flows_in_browser import enter, follow
from tests.console.visitor import Visitor
from tests.waiting import until


def file(name, content=b"x", kind="text/plain"):
    return {"name": name, "mimeType": kind, "buffer": content}


def said(page):
    return page.inner_text("#say")


def progress(page):
    return page.locator("progress").evaluate("one => one.value")


def names(page):
    return page.locator("tbody a bdi").all_inner_texts()


@pytest.fixture(scope="module")
def small_service(start_service):
    return start_service(MAX_DOCUMENT_BYTES="1000000", MAX_UPLOAD_BYTES="1000000")


def test_several_files_are_uploaded_one_after_another(service, open_browser):
    page = open_browser()
    enter(page, service)
    page.locator("#file").set_input_files([file(f"{n}.txt") for n in range(4)])
    until(lambda: said(page) == "4 files stored.")
    until(lambda: names(page) == ["3.txt", "2.txt", "1.txt", "0.txt"])


DROP = """([type, names, content = "x"]) => {
    const carried = new DataTransfer();
    for (const name of names)
        carried.items.add(new File([content], name, { type: "text/plain" }));
    const data = type === "paste" ? { clipboardData: carried } : { dataTransfer: carried };
    document.body.dispatchEvent(type === "paste"
        ? new ClipboardEvent(type, { ...data, bubbles: true })
        : new DragEvent(type, { ...data, bubbles: true, cancelable: true }));
}"""


@pytest.mark.parametrize("way", ["drop", "paste"])
def test_files_are_dropped_anywhere_or_pasted(way, service, open_browser):
    page = open_browser()
    enter(page, service)
    if way == "drop":
        page.evaluate(DROP, ["dragover", ["a.txt"]])
        assert "over" in page.locator("html").get_attribute("class")
    page.evaluate(DROP, [way, ["a.txt", "b.txt"]])
    until(lambda: said(page) == "2 files stored.")
    until(lambda: sorted(names(page)) == ["a.txt", "b.txt"])


SHARE = """async () => {
    const form = new FormData();
    for (const name of ["a photo.jpg", "مكتب.txt"]) form.append("file", new File(["x"], name));
    return (await fetch("/app/share", { method: "POST", body: form })).url;
}"""


def test_what_a_phone_has_shared_gets_its_links_in_the_card(service, open_browser):
    page = open_browser(390, permissions=["clipboard-read", "clipboard-write"])
    enter(page, service)
    page.goto(page.evaluate(SHARE))
    page.get_by_role("radio", name="A link for each").check()
    page.get_by_role("button", name="Create and copy link").click()
    until(lambda: said(page) == "The links are copied.")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["a photo.jpg", "مكتب.txt"]


def test_a_dropped_folder_is_stored_with_all_that_is_in_it(service, open_browser, tmp_path):
    left_by_systems = ("contracts/.DS_Store", "contracts/2026/Thumbs.db", "contracts/._a.txt")
    for name in (
        "contracts/a.txt",
        "contracts/2026/b.txt",
        "contracts/2026/empty/",
        *left_by_systems,
    ):
        path = tmp_path / name
        path.mkdir(parents=True) if name.endswith("/") else path.parent.mkdir(exist_ok=True)
        path.is_dir() or path.write_text("x")
    page = open_browser()
    enter(page, service)
    mouse = page.context.new_cdp_session(page)
    carried = {"items": [], "files": [str(tmp_path / "contracts")], "dragOperationsMask": 1}
    for type in ("dragEnter", "dragOver", "drop"):
        mouse.send("Input.dispatchDragEvent", {"type": type, "x": 640, "y": 400, "data": carried})
    until(lambda: said(page) == "2 files stored.")
    until(lambda: sorted(names(page)) == ["a.txt", "b.txt"])


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(small_service, open_browser):
    page = open_browser()
    enter(page, small_service)
    page.asked.clear()
    page.locator("#file").set_input_files([file("large.bin", b"x" * 1_000_001)])
    row = page.get_by_role("list", name="Uploads").get_by_role("listitem")
    assert "Too large: up to 1 MB can be stored." in row.inner_text()
    assert not row.get_by_role("button", name="Try again").count()
    assert page.asked == []
    page.locator("#file").set_input_files([file("small.bin")])
    until(lambda: "stored" in page.get_by_role("list", name="Uploads").inner_text())
    assert "large.bin" in page.get_by_role("list", name="Uploads").inner_text()


def test_why_a_file_is_refused_stands_below_its_name_on_a_phone(service, open_browser):
    page = open_browser(390)
    enter(page, service)
    page.context.clear_cookies()
    page.locator("#file").set_input_files([file("minutes of March.txt")])
    why = page.locator("#uploads .error")
    why.wait_for()
    name = page.locator("#uploads b")
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert why.bounding_box()["y"] > name.bounding_box()["y"]
    again, remove = page.locator("#uploads").get_by_role("button").all()
    assert abs(remove.bounding_box()["y"] - name.bounding_box()["y"]) < 44
    assert again.bounding_box()["y"] > remove.bounding_box()["y"]


def test_a_file_that_is_too_large_is_refused_before_it_is_sent_on_each_page(
    small_service, open_browser
):
    page = open_browser(390)
    enter(page, small_service)
    page.goto(f"{small_service.url}/app/links")
    page.asked.clear()
    page.evaluate(DROP, ["drop", ["large.txt"], "x" * 1_000_001])
    row = page.locator("#uploads li")
    assert "Too large: up to 1 MB can be stored." in row.inner_text()
    assert page.asked == []
    card, navigation = page.locator("#uploads").bounding_box(), page.locator("nav").bounding_box()
    assert card["y"] + card["height"] < navigation["y"]


def test_a_file_that_is_too_large_to_replace_a_document_is_refused_at_its_field(
    start_service, open_browser
):
    owner = Visitor(start_service(MAX_DOCUMENT_BYTES="1000000")).sign_up("ada@example.org")
    document = owner.api.upload(b"old", name="offer.txt", token=None)
    page = open_browser()
    owner.enter(page, f"/app/documents/{document['id']}/newer")
    page.asked.clear()
    chosen = page.get_by_label("New file")
    chosen.set_input_files([file("large.bin", b"x" * 1_000_001)])
    sentence = "Too large: up to 1 MB can replace a document."
    assert page.inner_text("#file-error") == said(page) == sentence
    assert_accessible(page)
    page.get_by_role("button", name="Replace").click()
    assert chosen.evaluate("one => one === document.activeElement && one.ariaInvalid") == "true"
    assert page.asked == []
    page.evaluate(DROP, ["drop", ["one.txt", "another.txt"]])
    several = "One file replaces the document. Choose one of them."
    assert page.inner_text("#file-error") == several
    until(lambda: said(page) == several)
    assert chosen.evaluate("one => one.files.length") == 0
    page.evaluate(DROP, ["drop", ["newer.txt"]])  # the file goes here, and is not stored beside
    assert not page.locator("#file-error").is_visible()
    page.get_by_role("button", name="Replace").click()
    page.get_by_text("Replaced. Its links open the new file now.").wait_for()
    assert len(owner.api.get("/v1/documents").json["documents"]) == 2


def test_progress_moves_and_an_upload_is_cancelled_and_sent_again(service, open_browser):
    page = open_browser()
    enter(page, service)
    network = page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1}
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": 400_000})
    page.locator("#file").set_input_files([file("slow.bin", b"x" * 3_000_000)])
    seen = until(lambda: progress(page))
    until(lambda: progress(page) > seen)
    page.get_by_role("button", name="Cancel slow.bin").click()
    row = page.get_by_role("list", name="Uploads").get_by_role("listitem")
    until(lambda: not row.count())
    assert page.get_by_text("Drop a file, get a link").is_visible()

    network.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": -1})
    page.locator("#file").set_input_files([file("slow.bin")])
    until(lambda: names(page) == ["slow.bin"])
    until(lambda: said(page) == "1 file stored.")


def test_what_a_cut_line_stopped_goes_on_by_itself_and_is_not_stored_twice(service, open_browser):
    page = open_browser()
    enter(page, service)
    uploads = []

    def lose_first(route):
        uploads.append(route.request.url)
        if len(uploads) == 1:
            route.fetch()
            return route.abort()
        return route.continue_()

    page.route("**/app/documents?key=*", lose_first)
    page.locator("#file").set_input_files([file("lost.txt")])
    until(lambda: names(page) == ["lost.txt"])
    assert uploads[0] == uploads[1]


def test_an_upload_after_the_session_has_ended_says_so(service, open_browser):
    page = open_browser()
    enter(page, service)
    page.context.clear_cookies()
    page.locator("#file").set_input_files([file("late.txt")])
    row = page.get_by_role("list", name="Uploads")
    until(lambda: "Your session has ended." in row.inner_text())


def test_a_file_becomes_a_copied_link_that_ends_on_friday_and_has_a_password(service, open_browser):
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    enter(page, service)
    page.locator("#file").set_input_files([file("contract.txt", b"We agree.")])
    field(page, "Password").fill("hunter22")
    page.get_by_role("button", name="Create and copy link").click()
    until(lambda: said(page) == "The link is copied.")
    recipient = open_browser()
    recipient.goto(page.evaluate("navigator.clipboard.readText()"))
    recipient.get_by_label("Password").fill("hunter22")
    recipient.get_by_role("button", name="Open the document").click()
    recipient.get_by_text("We agree.").wait_for()
    assert "Anyone with it and the password can view and download" in page.inner_text(".ready")
    page.get_by_role("link", name="Change").click()
    page.wait_for_url("**/app/links/tok_*")
    assert "Fri" in page.inner_text("main")


def test_the_list_is_searched_as_one_types(service, open_browser):
    page = open_browser()
    enter(page, service)
    page.locator("#file").set_input_files([file("Prüfung 2026.txt"), file("Vertrag 2026.txt")])
    until(lambda: len(names(page)) == 2)
    page.goto(service.url + "/app/documents")
    page.keyboard.press("/")
    page.keyboard.type("2026 prufung")
    until(lambda: names(page) == ["Prüfung 2026.txt"])
    assert "name=2026+prufung" in page.url


def test_pasted_text_is_stored_as_a_file(service, open_browser):
    page = open_browser()
    enter(page, service)
    page.evaluate("""() => {
        const carried = new DataTransfer();
        carried.setData("text/plain", "Hello");
        document.body.dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: carried, bubbles: true }));
    }""")
    until(lambda: len(names(page)) == 1)
    assert names(page)[0].startswith("Pasted text ")


def test_a_refused_file_takes_no_link_from_the_others(small_service, open_browser):
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    enter(page, small_service)
    page.locator("#file").set_input_files([file("small.txt"), file("large.bin", b"x" * 1_000_001)])
    until(lambda: names(page) == ["small.txt"])
    page.get_by_role("button", name="Create and copy link").click()
    until(lambda: said(page) == "The link is copied.")
    assert "token=dt_" in page.evaluate("navigator.clipboard.readText()")


@pytest.fixture
def sender(service, open_browser):
    """Somebody at the first page, who may read the clipboard; `api` is the same person there."""
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    owner.enter(page)
    page.api = owner.api
    return page


CREATE = "Create and copy link"


def create_link(page):
    page.get_by_role("button", name=CREATE).click()
    until(lambda: said(page) == "The link is copied.")


def copied(page):
    return page.evaluate("navigator.clipboard.readText()")


def hold_uploads(page):
    """The uploads that wait from now on until they are continued."""
    held = []
    page.route("**/app/documents?key=*", lambda one: held.append(one))  # noqa: PLW0108, Playwright marks it
    return held


def links_of(page):
    """The records of all links, the oldest first."""
    documents = page.api.get("/v1/documents").json["documents"]
    return [link for one in reversed(documents) for link in reversed(page.api.links(one))]


def test_the_form_of_a_link_is_gone_once_the_link_is_copied(sender):
    sender.locator("#file").set_input_files([file("contract.txt", b"We agree.")])
    create_link(sender)
    first = copied(sender)
    assert not sender.get_by_role("button", name=CREATE).is_visible()
    assert not sender.get_by_label("Password", exact=True).is_visible()
    assert sender.evaluate("document.activeElement.dataset.copy") == first
    sender.keyboard.press("Enter")
    until(lambda: said(sender) == "Copied.")
    assert copied(sender) == first
    assert len(links_of(sender)) == 1


def test_the_next_file_has_neither_the_password_nor_the_label_of_the_one_before(sender):
    sender.locator("#file").set_input_files([file("for-ana.txt")])
    field(sender, "Who is it for?").fill("Ana")
    field(sender, "Password").fill("only Ana knows")
    choose_end(sender, "until I turn it off")
    create_link(sender)
    sender.locator("#file").set_input_files([file("for-ben.txt")])
    said_then = [say_of(sender, kind) for kind in ("who", "more")]
    assert said_then == ["Anyone with the link", "Name, limit, embedding"]
    assert re.fullmatch(r"until \w+, .+", say_of(sender, "until"))
    assert field(sender, "Who is it for?").input_value() == ""
    assert field(sender, "Password").input_value() == ""
    create_link(sender)
    ana, ben = links_of(sender)
    assert (ana["label"], ana["hasPassword"], ana["expiresAt"]) == ("Ana", True, None)
    assert (ben["label"], ben["hasPassword"]) == (None, False)
    assert ben["expiresAt"]


def test_terms_cannot_change_while_a_link_waits_for_its_file(sender):
    held = hold_uploads(sender)
    sender.locator("#file").set_input_files([file("slow.txt")])
    field(sender, "Who is it for?").fill("Ana")
    until(lambda: progress(sender) is not None and held)
    sender.get_by_role("button", name=CREATE).click()
    assert sender.locator(".terms").evaluate("one => one.inert")
    held[0].continue_()
    until(lambda: said(sender) == "The link is copied.")
    assert [link["label"] for link in links_of(sender)] == ["Ana"]


def test_what_a_link_is_refused_for_is_said_and_can_be_corrected(sender):
    sender.evaluate("navigator.clipboard.writeText('from before')")
    sender.locator("#file").set_input_files([file("a.txt"), file("b.txt")])
    sender.get_by_role("radio", name="A link for each").check()
    field(sender, "Password").fill("keep me")
    field(sender, "View limit").fill("0")
    sender.get_by_role("button", name=CREATE).click()
    until(lambda: said(sender) == "Use 1 to 1,000,000.")
    assert copied(sender) == "from before"
    assert sender.evaluate("document.activeElement.name") == "maxViews"
    assert field(sender, "Password").input_value() == "keep me"
    field(sender, "View limit").fill("3")
    sender.get_by_role("button", name=CREATE).click()
    until(lambda: said(sender) == "The links are copied.")
    assert [link["maxViews"] for link in links_of(sender)] == [3, 3]
    assert sender.locator(".ready li [data-copy]").count() == 2


def test_cancelled_files_leave_the_clipboard_as_it_was(sender):
    held = hold_uploads(sender)
    sender.evaluate("navigator.clipboard.writeText('from before')")
    sender.locator("#file").set_input_files([file("slow.txt")])
    until(lambda: progress(sender) is not None and held)
    sender.get_by_role("button", name=CREATE).click()
    sender.get_by_role("button", name="Cancel slow.txt").click()
    until(lambda: said(sender) == "Nothing was stored, so there is no link.")
    assert copied(sender) == "from before"


def test_a_file_that_is_only_stored_asks_for_no_link_any_more(sender):
    sender.locator("#file").set_input_files([file("mine.txt")])
    until(lambda: said(sender) == "1 file stored.")
    field(sender, "Password").fill("for another file")
    sender.get_by_role("button", name="Keep private").click()
    assert said(sender) == "Stored. Only you can open it."
    assert not sender.get_by_role("list", name="Uploads").get_by_role("listitem").count()
    assert not sender.get_by_role("button", name=CREATE).is_visible()
    sender.locator("#file").set_input_files([file("other.txt")])
    assert field(sender, "Password").input_value() == ""
    create_link(sender)
    assert len(links_of(sender)) == 1


def test_the_list_and_its_count_follow_uploads_and_links(sender):
    sender.api.upload(b"x", name="before.txt", token=None)
    sender.reload()
    assert "1 document," in sender.inner_text(".used")
    sender.locator("#file").set_input_files([file("new.txt")])
    until(lambda: "2 documents," in sender.inner_text(".used"))
    create_link(sender)
    row = sender.get_by_role("table", name="Documents").locator("tr", has_text="new.txt")
    until(lambda: "not opened yet" in row.inner_text())


def test_a_copy_button_says_what_it_does_again_also_after_two_clicks(sender):
    sender.clock.install()
    sender.locator("#file").set_input_files([file("a.txt")])
    create_link(sender)
    button = sender.locator(".ready [data-copy]")
    for _ in range(2):
        button.click()
        until(lambda: button.inner_text() == "Copied ✓")
    until(lambda: sender.clock.run_for(2000) or button.inner_text() == "Copy again")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_day_ends_where_the_reader_is_on_each_page(zone, service, open_browser):
    """At each hour one of these zones has another day than UTC."""
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    page = open_browser(timezone_id=zone, permissions=["clipboard-read", "clipboard-write"])
    owner.enter(page)
    page.api = owner.api
    page.locator("#file").set_input_files([file("a.txt")])
    choose_end(page, "until tomorrow")
    create_link(page)
    page.locator("#file").set_input_files([file("b.txt")])
    choose_end(page, "until Friday")
    friday = say_of(page, "until")
    create_link(page)
    assert re.search(r"Friday, .+ 11:59\sPM", page.inner_text(".ready time"))
    (document, _) = page.api.get("/v1/documents").json["documents"]
    for name in ("until tomorrow", "until Friday"):
        page.goto(f"{service.url}/app/documents/{document['id']}")
        if not page.locator("#new").evaluate("one => one.open"):
            page.get_by_role("link", name="New link").click()
        choose_end(page.locator("#new"), name)
        follow(page.get_by_role("button", name="Create the link"))

    here = datetime.now(ZoneInfo(zone)).date()
    ends = [datetime.fromisoformat(link["expiresAt"]) for link in links_of(page)]
    days = [moment.astimezone(ZoneInfo(zone)) for moment in ends]
    assert {moment.time().replace(microsecond=0) for moment in days} == {time(23, 59, 59)}
    tomorrow = here + timedelta(days=1)
    last = next(one.date() for one in days if f"until {one:%a}, {one:%b} {one.day}" == friday)
    assert sorted(moment.date() for moment in days) == sorted([tomorrow, tomorrow, last, last])
    assert datetime.now(UTC) < min(ends)

"""Uploading with the script: several at once, progress, cancel, limits, dropping, pasting."""

import pytest

from tests.console.test_flows_in_browser import enter
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
    return start_service(MAX_DOCUMENT_BYTES="1000000")


def test_several_files_are_uploaded_one_after_another(service, open_browser):
    page = open_browser()
    enter(page, service)
    page.locator("#file").set_input_files([file(f"{n}.txt") for n in range(4)])
    until(lambda: said(page) == "4 stored.")
    until(lambda: names(page) == ["3.txt", "2.txt", "1.txt", "0.txt"])


DROP = """([type, names]) => {
    const carried = new DataTransfer();
    for (const name of names) carried.items.add(new File(["x"], name, { type: "text/plain" }));
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
    until(lambda: said(page) == "2 stored.")
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
    page.get_by_role("button", name="Create and copy link").click()
    until(lambda: said(page) == "The links are copied.")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["a photo.jpg", "مكتب.txt"]


def test_a_dropped_folder_is_stored_with_all_that_is_in_it(service, open_browser, tmp_path):
    for name in ("contracts/a.txt", "contracts/2026/b.txt", "contracts/2026/empty/"):
        path = tmp_path / name
        path.mkdir(parents=True) if name.endswith("/") else path.parent.mkdir(exist_ok=True)
        path.is_dir() or path.write_text("x")
    page = open_browser()
    enter(page, service)
    mouse = page.context.new_cdp_session(page)
    carried = {"items": [], "files": [str(tmp_path / "contracts")], "dragOperationsMask": 1}
    for type in ("dragEnter", "dragOver", "drop"):
        mouse.send("Input.dispatchDragEvent", {"type": type, "x": 640, "y": 400, "data": carried})
    until(lambda: said(page) == "2 stored.")
    until(lambda: sorted(names(page)) == ["a.txt", "b.txt"])


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(small_service, open_browser):
    page = open_browser()
    enter(page, small_service)
    page.asked.clear()
    page.locator("#file").set_input_files([file("large.bin", b"x" * 1_000_001)])
    row = page.get_by_role("list", name="Uploads").get_by_role("listitem")
    assert "Too large: up to 977 KiB can be stored." in row.inner_text()
    assert not row.get_by_role("button").count()
    assert page.asked == []
    page.locator("#file").set_input_files([file("small.bin")])
    until(lambda: "stored" in page.get_by_role("list", name="Uploads").inner_text())
    assert "large.bin" in page.get_by_role("list", name="Uploads").inner_text()


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
    page.get_by_role("button", name="Cancel").click()
    row = page.get_by_role("list", name="Uploads")
    until(lambda: "cancelled" in row.inner_text())
    assert not row.locator(".error").count()

    network.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": -1})
    page.locator("#file").set_input_files([file("slow.bin")])
    until(lambda: names(page) == ["slow.bin"])
    until(lambda: said(page) == "1 of 2 stored.")


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
    page.get_by_label("Password").fill("hunter22")
    page.get_by_role("button", name="Create and copy link").click()
    until(lambda: said(page) == "The link is copied.")
    recipient = open_browser()
    recipient.goto(page.evaluate("navigator.clipboard.readText()"))
    recipient.get_by_label("Password").fill("hunter22")
    recipient.get_by_role("button", name="Open the document").click()
    recipient.get_by_text("We agree.").wait_for()
    row = page.get_by_role("list", name="Uploads").get_by_role("listitem")
    row.get_by_role("link", name="Terms").click()
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
    page.get_by_role("button", name="Only store it").click()
    page.get_by_role("button", name="Create and copy link").click()
    until(lambda: said(page) == "The link is copied.")
    assert "token=dt_" in page.evaluate("navigator.clipboard.readText()")

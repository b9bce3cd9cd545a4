"""The page of a link that takes files, in a browser: with and without script, desk and phone."""

import pytest

from tests.accessible import assert_accessible

FILES = [
    {"name": name, "mimeType": "text/plain", "buffer": b"content of " + name.encode()}
    for name in ("one.txt", "two.txt")
]


@pytest.fixture
def link(alice):
    terms = {"title": "Papers", "note": "One a day.", "token": {"permissions": ["upload"]}}
    return alice.post("/v1/collections", json=terms).json["token"]


@pytest.fixture
def visit(new_page, link):
    """Open the link with these options, and return the page."""

    def visited(**options):
        page = new_page(**options)
        page.goto(link["shortUrl"])
        return page

    return visited


def names(page, list):
    return page.locator(f"{list} li bdi").all_inner_texts()


def test_chosen_files_are_listed_before_they_are_sent_and_one_can_be_removed(visit):
    page = visit()
    page.set_input_files("#file", FILES)
    assert names(page, "#queue") == ["one.txt", "two.txt"]
    assert "18 bytes" in page.inner_text("#queue")
    assert page.inner_text("form button.button") == "Send 2 files · 36 bytes"
    assert page.is_hidden("#done")
    page.get_by_role("button", name="Remove one.txt").click()
    assert names(page, "#queue") == ["two.txt"]
    assert page.inner_text("form button.button") == "Send 1 file · 18 bytes"


def test_one_byte_is_no_bytes(visit):
    page = visit()
    page.set_input_files("#file", [FILES[0] | {"buffer": b"x"}])

    assert "1 byte" in page.inner_text("#queue").splitlines()
    assert page.inner_text("form button.button") == "Send 1 file · 1 byte"


def test_a_dropped_folder_becomes_the_files_that_are_in_it(visit, tmp_path):
    own = ("papers/one.txt", "papers/2026/two.txt")
    left_by_systems = ("papers/.DS_Store", "papers/desktop.ini", "papers/__MACOSX/._one.txt")
    for name in (*own, *left_by_systems):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    page = visit()
    mouse = page.context.new_cdp_session(page)
    carried = {"items": [], "files": [str(tmp_path / "papers")], "dragOperationsMask": 1}
    for type in ("dragEnter", "dragOver", "drop"):
        mouse.send("Input.dispatchDragEvent", {"type": type, "x": 300, "y": 300, "data": carried})
    page.locator("#queue li").nth(1).wait_for()
    assert sorted(names(page, "#queue")) == ["one.txt", "two.txt"]
    page.locator("form button.button").click()
    page.locator("#receipts li").nth(1).wait_for()
    assert sorted(names(page, "#receipts")) == ["one.txt", "two.txt"]


def test_several_files_are_sent_by_one_button_and_one_sentence_says_that_they_arrived(visit):
    page = visit()
    page.set_input_files("#file", FILES)
    page.fill("#from", "Mia")
    page.click("form button.button")
    page.locator("#receipts li").nth(1).wait_for()
    page.get_by_role("heading", name="2 files have arrived").wait_for()
    assert names(page, "#receipts") == ["one.txt", "two.txt"]
    assert "has them in “Papers”. You can close this page." in page.inner_text("#done")
    assert page.is_hidden("form")
    assert page.heard == []


def test_one_sends_more_after_that_and_the_receipt_holds_all(visit):
    page = visit(accept_downloads=True)
    for file in FILES:
        page.set_input_files("#file", [file])
        page.click("form button.button")
        page.get_by_text("Send more").click()
    assert names(page, "#receipts") == ["one.txt", "two.txt"]
    assert "18 more files" in page.inner_text("#left")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save a receipt").click()
    text = saved.value.path().read_text()
    assert (text.count("SHA-256 "), text.count("evt_")) == (2, 2)
    assert text.startswith("Files sent to ")
    page.get_by_text("Proof, for audits").click()
    assert page.locator("#proofs dl").count() == 2


def test_a_file_that_is_dropped_is_listed_and_sent_when_one_says_so(visit):
    page = visit()
    drop = """() => {
      const files = new DataTransfer();
      for (const name of ["one.txt", "two.txt"]) files.items.add(new File(["x"], name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
    }"""
    page.evaluate(drop)
    page.get_by_role("button", name="Remove two.txt").click()
    page.click("form button.button")
    page.locator("#receipts li").wait_for()
    assert "two.txt" not in page.inner_text("main")
    assert page.locator("#queue li").count() == 0


def test_what_is_refused_stands_beside_the_file(visit, alice, link):
    page = visit()
    alice.delete(f"/v1/tokens/{link['id']}")
    page.set_input_files("#file", FILES[:1])
    page.click("form button.button")
    wrong = page.locator("#queue .wrong")
    wrong.wait_for()
    assert "was revoked" in wrong.inner_text()
    page.get_by_role("button", name="Remove one.txt").click()
    assert page.locator("#queue li").count() == 0


def test_without_script_one_file_after_another_is_sent(visit):
    page = visit(java_script_enabled=False)
    for number, file in enumerate(FILES):
        page.set_input_files("#file", [file])
        page.click("form button.button")
        assert page.inner_text("h1 >> nth=0") == "1 file has arrived"
        assert file["name"] in page.inner_text("#receipts")
        page.get_by_text("Send more").click()
        assert f"{19 - number} more files" in page.inner_text("#left")


def test_axe_finds_nothing_and_nothing_is_cut_off(visit):
    page = visit()
    assert_accessible(page)
    page.set_input_files("#file", FILES)
    assert_accessible(page)
    page.click("form button.button")
    page.locator("#receipts li").nth(1).wait_for()
    page.get_by_text("Proof, for audits").click()
    assert_accessible(page)


def test_a_file_goes_on_when_the_phone_wakes_up(visit, alice, link):
    page = visit()
    newest = alice.get("/v1/documents?limit=1").json["documents"]
    tries = []

    def break_first(route):
        tries.append(route.request.headers.get("idempotency-key"))
        if len(tries) == 1:
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route(lambda url: "/s" in url, break_first)
    page.set_input_files("#file", FILES[:1])
    page.click("form button.button")
    page.get_by_text("Waiting for the connection").wait_for()
    page.evaluate("dispatchEvent(new Event('pageshow'))")
    page.get_by_role("heading", name="1 file has arrived").wait_for()
    assert len(tries) == 2
    assert tries[0]
    assert tries[0] == tries[1]
    assert names(page, "#receipts") == ["one.txt"]
    arrived, former = alice.get("/v1/documents?limit=2").json["documents"]
    assert arrived["name"] == "one.txt"
    assert [former] == newest


def test_a_file_that_waits_for_the_connection_can_be_cancelled(visit):
    page = visit()
    page.route(lambda url: "/s" in url, lambda route: route.abort("connectionreset"))
    page.set_input_files("#file", FILES[:1])
    page.click("form button.button")
    page.get_by_role("button", name="Cancel one.txt").click()
    page.get_by_text("Cancelled.").wait_for()
    page.get_by_role("button", name="Remove one.txt").click()
    assert names(page, "#queue") == []


def test_nobody_is_told_to_drop_files_where_a_finger_chooses_them(visit):
    assert visit().is_visible("#drop")
    assert visit(has_touch=True, is_mobile=True).is_hidden("#drop")

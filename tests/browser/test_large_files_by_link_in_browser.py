"""Large files by a link that takes files: sent slice by slice, and resumed by the same browser."""

import random
import re

import pytest

from tests.accessible import assert_accessible
from tests.console.test_large_files_in_browser import SIZE, SLICE, sent, throttle, watch
from tests.line import Line
from tests.waiting import until


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """A file that goes in three slices."""
    path = tmp_path_factory.mktemp("films") / "film.mp4"
    path.write_bytes(random.Random(1).randbytes(SIZE))
    return path


@pytest.fixture
def owner(new_user):
    return new_user


@pytest.fixture
def ask(owner):
    """Make a link that takes files."""

    def asked(max_bytes=1 << 30, **terms):
        token = {"permissions": ["upload"], **terms}
        body = {"title": "Films", "maxBytes": max_bytes, "token": token}
        return owner.post("/v1/collections", json=body).json["token"]

    return asked


@pytest.fixture
def page(new_page):
    page = new_page()
    watch(page)
    return page


def send(page, *paths):
    page.set_input_files("#file", paths)
    page.click("form button.button")


def until_arrived(page, name="film.mp4"):
    page.locator("#receipts li", has_text=name).wait_for(timeout=60_000)


def received(owner):
    return owner.get("/v1/documents").json["documents"]


def unfinished(page):
    return page.get_by_role("list", name="Unfinished uploads").get_by_role("listitem")


def interrupt(page, link, film):
    """Have a slice of a file arrive, and open the link anew."""
    page.goto(link["shortUrl"])
    throttle(page, 8_000_000)
    send(page, film)
    until(lambda: SLICE in sent(page))
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    throttle(page, -1)
    page.sent.clear()


def kept(page):
    return page.evaluate("JSON.parse(localStorage.getItem('unfinished uploads') || '[]')")


def test_a_large_file_goes_in_slices_and_gets_its_receipt(owner, ask, page, film):
    page.goto(ask()["shortUrl"])
    page.fill("#from", "Mia")
    send(page, film)
    until_arrived(page)
    page.get_by_role("heading", name="1 file has arrived").wait_for()
    assert sent(page) == [0, SLICE, 2 * SLICE]
    (document,) = received(owner)
    assert (document["size"], document["metadata"]) == (SIZE, {"from": "Mia"})
    page.get_by_text("Proof, for audits").click()
    assert document["sha256"] in page.inner_text("#proofs")
    assert kept(page) == []
    assert page.heard == []


def test_a_line_that_breaks_loses_nothing_that_has_arrived(owner, ask, page, film, service):
    line = Line(service.port)
    page.goto(f"{line.url}/s?token={ask()['token']}")
    line.cut_after(25_000_000)
    send(page, film)
    page.get_by_text(re.compile(r"Connection lost\. Trying again in \d+ s\.")).wait_for()
    assert page.inner_text("#said") == "Connection lost."
    line.mend()
    until_arrived(page)
    assert max(sent(page)) > SLICE
    assert received(owner)[0]["size"] == SIZE
    line.close()


def test_a_page_that_was_closed_goes_on_with_the_same_file_alone(owner, ask, page, film, tmp_path):
    interrupt(page, ask(), film)
    sentence = r"film\.mp4: \d\d of 40 MB have arrived\. Choose the same file to resume\."
    until(lambda: unfinished(page).count() and re.search(sentence, unfinished(page).inner_text()))
    assert_accessible(page)
    other = tmp_path / "film.mp4"
    other.write_bytes(b"x")
    page.get_by_label("Resume film.mp4").set_input_files(other)
    until(lambda: page.inner_text("#said") == "This is another file. Choose film.mp4 of 40 MB.")
    assert sent(page) == []
    page.get_by_label("Resume film.mp4").set_input_files(film)
    until_arrived(page)
    assert sent(page)[0] >= SLICE
    assert [one["size"] for one in received(owner)] == [SIZE]
    assert kept(page) == []


def test_what_was_begun_by_another_link_is_not_listed(ask, page, film):
    first, second = ask(), ask()
    interrupt(page, first, film)
    page.goto(second["shortUrl"])
    assert not unfinished(page).count()
    page.goto(first["shortUrl"])
    unfinished(page).wait_for()
    page.get_by_role("button", name="Delete film.mp4").click()
    until(lambda: kept(page) == [])
    assert not unfinished(page).count()


def test_behind_a_password_it_goes_on_once_the_password_is_typed(owner, ask, page, film):
    link = ask(password="open sesame")
    page.goto(link["shortUrl"])

    def open_link():
        page.fill("[name=password]", "open sesame")
        page.keyboard.press("Enter")
        page.wait_for_selector("#file", state="attached")

    open_link()
    throttle(page, 8_000_000)
    send(page, film)
    until(lambda: SLICE in sent(page))
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(link["shortUrl"])
    throttle(page, -1)
    open_link()
    page.get_by_label("Resume film.mp4").set_input_files(film)
    until_arrived(page)
    assert [one["size"] for one in received(owner)] == [SIZE]


def test_an_upload_is_paused_resumed_and_cancelled(owner, ask, page, film):
    page.goto(ask()["shortUrl"])
    throttle(page, 8_000_000)
    send(page, film)
    until(lambda: sent(page))
    page.get_by_role("button", name="Pause film.mp4").click()
    page.get_by_text("Paused · ").wait_for()
    assert page.inner_text("form button.button") == "Sending…"
    assert_accessible(page)
    page.get_by_role("button", name="Resume film.mp4").click()
    until(lambda: max(sent(page)) >= SLICE)
    page.get_by_role("button", name="Cancel film.mp4").click()
    page.get_by_text("Cancelled.").wait_for()
    until(lambda: kept(page) == [])
    assert received(owner) == []


def test_what_has_no_room_is_refused_before_a_byte_is_sent(ask, page, film, tmp_path):
    page.goto(ask(max_bytes=50_000_000)["shortUrl"])
    assert "50 MB each, 50 MB in all" in page.inner_text("#left")
    page.set_input_files("#file", [film, film])
    refused = page.locator("#queue .wrong")
    assert refused.inner_text() == "Too large: up to 10 MB can be sent."
    assert page.inner_text("form button.button") == "Send 1 file · 40 MB"


def test_without_script_the_page_says_what_one_request_takes(ask, new_page):
    page = new_page(java_script_enabled=False)
    page.goto(ask(max_bytes=10**10)["shortUrl"])
    assert "67 MB each" in page.inner_text("#left")
    assert not page.get_by_text("Choose a folder").is_visible()


def test_leaving_while_a_file_is_sent_asks(ask, page, film):
    page.goto(ask()["shortUrl"])
    throttle(page, 1_000_000)
    send(page, film)
    until(lambda: sent(page))
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("setTimeout(() => { location.reload(); })")
    until(lambda: sent(page) and asked == ["beforeunload"])


def test_the_files_of_a_folder_keep_its_path(owner, ask, page, tmp_path):
    (tmp_path / "papers/2026").mkdir(parents=True)
    (tmp_path / "papers/2026/one.txt").write_text("x")
    with (tmp_path / "papers/film.mp4").open("wb") as film:
        film.truncate(SLICE + 1)
    page.goto(ask()["shortUrl"])
    page.get_by_label("Choose a folder").set_input_files(tmp_path / "papers")
    page.click("form button.button")
    until_arrived(page, "one.txt")
    until_arrived(page)
    paths = {(one["name"], one["metadata"]["path"]) for one in received(owner)}
    assert paths == {("one.txt", "papers/2026"), ("film.mp4", "papers")}

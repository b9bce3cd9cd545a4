"""Large files in WebKit, the engine of Safari, and in Firefox: as wide as a phone and as a desk."""

import hashlib
import json
import random
import secrets

import pytest

from tests.browser import firefox
from tests.browser.webkit import DESK, PHONE, WebKitPage, window
from tests.console.test_webkit import NO_MANIFESTS
from tests.console.visitor import Visitor
from tests.line import Line
from tests.waiting import until

pytestmark = pytest.mark.browser
SIZE = 34_000_000  # of a file that goes in three slices
SECOND_SLICE = 25_000_000  # bytes, the last of which is in it
MOST_SENT = SIZE + SECOND_SLICE  # of a file that is never begun anew; some may be on the way twice


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("films") / "film.mp4"
    path.write_bytes(random.Random(1).randbytes(SIZE))
    return path


@pytest.fixture(params=["webkit", "firefox"])
def open_page(request):
    """A page of the browser."""
    if request.param == "webkit":
        with window(request.getfixturevalue("webkit_browser")) as page:
            yield page
    else:
        with firefox.Page(request.getfixturevalue("firefox")) as page:
            yield page


@pytest.fixture(params=[PHONE, DESK], ids=["phone", "desk"])
def page(request, open_page):
    """A page of the browser, of this width."""
    open_page.goto("about:blank")
    open_page.resize(*request.param)
    open_page.width = request.param[0]
    return open_page


@pytest.fixture
def line(service):
    line = Line(service.port)
    yield line
    line.close()


class Own:
    """The first page of an account: a file goes as soon as it is chosen."""

    arrived = "document.querySelector('#uploads .live')?.textContent === 'stored'"

    def __init__(self, page, service, line):
        owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
        self.api, self.page, self.line = owner.api, page, line
        if isinstance(page, WebKitPage):
            page.goto(f"{line.url}/app/login")
            for name, value in owner.cookies.items():
                page.webkit.call("POST", "/cookie", {"cookie": {"name": name, "value": value}})
        else:
            page.set_cookies(owner.cookies, "127.0.0.1")

    def open(self):
        self.page.goto(f"{self.line.url}/app/documents")

    def send(self, film):
        self.page.choose("#file", film)


class ByLink:
    """The page of a link that takes files: what is chosen goes by a button."""

    arrived = "document.querySelector('#receipts bdi')?.textContent === 'film.mp4'"

    def __init__(self, page, service, line):
        self.api, self.page, self.line = service.register(), page, line
        asked = {"title": "Films", "token": {"permissions": ["upload"]}}
        self.link = self.api.post("/v1/collections", json=asked).json["token"]

    def open(self):
        self.page.goto(f"{self.line.url}/s?token={self.link['token']}")

    def send(self, film):
        self.page.choose("#file", film)
        press(self.page, "form button.button")


@pytest.fixture(params=[Own, ByLink], ids=["own", "by link"])
def place(request, page, service, line):
    place = request.param(page, service, line)
    place.open()
    return place


def press(page, selector):
    """Press what may be below the screen, or below a bar."""
    found = f"document.querySelector({json.dumps(selector)})"
    page.evaluate(f"{found}.scrollIntoView({{ block: 'center' }}) ?? 1")
    page.click(selector)


def act(page, words):
    page.until(f"!!document.querySelector({json.dumps(f'[aria-label={words!r}]')})")
    press(page, f"[aria-label={words!r}]")


def until_said(page, words):
    page.until(f"document.body.innerText.includes({json.dumps(words)})")


def assert_arrived(place, film):
    """The file arrives whole, it was not begun anew, and the page is in order."""
    place.page.until(place.arrived)
    [document] = place.api.get("/v1/documents").json["documents"]
    assert document["sha256"] == hashlib.sha256(film.read_bytes()).hexdigest()
    assert place.line.passed < MOST_SENT
    assert_in_order(place.page)


def assert_in_order(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= page.width
    refused = [one for one in page.heard if "Policy" in one or "CONTENT_SECURITY" in one]
    assert [one for one in refused if one != NO_MANIFESTS] == []


def test_a_large_file_is_paused_and_resumed_where_it_was(place, page, line, film):
    line.stop_after(SECOND_SLICE)
    place.send(film)
    until(lambda: line.passed >= SECOND_SLICE)
    act(page, "Pause film.mp4")
    until_said(page, "Paused · ")
    assert_in_order(page)
    line.go_on()
    act(page, "Resume film.mp4")
    assert_arrived(place, film)


def test_a_large_file_goes_on_by_itself_behind_a_broken_line(place, page, line, film):
    line.cut_after(SECOND_SLICE)
    place.send(film)
    until_said(page, "Connection lost. Trying again in ")
    assert_in_order(page)
    line.mend()
    assert_arrived(place, film)


def test_a_large_file_goes_on_once_it_is_chosen_again(place, page, line, film):
    line.stop_after(SECOND_SLICE)
    place.send(film)
    until(lambda: line.passed >= SECOND_SLICE)
    page.goto("about:blank")
    line.go_on()
    place.open()
    until_said(page, "of 34 MB have arrived. Choose the same file to resume.")
    assert_in_order(page)
    page.choose("[aria-label='Resume film.mp4']", film)
    assert_arrived(place, film)

"""The pages of people under a finger: no field is zoomed into, and no target is missed."""

import secrets

import pytest

from tests.console.visitor import Visitor

SMALL_FIELDS = """() => [...document.querySelectorAll("input, select, textarea")]
    .filter(one => !one.matches("[type=checkbox], [type=radio], [type=hidden], [type=file]"))
    .filter(one => parseFloat(getComputedStyle(one).fontSize) < 16)
    .map(one => `${one.name || one.id}: ${getComputedStyle(one).fontSize}`)"""
SMALL_TARGETS = """() => [...document.querySelectorAll(
        "button, summary, .button, nav a, [role=tab], .take")]
    .filter(one => one.checkVisibility() && one.getBoundingClientRect().width > 2)
    .map(one => [one.textContent.trim() || one.ariaLabel, one.getBoundingClientRect()])
    .filter(([_, box]) => Math.round(box.height) < 44)
    .map(([words, box]) => `${words}: ${Math.round(box.width)}x${Math.round(box.height)}`)"""


@pytest.fixture(scope="module")
def pages(service):
    """The visitor and the paths of all pages, with something on each."""
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    api = owner.api
    one = api.upload(b"x", name="offer.txt", token=None)
    link = api.share(one, label="Ana Silva", password="open sesame")
    collection = api.collect(one, title="Offers")
    terms = {"title": "Papers", "token": {"permissions": ["upload"]}}
    request = api.post("/v1/collections", json=terms).json["token"]
    space = api.post("/v1/spaces", json={"name": "Accounting"}).json
    inside = [
        "/app/documents",
        f"/app/documents/{one['id']}",
        f"/app/documents/{one['id']}/newer",
        f"/app/documents?made={link['id']}",
        "/app/collections",
        f"/app/collections/{collection['id']}",
        f"/app/collections/{collection['id']}/links",
        "/app/requests",
        "/app/links",
        f"/app/links/{link['id']}",
        "/app/activity",
        "/app/keys",
        "/app/webhooks",
        "/app/account",
        "/app/account/delete",
        "/app/spaces",
        f"/app/spaces/{space['id']}",
        "/app/bin",
        "/app/jump",
    ]
    outside = ["/app/login", "/app/signup", "/app/signup?invite=x"]
    return owner, inside, outside, [link["shortUrl"], request["shortUrl"]]


def on_phone(open_browser):
    return open_browser(390, has_touch=True, is_mobile=True, reduced_motion="reduce")


def measured(open_browser, pages, service, script):
    """What the script finds on each page, for those where it finds something."""
    owner, inside, outside, links = pages
    found = {}
    page = on_phone(open_browser)
    for address in [*(service.url + path for path in outside), *links]:
        page.goto(address, wait_until="domcontentloaded")
        found[address] = page.evaluate(script)
    owner.enter(page)
    for path in inside:
        page.goto(service.url + path, wait_until="domcontentloaded")
        found[path] = page.evaluate(script)
    return {path: small for path, small in found.items() if small}


def test_a_phone_zooms_into_no_field(open_browser, pages, service):
    assert measured(open_browser, pages, service, SMALL_FIELDS) == {}


def test_a_thumb_hits_each_button(open_browser, pages, service):
    assert measured(open_browser, pages, service, SMALL_TARGETS) == {}


NOTCH = 47  # pixels at each side of a phone that is held sideways
# What is written or pressed there.
UNDER_NOTCH = """notch => [...document.querySelectorAll("header *, main *")]
    .filter(one => one.matches("button, a, input, summary")
        || [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    .filter(one => one.checkVisibility() && !one.closest(".hidden"))
    .map(one => [one, one.getBoundingClientRect(), parseFloat(getComputedStyle(one).paddingLeft)])
    .filter(([_, { left, right, width }, padding]) =>
        width > 2 && (left + padding < notch || right > 844 - notch))
    .map(([one, { left, right }]) => `${one.textContent}: ${left} to ${right}`)"""


def test_nothing_is_under_the_notch_of_a_phone_that_is_held_sideways(open_browser, pages, service):
    owner, inside, *_ = pages
    page = open_browser(844, has_touch=True, is_mobile=True, reduced_motion="reduce")
    insets = {"left": NOTCH, "right": NOTCH}
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setSafeAreaInsetsOverride", {"insets": insets})
    owner.enter(page)
    found = {}
    for path in inside:
        page.goto(service.url + path, wait_until="domcontentloaded")
        found[path] = page.evaluate(UNDER_NOTCH, NOTCH)

    assert {path: under for path, under in found.items() if under} == {}


def test_the_head_fits_each_screen_between_a_phone_and_a_desk(open_browser, pages, service):
    owner, *_ = pages
    page = open_browser(1280)
    owner.enter(page)
    page.evaluate("document.querySelector('.where bdi').textContent += ' of the whole company'")
    for width in (721, 768, 820, 844, 932, 960, 961, 1024):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_link_is_handed_to_the_sheet_by_which_a_phone_shares(open_browser, pages, service):
    owner, inside, *_ = pages
    page = on_phone(open_browser)
    stub = "navigator.share = async given => { globalThis.given = given; }"
    page.add_init_script(stub)
    link = next(path for path in inside if "?made=" in path)
    owner.enter(page, link)
    page.get_by_role("button", name="Share…").click()
    assert page.evaluate("given.url") == page.inner_text("#link")
    plain = on_phone(open_browser)
    plain.add_init_script("delete Navigator.prototype.share")
    owner.enter(plain, link)
    assert plain.get_by_role("button", name="Share…").count() == 0

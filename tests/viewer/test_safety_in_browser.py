"""No document can do harm: the corpus, in Chromium, with ears open.

Nothing may run, no connection may leave, the page may not go anywhere, nothing may be stored,
and the page must answer. The last tests take the guards away and expect to hear the attacks:
were they silent too, the silence above would mean nothing.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from crypto.password_file import PasswordSeal
from tests.viewer.corpus import HEAVY, hostile
from tests.viewer.samples import original
from viewer import disposition, download, is_shown_inline, sealed_download, view
from viewer.names import shown_name

BATCH = 30
SETTLED = 500  # milliseconds in which a document may try what it can


@pytest.fixture(scope="module")
def context(browser):
    """Pages are used again: what one document left behind would meet the next."""
    context = browser.new_context()
    context.harm = []
    context.on("dialog", lambda dialog: (context.harm.append("a dialog"), dialog.dismiss()))
    yield context
    context.close()


@pytest.fixture(scope="module")
def documents(ear):
    return [(label, original(data, name, kind)) for label, name, kind, data in hostile(ear.port)]


@pytest.fixture(autouse=True)
def silence(ear):
    ear.heard.clear()


def batches(documents):
    return [documents[at : at + BATCH] for at in range(0, len(documents), BATCH)]


def made(make, batch):
    """The pages of a batch; the children that draw them work side by side."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda pair: make(pair[1]), batch))


def visit(context, addresses):
    """Open all of them beside each other, and give them time."""
    while len(context.pages) < len(addresses):
        page = context.new_page()
        page.on("popup", lambda _: context.harm.append("a window"))
        page.on("download", lambda _: context.harm.append("a download"))
    pages = context.pages[: len(addresses)]
    for page, address in zip(pages, addresses, strict=True):
        page.goto(address, wait_until="commit")
    for page in pages:
        page.wait_for_load_state()
    pages[-1].wait_for_timeout(SETTLED)
    return pages


STATE = """() => [location.href, document.title, typeof self.ran,
    document.querySelector("#check").textContent !== "",
    location.protocol === "file:" ? localStorage.length + document.cookie.length : 0]"""


def assert_unharmed(page, label, address, document):
    """Where it was, under its own title, nothing run but our script, nothing stored."""
    name = shown_name(document.name, document.id, document.content_type)
    assert page.evaluate(STATE) == [address, " ".join(name.split()), "undefined", True, 0], label


def test_nothing_happens_in_a_page_that_is_served(context, site, ear, documents):
    for batch in batches(documents):
        places = [site.put(f"/hostile/{n}", page) for n, page in enumerate(made(view, batch))]
        pages = visit(context, places)
        for page, place, (label, document) in zip(pages, places, batch, strict=True):
            assert_unharmed(page, label, place, document)
        assert (ear.heard, context.harm) == ([], []), [label for label, _ in batch]


def test_nothing_happens_in_a_file(context, tmp_path, ear, documents):
    for batch in batches(documents):
        places = [tmp_path / f"{n}.html" for n in range(len(batch))]
        for place, page in zip(places, made(download, batch), strict=True):
            place.write_bytes(b"".join(page.body))
        pages = visit(context, [place.as_uri() for place in places])
        for page, place, (label, document) in zip(pages, places, batch, strict=True):
            assert_unharmed(page, label, place.as_uri(), document)
        assert (ear.heard, context.harm) == ([], []), [label for label, _ in batch]


def frames(site, addresses):
    """A page of another origin with all of them in frames."""
    body = "<title>outside</title>" + "".join(f"<iframe src='{a}'></iframe>" for a in addresses)
    site.pages["/frames"] = ({"Content-Type": "text/html"}, body.encode())
    return site.elsewhere + "/frames"


def test_nothing_leaves_a_frame(context, site, ear, documents):
    framed = partial(view, frame_ancestors=(site.elsewhere,), embed=True)
    for batch in batches(documents):
        places = [site.put(f"/hostile/{n}", page) for n, page in enumerate(made(framed, batch))]
        outside = frames(site, places)
        (page,) = visit(context, [outside])
        assert (page.url, page.title()) == (outside, "outside")
        assert {frame.url for frame in page.main_frame.child_frames} == set(places)
        assert page.evaluate("localStorage.length") == 0
        assert (ear.heard, context.harm) == ([], []), [label for label, _ in batch]


def test_the_bare_original_is_harmless_with_the_headers_of_content(context, site, ear, documents):
    for batch in batches(documents):
        for n, (_, doc) in enumerate(batch):
            inline = is_shown_inline(doc.content_type)
            site.pages[f"/content/{n}"] = (
                {
                    "Content-Type": doc.content_type.replace("\r", "").replace("\n", ""),
                    "Content-Security-Policy": "default-src 'none'; sandbox",
                    "X-Content-Type-Options": "nosniff",
                    "Content-Disposition": disposition(doc.name, inline=inline),
                },
                doc.first(doc.size),
            )
        outside = frames(site, [f"{site.here}/content/{n}" for n in range(len(batch))])
        (page,) = visit(context, [outside])
        assert (page.url, page.title()) == (outside, "outside")
        assert ear.heard == [], [label for label, _ in batch]


SEALED = "script|frame|css exfiltration|meta refresh|svg onload|links|nested frames|svg alone"


def test_nothing_happens_in_a_sealed_file_that_was_opened(browser, tmp_path, ear, documents):
    context = browser.new_context()
    for label in SEALED.split("|"):
        file = sealed_download(dict(documents)[label], PasswordSeal("word", rounds=1000))
        (tmp_path / "sealed.html").write_bytes(b"".join(file.body))
        page = context.new_page()
        page.goto((tmp_path / "sealed.html").as_uri())
        page.fill("#password", "word")
        page.keyboard.press("Enter")
        opened = page.wait_for_selector(".opened").content_frame()
        opened.wait_for_selector("#check:not(:empty)")

        assert page.title() == "Protected document", label
        assert opened.evaluate("typeof self.ran") == "undefined", label
    page.wait_for_timeout(SETTLED)
    assert ear.heard == []
    context.close()


CLICKED = "javascript link|data link|form|form action script|isindex|ping|xlink|markdown|docx link"


@pytest.mark.parametrize("label", CLICKED.split("|"))
def test_a_click_runs_nothing_and_keeps_the_page(browser, site, ear, documents, label):
    """Everything in the page that can be clicked, then whatever takes the focus."""
    context = browser.new_context()
    page = context.new_page()
    place = site.put("/clicked", view(dict(documents)[label]))
    page.goto(place)
    for thing in page.locator("main a[href]").all()[:6]:
        thing.dispatch_event("click", timeout=1000)
    for key in ("Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(150)

    assert page.url.partition("#")[0] == place
    assert not {"/ran", "/form", "/ping"} & set(ear.heard)
    context.close()


@pytest.mark.parametrize("label", HEAVY)
def test_a_heavy_document_wears_nobody_out(context, site, label):
    name, kind, make = HEAVY[label]
    data = make()
    begun = time.monotonic()
    shown = view(original(data, name, kind))
    drawn = time.monotonic() - begun
    page = (context.pages or [context.new_page()])[0]
    page.goto(site.put("/heavy", shown), wait_until="load")
    begun = time.monotonic()
    page.keyboard.press("t")
    assert page.get_attribute("html", "data-theme"), label
    answered = time.monotonic() - begun

    assert drawn < 15, label
    assert answered < 2, label
    assert shown.length < len(data) * 4 // 3 + (12 << 20), label


def pages_of(documents, *kinds):
    return [pair for pair in documents if pair[1].content_type in kinds][:BATCH]


def test_without_any_guard_the_attacks_are_heard(context, site, ear, documents):
    """The same documents as a careless service would show them."""
    batch = pages_of(documents, "text/html")
    for n, (_, document) in enumerate(batch):
        site.pages[f"/raw/{n}"] = ({"Content-Type": "text/html"}, document.first(document.size))
    visit(context, [frames(site, [f"{site.here}/raw/{n}" for n in range(len(batch))])])

    assert {"/ran", "/frame", "/refresh", "/css", "/srcset", "/import", "/object"} <= set(ear.heard)


def uncleaned(_job, pieces, _options, *, seconds):
    return {"seconds": seconds}, b"".join(pieces).decode("utf-8", "replace").replace("\0", "")


def test_without_the_cleaning_the_policy_alone_stops_every_script(
    context, site, ear, documents, monkeypatch
):
    monkeypatch.setattr("viewer.kinds.html.result", uncleaned)
    shown = made(view, pages_of(documents, "text/html"))
    visit(context, [site.put(f"/hostile/{n}", page) for n, page in enumerate(shown)])

    assert not [path for path in ear.heard if path != "a connection"]


def test_without_cleaning_and_policy_the_attacks_are_heard(
    context, site, ear, documents, monkeypatch
):
    monkeypatch.setattr("viewer.kinds.html.result", uncleaned)
    monkeypatch.setattr("viewer.kinds.html.SANDBOX", "allow-scripts allow-same-origin")
    shown = made(view, pages_of(documents, "text/html"))
    none = {"Content-Security-Policy": "frame-ancestors *"}
    visit(context, [site.put(f"/hostile/{n}", page, **none) for n, page in enumerate(shown)])

    assert "/ran" in ear.heard

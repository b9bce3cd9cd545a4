"""Shows the hostile documents of corpus.py in Chromium.

No script may run, no connection be opened, no navigation happen, nothing be stored, and the
page must stay responsive. The last tests remove the protections and expect the attacks to
succeed, which proves that the listener would notice them.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from crypto.password_file import PasswordSeal
from tests.processes import children, state_and_further
from tests.waiting import until
from viewer import content_disposition, download, is_shown_inline, sealed_download, view
from viewer.formats.original import Original
from viewer.formats.web import foreign_html
from viewer.markup.escaping import escape_page
from viewer.markup.names import display_name
from viewer.sandbox.messages import shown_as
from viewer.sandbox.process import job_name
from viewer.tests.corpus import HEAVY, hostile
from viewer.tests.samples import original

BATCH = 30
SETTLED = 500  # milliseconds for attacks to take effect


@pytest.fixture(scope="module")
def contexts():
    """Those of this module, the last one in use."""
    contexts = []
    yield contexts
    contexts[-1].close()


@pytest.fixture
def context(browser, contexts):
    """One context for all pages, so that stored data would be noticed later; another one after
    the browser crashed.
    """
    if not contexts or not contexts[-1].browser.is_connected():
        contexts.append(context := browser.new_context())
        context.harm = []
        context.on("dialog", lambda dialog: (context.harm.append("a dialog"), dialog.dismiss()))
    yield contexts[-1]
    for page in contexts[-1].pages[1:]:
        page.close()  # what moves in it takes time from other tests


@pytest.fixture(scope="module")
def documents(listener):
    """(label, document) of all; each job on the same bytes is run once."""
    results = {}

    def run_once(job, pieces, options):
        data = b"".join(pieces)
        key = job_name(job, options), data
        if key not in results:
            results[key] = job.run([data], options)
        return results[key]

    return [
        (label, replace(original(data, name, kind), run=run_once))
        for label, name, kind, data in hostile(listener.port)
    ]


@pytest.fixture(autouse=True)
def silence(listener):
    listener.heard.clear()


def batches(documents):
    return [documents[at : at + BATCH] for at in range(0, len(documents), BATCH)]


def made(make, batch):
    """Render a batch of documents, four at a time."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda pair: make(pair[1]), batch))


def visit(context, addresses):
    """Open all addresses in parallel tabs and wait until attacks had time to take effect."""
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


CHECKED = """() => document.querySelector("#check").textContent !== "" """
STATE = """() => [location.href, document.title, typeof self.ran,
    location.protocol === "file:" ? localStorage.length + document.cookie.length : 0]"""


def assert_unharmed(page, label, address, document):
    """Assert address and title unchanged, only our script run, nothing stored."""
    name = display_name(document.name, document.default_name)
    until(lambda: page.evaluate(CHECKED))
    assert page.evaluate(STATE) == [address, " ".join(name.split()), "undefined", 0], label


def test_hostile_documents_do_nothing_in_a_served_page(context, site, listener, documents):
    for batch in batches(documents):
        places = [site.put(f"/hostile/{n}", page) for n, page in enumerate(made(view, batch))]
        pages = visit(context, places)
        for page, place, (label, document) in zip(pages, places, batch, strict=True):
            assert_unharmed(page, label, place, document)
        assert (listener.heard, context.harm) == ([], []), [label for label, _ in batch]


def test_hostile_documents_do_nothing_in_a_file(context, tmp_path, listener, documents):
    for batch in batches(documents):
        places = [tmp_path / f"{n}.html" for n in range(len(batch))]
        for place, page in zip(places, made(download, batch), strict=True):
            place.write_bytes(b"".join(page.body))
        pages = visit(context, [place.as_uri() for place in places])
        for page, place, (label, document) in zip(pages, places, batch, strict=True):
            assert_unharmed(page, label, place.as_uri(), document)
        assert (listener.heard, context.harm) == ([], []), [label for label, _ in batch]


def iframes(site, addresses):
    """Serve a page of another origin with all of them in iframes; return its address."""
    body = "<title>outside</title>" + "".join(f"<iframe src='{a}'></iframe>" for a in addresses)
    site.pages["/frames"] = ({"Content-Type": "text/html"}, body.encode())
    return site.elsewhere + "/frames"


def test_hostile_documents_do_nothing_in_an_iframe(context, site, listener, documents):
    framed = partial(view, frame_ancestors=(site.elsewhere,), embed=True)
    of_each_type = {document.content_type: (label, document) for label, document in documents}
    for batch in batches(list(of_each_type.values())):
        places = [site.put(f"/hostile/{n}", page) for n, page in enumerate(made(framed, batch))]
        outside = iframes(site, places)
        (page,) = visit(context, [outside])
        until(lambda page=page: page.title() == "outside")  # not yet at the load state
        assert page.url == outside
        assert {frame.url for frame in page.main_frame.child_frames} == set(places)
        assert page.evaluate("localStorage.length") == 0
        assert (listener.heard, context.harm) == ([], []), [label for label, _ in batch]


def test_hostile_originals_do_nothing_with_the_headers_of_the_content_route(
    context, site, listener, documents
):
    for batch in batches(documents):
        for n, (_, doc) in enumerate(batch):
            inline = is_shown_inline(doc.content_type)
            site.pages[f"/content/{n}"] = (
                {
                    "Content-Type": doc.content_type.replace("\r", "").replace("\n", ""),
                    "Content-Security-Policy": "default-src 'none'; sandbox",
                    "X-Content-Type-Options": "nosniff",
                    "Content-Disposition": content_disposition(doc.name, inline=inline),
                },
                doc.first(doc.size),
            )
        outside = iframes(site, [f"{site.here}/content/{n}" for n in range(len(batch))])
        (page,) = visit(context, [outside])
        until(lambda page=page: page.title() == "outside")  # not yet at the load state
        assert page.url == outside
        assert listener.heard == [], [label for label, _ in batch]


SEALED = "script|frame|css exfiltration|meta refresh|svg onload|links|nested frames|svg alone"


def test_hostile_documents_do_nothing_in_a_decrypted_file(browser, tmp_path, listener, documents):
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
    assert listener.heard == []
    context.close()


CLICKED = "javascript link|data link|form|form action script|isindex|ping|xlink|markdown|docx link"


@pytest.mark.parametrize("label", CLICKED.split("|"))
def test_a_click_runs_nothing_and_keeps_the_page(browser, site, listener, documents, label):
    """Clicks the first links, then activates the focused element by keyboard."""
    context = browser.new_context()
    page = context.new_page()
    place = site.put("/clicked", view(dict(documents)[label]))
    page.goto(place)
    for thing in page.locator("main a[href]").all()[:6]:
        thing.dispatch_event("click")
    for key in ("Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(150)

    assert page.url.partition("#")[0] == place
    assert not {"/ran", "/form", "/ping"} & set(listener.heard)
    context.close()


def service_cpu():
    """Seconds of CPU time used by this process and by those that it has started, ended or not."""
    return _cpu_ticks(os.getpid()) / os.sysconf("SC_CLK_TCK")


def _cpu_ticks(pid):
    return sum(map(int, state_and_further(pid)[11:15])) + sum(map(_cpu_ticks, children(pid)))


def page_cpu(session):
    """Seconds of CPU time used by the page's main thread."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


@pytest.mark.parametrize("label", HEAVY)
def test_heavy_documents_are_rendered_in_bounded_time_and_size(context, site, label):
    """Both times are CPU times, so that other work on the machine does not count."""
    name, make = HEAVY[label]
    data = make()
    begun = service_cpu()
    shown = view(original(data, name))
    drawn = service_cpu() - begun
    page = (context.pages or [context.new_page()])[0]
    page.goto(site.put("/heavy", shown), wait_until="load", timeout=120_000)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def answer():
        begun = page_cpu(session)
        page.keyboard.press("t")
        assert page.get_attribute("html", "data-theme"), label
        return page_cpu(session) - begun

    assert drawn < 15, label
    assert any(answer() < 2 for _ in range(3)), label  # the first may also finish what was loaded
    session.detach()
    assert shown.length < len(data) * 4 // 3 + (12 << 20), label


def pages_of(documents, *kinds):
    return [pair for pair in documents if pair[1].content_type in kinds][:BATCH]


def uncleaned(document, _job, _options, **_):
    page = escape_page(document.first(document.size))
    return shown_as("HTML", foreign_style=True), foreign_html.iframe(page, "x")


def test_without_sanitizing_the_policy_alone_stops_every_script(
    context, site, listener, documents, monkeypatch
):
    monkeypatch.setattr(Original, "run_html_job", uncleaned)
    shown = made(view, pages_of(documents, "text/html"))
    visit(context, [site.put(f"/hostile/{n}", page) for n, page in enumerate(shown)])

    assert not [path for path in listener.heard if path != "a connection"]


def test_unprotected_attacks_reach_the_listener(context, site, listener, documents):
    """The same documents served without any protection; no test of silence comes after it."""
    batch = pages_of(documents, "text/html")
    for n, (_, document) in enumerate(batch):
        site.pages[f"/raw/{n}"] = ({"Content-Type": "text/html"}, document.first(document.size))
    visit(context, [iframes(site, [f"{site.here}/raw/{n}" for n in range(len(batch))])])
    expected = {"/ran", "/frame", "/refresh", "/css", "/srcset", "/import", "/object"}

    until(lambda: expected <= set(listener.heard) or context.pages[0].wait_for_timeout(50))


def test_without_sanitizing_and_policy_attacks_reach_the_listener(
    context, site, listener, documents, monkeypatch
):
    monkeypatch.setattr(Original, "run_html_job", uncleaned)
    monkeypatch.setattr(foreign_html, "SANDBOX", "allow-scripts allow-same-origin")
    shown = made(view, pages_of(documents, "text/html")[:3])
    none = {"Content-Security-Policy": "frame-ancestors *"}
    visit(context, [site.put(f"/hostile/{n}", page, **none) for n, page in enumerate(shown)])

    until(lambda: "/ran" in listener.heard or context.pages[0].wait_for_timeout(50))

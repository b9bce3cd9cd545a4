# ruff: noqa: E501
"""Hostile pages and documents: nothing is done with the session of somebody logged in."""

from itertools import islice

import pytest

from tests.console.test_flows_in_browser import sign_up
from tests.people import Person
from tests.site import Site
from tests.waiting import until
from viewer.tests.corpus import hostile

ACTS = """
<!doctype html><title>a hostile site</title>
<iframe name="sink"></iframe>
<script>
const send = (path, fields, type) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: "@" + path, target: "sink", enctype: type });
  for (const [name, value] of Object.entries(fields))
    form.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(form);
  form.submit();
};
const all = { name: "Mallory", label: "Mallory", permissions: "view", ends: "never", url: "https://evil.example",
  events: "document.viewed", act: "delete", sure: "kept.txt", newPassword: "mallory mallory", key: "k" };
(async () => {
  for (const path of PATHS) {
    send(path, all, "application/x-www-form-urlencoded");
    send(path, all, "multipart/form-data");
    send(path, all, "text/plain");
    await fetch("@" + path, { method: "POST", mode: "no-cors", credentials: "include",
      body: new URLSearchParams(all) }).catch(() => {});
  }
  for (const path of ["/app/documents", "/app/keys", "/v1/documents"])
    window.read = await fetch("@" + path, { credentials: "include" }).then(one => one.text(), () => "");
  const frame = document.createElement("iframe");
  frame.src = "@/app/documents";
  frame.onload = () => { document.title = "done"; };
  document.body.append(frame);
})();
</script>"""


@pytest.fixture
def hostile_site():
    """On the service's own host, so that its cookies are of the same site."""
    with Site() as server:
        yield server


def api_of(page, service):
    (token,) = [one["value"] for one in page.context.cookies() if one["name"] == "session"]
    return Person(service).with_token(token)


def state(api):
    """Everything that a hostile page would change."""
    lists = ("documents", "tokens", "api-keys", "webhooks", "auth/sessions", "auth/me")
    return [api.get(f"/v1/{name}").json for name in lists]


def test_a_hostile_page_on_another_port_does_nothing(service, browser, hostile_site):
    context = browser.new_context()
    page = context.new_page()
    sign_up(page, service.url)
    api = api_of(page, service)
    document = api.upload(b"x", name="kept.txt", token=None)
    link, key = api.share(document), api.create_api_key().record
    webhook = api.post("/v1/webhooks", json={"url": "https://hook.example/in"}).json
    paths = [
        "/app/account",
        "/app/account/password",
        "/app/documents",
        "/app/keys",
        "/app/webhooks",
        *(f"/app/documents/{document['id']}{act}" for act in ("", "/links")),
        "/app/bin",
        f"/app/bin/{document['id']}/delete",
        *(f"/app/links/{link['id']}{act}" for act in ("", "/enabled", "/revoke")),
        *(f"/app/keys/{key['id']}/{act}" for act in ("rotate", "revoke")),
        *(f"/app/webhooks/{webhook['id']}{act}" for act in ("", "/test", "/rotate", "/delete")),
        "/app/logout",
        "/app/login",
        "/app/signup",
    ]
    before = state(api)
    answers = []
    page.on("response", lambda one: answers.append((one.request.method, one.status)))
    hostile_site.show(ACTS.replace("@", service.url).replace("PATHS", str(paths)))

    page.goto(f"http://127.0.0.1:{hostile_site.server_port}/")
    until(lambda: page.title() == "done", 60)

    assert page.evaluate("window.read") == ""
    assert {status for method, status in answers if method == "POST"} <= {403}
    assert [status for method, status in answers if method == "POST"]
    frames = [frame for frame in page.frames if frame.url.startswith(service.url + "/app")]
    assert not [frame for frame in frames if frame.locator("h1").count()]
    assert state(api) == before
    context.close()


def test_hostile_documents_in_the_preview_do_nothing(service, browser, listener):
    context = browser.new_context()
    page = context.new_page()
    harm = []
    context.on("dialog", lambda dialog: (harm.append("a dialog"), dialog.dismiss()))
    page.on("popup", lambda _: harm.append("a window"))
    page.on("download", lambda _: harm.append("a download"))
    sign_up(page, service.url)
    api = api_of(page, service)
    previews = []
    for _label, name, kind, data in islice(hostile(listener.port), 0, None, 8):
        storable = name.replace("\0", "").encode(errors="replace").decode()[:255] or None
        declared = "application/octet-stream" if "<" in kind else kind  # which is refused
        document = api.upload(data[: 1 << 20], declared, name=storable, token=None)
        previews.append(f"/app/documents/{document['id']}")
    before = state(api)
    listener.heard.clear()
    sent = []
    page.on("request", lambda one: sent.append((one, one.frame)))

    for path in previews:
        page.goto(service.url + path)
        sent.clear()
        frame = page.frame_locator(".stage iframe")
        frame.locator("main").first.wait_for(state="attached", timeout=60_000)
        address = f"{service.url}{path}/view?embed=1"
        others = [one.url for one, _ in sent if one.url != address]
        pages = f"{service.url}{path.replace('/app/', '/v1/')}/pages"  # of this PDF, by its ticket
        allowed = "data:", "blob:", f"{pages}?ticket=", f"{pages}/1?ticket="
        assert not [url for url in others if not url.startswith(allowed)], path
        assert page.url == service.url + path

    assert (harm, listener.heard) == ([], [])
    assert page.title() != "ran"
    assert state(api) == before
    context.close()


def test_a_large_hostile_preview_sends_no_cookie(service, browser):
    context = browser.new_context()
    page = context.new_page()
    sign_up(page, service.url)
    api = api_of(page, service)
    data = b"\x89PNG\r\n\x1a\n" + bytes(9 << 20)
    document = api.upload(data, "image/png", name="large.png", token=None)
    with_cookie = []

    def note(request):
        if "/v1/" in request.url:
            with_cookie.append("cookie" in request.all_headers())

    page.on("requestfinished", note)
    page.goto(f"{service.url}/app/documents/{document['id']}")
    until(lambda: with_cookie or page.wait_for_timeout(50))
    assert set(with_cookie) == {False}
    context.close()

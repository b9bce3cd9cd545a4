"""Uploads in pieces by clients in a browser that others have written: tus-js-client and Uppy.

Their page has the origin of the service: other origins are not let in.
"""

import hashlib
import secrets

import pytest

from tests.contract.test_receiving import requested
from tests.cut_line import CutLine
from tests.npm import package
from tests.waiting import until

pytestmark = pytest.mark.slow
MIB = 1 << 20
PART = 4 * MIB
FILM = secrets.token_bytes(MIB) * 9 + b"end"

TUS = """([endpoint, headers, options]) => new Promise((resolve) => {
    const file = document.querySelector("#file").files[0];
    const answers = [];
    new tus.Upload(file, {
        endpoint, headers, retryDelays: Array(50).fill(100),
        metadata: { filename: file.name, filetype: file.type },
        onAfterResponse: (request, response) => {
            answers.push([request.getMethod(), response.getStatus()]);
        },
        onSuccess: () => resolve(answers),
        onError: (error) => resolve(String(error)),
        ...options,
    }).start();
})"""
UPPY = """([endpoint, headers, options]) => {
    window.uppy = new Uppy.Uppy({ autoProceed: true })
        .use(Uppy.Dashboard, { inline: true, target: "#dashboard" })
        .use(Uppy.Tus, { endpoint, headers, ...options });
    window.done = new Promise((resolve) => uppy.on("complete", (result) => {
        resolve([result.successful.length, result.failed.map((one) => one.error)]);
    }));
}"""


@pytest.fixture
def open_page(page):
    """A function that opens an empty page of the service with this script in it."""

    def opened(url, script):
        html = '<!doctype html><input type="file" id="file"><div id="dashboard"></div>'
        page.route(
            f"{url}/own-page", lambda route: route.fulfill(body=html, content_type="text/html")
        )
        page.goto(f"{url}/own-page")
        page.add_script_tag(path=script)
        return page

    return opened


@pytest.fixture
def key(new_user):
    return new_user.create_api_key(scopes=["documents:write"]).credential


@pytest.fixture
def film(tmp_path):
    """The path of a file of two steps."""
    path = tmp_path / "film.mp4"
    path.write_bytes(FILM)
    return path


def stored(person):
    """The only document of the person, which has to be the film."""
    [document] = person.get("/v1/documents").json["documents"]
    assert document["sha256"] == hashlib.sha256(FILM).hexdigest()
    assert (document["name"], document["contentType"]) == ("film.mp4", "video/mp4")
    return document


def send_by_tus_js(page, url, key, film, **options):
    page.locator("#file").set_input_files(film)
    return page.evaluate(TUS, [f"{url}/v1/uploads", key, options])


@pytest.mark.parametrize(
    ("options", "requests"),
    [({}, ["POST", "PATCH"]), ({"chunkSize": PART}, ["POST"] + ["PATCH"] * 3)],
)
def test_tus_js_client_sends_a_file(open_page, service, new_user, key, film, options, requests):
    page = open_page(service.url, package("tus-js-client") / "dist" / "tus.min.js")
    answers = send_by_tus_js(page, service.url, key, film, **options)
    assert [method for method, _ in answers] == requests
    stored(new_user)


def test_tus_js_client_goes_on_by_itself_behind_a_broken_line(
    open_page, service, new_user, key, film
):
    def received():
        [upload] = new_user.get("/v1/uploads").json["uploads"]
        return upload["received"]

    # Chromium sends what a broken connection carried once more by itself, from its beginning: had
    # nothing arrived before, the service would take all of that, and the client had nothing to do.
    with CutLine(service.port, 5 * MIB, between=lambda: until(received)) as line:
        page = open_page(line.url, package("tus-js-client") / "dist" / "tus.min.js")
        answers = send_by_tus_js(page, line.url, key, film)
    assert line.was_cut
    assert answers[-2:] == [["HEAD", 200], ["PATCH", 204]]
    stored(new_user)


@pytest.mark.parametrize("options", [{}, {"chunkSize": PART}])
def test_uppy_sends_a_file_that_is_chosen_on_its_dashboard(
    open_page, service, new_user, key, film, options
):
    page = open_page(service.url, package("uppy") / "dist" / "uppy.min.js")
    page.evaluate(UPPY, [f"{service.url}/v1/uploads", key, options])
    page.locator(".uppy-Dashboard-input").first.set_input_files(film)
    assert page.evaluate("done") == [1, []]
    assert "path" not in stored(new_user)["metadata"]


def test_uppy_sends_a_file_by_a_link(open_page, service, new_user, film):
    collection = new_user.post("/v1/collections", json={"title": "Films"}).json
    link = requested(new_user, collection)
    page = open_page(service.url, package("uppy") / "dist" / "uppy.min.js")
    page.evaluate(UPPY, [f"{service.url}/s/uploads?token={link['token']}", {}, {}])
    page.locator(".uppy-Dashboard-input").first.set_input_files(film)
    assert page.evaluate("done") == [1, []]
    assert "path" not in stored(new_user)["metadata"]

"""Large files at the pages: sent slice by slice, paused, resumed, and never begun anew."""

import hashlib
import os
import random
import re
import secrets

import pytest

from tests.accessible import assert_accessible
from tests.console.test_uploads_in_browser import file, names, said
from tests.console.visitor import Visitor
from tests.line import Line
from tests.proxies import nginx
from tests.tus import Upload
from tests.waiting import until

SLICE = 16 << 20
SIZE = 40_000_000
SHOWN_SIZE = "40 MB"


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """A file that goes in three slices."""
    path = tmp_path_factory.mktemp("films") / "film.mp4"
    path.write_bytes(random.Random(1).randbytes(SIZE))
    return path


@pytest.fixture
def owner(service):
    return Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")


@pytest.fixture
def page(owner, open_browser):
    """The first page of somebody new; `sent` collects where each slice began."""
    page = open_browser()
    watch(page)
    owner.enter(page)
    return page


def watch(page):
    page.sent = []

    def note(request):
        if request.method == "PATCH":
            page.sent.append(int(request.headers["upload-offset"]))

    page.on("request", note)


def sent(page):
    """Where each slice began that the page has sent until now."""
    page.evaluate("0")  # Playwright hears of requests while it does something
    return page.sent


def throttle(page, bytes_a_second):
    """Let a page send so many bytes a second; -1 for as many as it can."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    line = {"offline": False, "latency": 0, "downloadThroughput": -1}
    network.send("Network.emulateNetworkConditions", line | {"uploadThroughput": bytes_a_second})


def choose(page, *paths):
    page.locator("#file").set_input_files(paths)


def row(page, name="film.mp4"):
    return page.get_by_role("list", name="Uploads").get_by_role("listitem").filter(has_text=name)


def unfinished(page):
    return page.get_by_role("list", name="Unfinished uploads").get_by_role("listitem")


def act(page, words):
    page.get_by_role("button", name=words, exact=True).click()


def until_stored(page, name="film.mp4"):
    row(page, name).get_by_role("link", name=name).wait_for(timeout=60_000)


def stored(owner):
    return owner.api.get("/v1/documents").json["documents"]


def begun(owner):
    return owner.api.get("/v1/uploads").json["uploads"]


def assert_stored_right(owner, path):
    (document,) = stored(owner)
    assert document["size"] == path.stat().st_size
    assert document["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert begun(owner) == []


def test_a_large_file_goes_in_slices_and_gets_its_link(owner, page, film):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, film)
    act(page, "Create and copy link")
    until(lambda: said(page) == "The link is copied.")
    assert sent(page) == [0, SLICE, 2 * SLICE]
    assert_stored_right(owner, film)
    (document,) = stored(owner)
    assert document["contentType"] == "video/mp4"
    assert len(owner.api.links(document)) == 1
    assert not page.evaluate("JSON.parse(localStorage.getItem('unfinished uploads')).length")


def test_a_file_of_one_slice_goes_as_before(owner, page, tmp_path):
    small = tmp_path / "small.bin"
    small.write_bytes(bytes(SLICE))
    choose(page, small)
    until_stored(page, "small.bin")
    assert sent(page) == []
    assert begun(owner) == []


def test_how_far_it_is_stands_there_and_after_some_seconds_how_long_it_takes(page, film):
    throttle(page, 2_000_000)
    choose(page, film)
    state = row(page).locator(".dim")
    until(lambda: re.fullmatch(r"[\d.]+ (MB of|of) 40 MB", state.inner_text()))
    until(lambda: re.fullmatch(r"[\d.]+ of 40 MB · \d+ s left", state.inner_text()))
    bar = page.get_by_role("progressbar", name="film.mp4")
    assert 0 < bar.evaluate("one => one.value") < 1


def test_an_upload_is_paused_and_resumed_where_the_service_is(owner, page, film):
    throttle(page, 8_000_000)
    choose(page, film)
    until(lambda: SLICE in sent(page))
    act(page, "Pause film.mp4")
    row(page).get_by_text("Paused · ").wait_for()
    focused = page.get_by_role("button", name="Resume film.mp4")
    assert focused.evaluate("one => one === document.activeElement")
    before = len(sent(page))
    assert_accessible(page)
    throttle(page, -1)
    act(page, "Resume film.mp4")
    until_stored(page)
    assert sent(page)[before] >= SLICE
    assert_stored_right(owner, film)


def test_a_cancelled_upload_leaves_nothing(owner, page, film):
    throttle(page, 8_000_000)
    choose(page, film)
    until(lambda: SLICE in sent(page))
    act(page, "Cancel film.mp4")
    until(lambda: begun(owner) == [])
    assert stored(owner) == []
    assert not row(page).count()
    page.reload()
    assert not unfinished(page).count()


def test_one_file_goes_at_a_time_and_the_others_wait(owner, page, film, tmp_path):
    throttle(page, 8_000_000)
    choose(page, film)
    page.locator("#file").set_input_files([file("next.txt")])
    assert row(page, "next.txt").locator(".dim").inner_text() == "Waiting"
    until(lambda: len(begun(owner)) == 1)
    throttle(page, -1)
    until_stored(page, "next.txt")
    until_stored(page)
    assert sent(page) == [0, SLICE, 2 * SLICE]


@pytest.fixture
def line(service):
    line = Line(service.port)
    yield line
    line.close()


def test_a_line_that_breaks_loses_nothing_that_has_arrived(owner, line, open_browser, film):
    page = open_browser()
    watch(page)
    owner.enter(page)
    page.goto(f"{line.url}/app/documents")
    line.cut_after(25_000_000)
    choose(page, film)
    row(page).get_by_text(re.compile(r"Connection lost\. Trying again in \d+ s\.")).wait_for()
    assert said(page) == "Connection lost."
    arrived = until(lambda: begun(owner)[0]["received"] > SLICE and begun(owner)[0]["received"])
    line.mend()
    until_stored(page)
    assert arrived in sent(page)
    assert_stored_right(owner, film)


def test_an_upload_goes_on_at_once_when_the_browser_is_online_again(owner, page, film):
    page.clock.set_fixed_time("2026-11-29")  # no pause ends by itself
    page.route("**/app/uploads/*", lambda route: route.abort("internetdisconnected"))
    choose(page, film)
    row(page).get_by_text("Connection lost. Trying again in 1 s.").wait_for()
    page.unroute("**/app/uploads/*")
    page.evaluate("dispatchEvent(new Event('online'))")
    until_stored(page)
    assert_stored_right(owner, film)


def test_the_pauses_become_longer_up_to_a_minute(page, film):
    page.route("**/app/uploads/*", lambda route: route.abort("connectionreset"))
    page.clock.install(time="2026-11-29T00:00:00")
    page.clock.pause_at("2026-11-29T12:00:00")  # no second passes by itself
    choose(page, film)
    for pause in (1, 2, 4, 8, 16, 32, 60, 60):
        row(page).get_by_text(f"Connection lost. Trying again in {pause} s.").wait_for()
        page.clock.run_for(1000 * pause)


def test_where_another_sender_is_ahead_the_page_goes_on_there(owner, page, film):
    throttle(page, 4_000_000)
    choose(page, film)
    until(lambda: sent(page))
    (upload,) = begun(owner)
    path, data = f"/v1/uploads/{upload['id']}", film.read_bytes()
    ahead = until(
        lambda: send_ahead(owner, path, data)  # the page's own step may come between
    )
    throttle(page, -1)
    until_stored(page)
    assert ahead in sent(page)
    assert_stored_right(owner, film)


def send_ahead(owner, path, data):
    """Send two million bytes from where an upload is; return how many have arrived then."""
    offset = owner.api.get(path).json["received"]
    answer = owner.api.patch(
        path,
        data=data[offset : offset + 2_000_000],
        headers={
            "Upload-Offset": str(offset),
            "Content-Type": "application/offset+octet-stream",
        },
    )
    return answer.status == 204 and int(answer.headers["Upload-Offset"])


def interrupt(page, film):
    """Have a slice of a file arrive, and load the page anew."""
    throttle(page, 8_000_000)
    choose(page, film)
    until(lambda: SLICE in sent(page))
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    throttle(page, -1)
    page.sent.clear()


def test_a_page_that_was_closed_lists_what_has_arrived_and_goes_on_with_the_same_file(
    owner, page, film
):
    interrupt(page, film)
    (one,) = unfinished(page).all()
    sentence = r"film\.mp4: \d\d of 40 MB have arrived\. Choose the same file to resume\."
    assert re.search(sentence, one.inner_text())
    assert_accessible(page)
    page.get_by_label("Resume film.mp4").set_input_files(film)
    until_stored(page)
    assert not unfinished(page).count()
    assert sent(page)[0] >= SLICE
    assert_stored_right(owner, film)
    page.reload()
    assert not unfinished(page).count()


def test_another_file_is_not_taken_for_the_one_that_was_begun(page, film, tmp_path):
    interrupt(page, film)
    chooser = page.get_by_label("Resume film.mp4")
    renamed, shorter, newer = (tmp_path / name for name in ("b.mp4", "1/film.mp4", "2/film.mp4"))
    for path in (renamed, shorter, newer):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(film.read_bytes())
        os.utime(path, (film.stat().st_mtime,) * 2)
    with shorter.open("ab") as longer:
        longer.write(b"x")
    os.utime(newer, (film.stat().st_mtime + 60,) * 2)
    for path in (renamed, shorter, newer):
        page.evaluate("say('')")
        chooser.set_input_files(path)
        sentence = f"This is another file. Choose film.mp4 of {SHOWN_SIZE}."
        until(lambda sentence=sentence: said(page) == sentence)
        assert unfinished(page).locator(".error").inner_text() == sentence
    assert sent(page) == []


def test_what_was_begun_is_deleted_by_its_button(owner, page, film):
    interrupt(page, film)
    act(page, "Delete film.mp4")
    until(lambda: begun(owner) == [])
    until(lambda: said(page) == "What had arrived of “film.mp4” is deleted.")
    assert not unfinished(page).count()
    page.reload()
    assert not unfinished(page).count()


def test_what_another_program_has_begun_is_listed_and_goes_on_here(owner, page, film):
    data = film.read_bytes()
    Upload.begin(owner.api, SIZE, data[:1_000_000], filename="film.mp4")
    page.reload()
    until(lambda: "1 of 40 MB have arrived" in unfinished(page).inner_text())
    page.get_by_label("Resume film.mp4").set_input_files(film)
    until_stored(page)
    assert sent(page)[0] == 1_000_000
    assert_stored_right(owner, film)


def test_what_goes_into_a_collection_is_listed_there_and_gets_there(owner, page, film):
    first = owner.api.post("/v1/collections", json={"title": "Films"}).json
    other = owner.api.post("/v1/collections", json={"title": "Papers"}).json
    page.goto(f"{page.url}/../collections/{first['id']}")
    interrupt(page, film)
    assert unfinished(page).count() == 1
    here = page.url
    page.goto(here.replace(first["id"], other["id"]))
    assert unfinished(page).count() == 0
    page.goto(here)
    page.get_by_label("Resume film.mp4").set_input_files(film)
    until_stored(page)
    record = owner.api.get(f"/v1/collections/{first['id']}").json
    assert [one["name"] for one in record["documents"]] == ["film.mp4"]


def test_leaving_while_a_file_is_sent_asks(page, film):
    throttle(page, 1_000_000)
    choose(page, film)
    until(lambda: sent(page))
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("setTimeout(() => { location.href = '/app/links'; })")
    until(lambda: sent(page) and asked == ["beforeunload"])
    assert page.url.endswith("/app/documents")
    act(page, "Cancel film.mp4")
    page.reload()
    assert asked == ["beforeunload"]


def test_an_upload_whose_session_has_ended_says_so_and_goes_on_after_a_login(owner, page, film):
    throttle(page, 8_000_000)
    choose(page, film)
    until(lambda: sent(page))
    cookies = page.context.cookies()
    page.context.clear_cookies()
    until(lambda: "Your session has ended." in row(page).inner_text())
    page.context.add_cookies(cookies)
    throttle(page, -1)
    row(page).get_by_role("button", name="Resume").click()
    until_stored(page)
    assert_stored_right(owner, film)


def test_what_was_ended_elsewhere_is_begun_anew(owner, page, film):
    throttle(page, 8_000_000)
    choose(page, film)
    until(lambda: sent(page))
    (upload,) = begun(owner)
    owner.api.delete(f"/v1/uploads/{upload['id']}")
    until(lambda: "no longer there" in row(page).inner_text())
    throttle(page, -1)
    row(page).get_by_role("button", name="Try again").click()
    until_stored(page)
    assert_stored_right(owner, film)


def test_a_proxy_that_takes_one_mebibyte_gets_slices_of_that(service, open_browser, film, tmp_path):
    forward = f"proxy_pass http://127.0.0.1:{service.port}; proxy_set_header Host $http_host;"
    memory = "client_body_buffer_size 1m;"  # its user may write no file here
    text = f"server {{ listen 443 ssl; {memory} location / {{ {forward} }} }}"
    owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    with nginx(text, tmp_path) as port:
        page = open_browser()
        watch(page)
        owner.enter(page)
        page.goto(f"http://127.0.0.1:{port}/app/documents")
        choose(page, film)
        until_stored(page)
        assert sent(page)[:7] == [0, 0, 0, 0, 0, 1 << 20, 2 << 20]
        assert_stored_right(owner, film)


def test_what_is_too_large_is_refused_before_a_byte_is_sent(start_service, open_browser, tmp_path):
    service = start_service(MAX_UPLOAD_BYTES="70000000", MAX_DOCUMENT_BYTES="5000000")
    owner = Visitor(service).sign_up("ada@example.org")
    page = open_browser()
    owner.enter(page)
    assert "Up to 70 MB each." in page.inner_text("#file-hint")
    page.asked.clear()
    large = tmp_path / "large.bin"
    with large.open("wb") as made:
        made.truncate(70_000_001)
    choose(page, large)
    until(lambda: "Too large: up to 70 MB can be stored." in row(page, "large.bin").inner_text())
    assert page.asked == []
    with large.open("wb") as made:
        made.truncate(5_000_001)  # more than one request may have
    choose(page, large)
    until_stored(page, "large.bin")


def test_what_the_quota_has_no_room_for_is_refused_before_a_byte_is_sent(
    start_service, open_browser, tmp_path
):
    service = start_service(QUOTA_BYTES="60000000")
    owner = Visitor(service).sign_up("ada@example.org")
    owner.api.upload(bytes(20_000_000), name="old.bin", token=None)
    page = open_browser()
    owner.enter(page)
    page.asked.clear()
    large = tmp_path / "large.bin"
    with large.open("wb") as made:
        made.truncate(40_000_001)
    choose(page, large)
    sentence = "Too large: there is room for 40 MB."
    until(lambda: sentence in row(page, "large.bin").inner_text())
    assert page.asked == []


def test_without_script_the_form_says_what_one_request_takes(owner, open_browser):
    Upload.begin(owner.api, SIZE, filename="film.mp4")
    page = open_browser(java_script_enabled=False)
    owner.enter(page)
    assert page.inner_text("#file-hint") == "Up to 67 MB each."
    assert not unfinished(page).count()
    assert not page.get_by_text("Choose a folder").is_visible()


def test_a_folder_that_is_dropped_or_chosen_keeps_its_paths(owner, page, tmp_path):
    for path in ("papers/one.txt", "papers/2026/two.txt", "papers/.DS_Store"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    with (tmp_path / "papers/film.mp4").open("wb") as film:
        film.truncate(SLICE + 1)
    mouse = page.context.new_cdp_session(page)
    carried = {"items": [], "files": [str(tmp_path / "papers")], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        mouse.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": carried})
    until(lambda: said(page) == "3 files stored.")
    expected = {("film.mp4", "papers"), ("one.txt", "papers"), ("two.txt", "papers/2026")}
    assert {(one["name"], one["metadata"]["path"]) for one in stored(owner)} == expected
    until(lambda: len(names(page)) == 3)
    assert page.get_by_role("link", name="papers/2026 two.txt").count() == 1

    page.get_by_label("Choose a folder").set_input_files(tmp_path / "papers")
    until(lambda: len(stored(owner)) == 6)
    assert {(one["name"], one["metadata"]["path"]) for one in stored(owner)} == expected


BYTES_A_SECOND = 96_000 * 2 * 2  # of 96 kHz, two channels and samples of 16 bits


def wave(seconds):
    """A recording of silence as a WAV file."""

    def number(value, length=4):
        return value.to_bytes(length, "little")

    size = seconds * BYTES_A_SECOND
    form = number(1, 2) + number(2, 2) + number(96_000) + number(BYTES_A_SECOND)
    form += number(4, 2) + number(16, 2)
    head = b"RIFF" + number(size + 36) + b"WAVEfmt " + number(len(form)) + form
    return head + b"data" + number(size) + bytes(size)


def test_a_recording_of_100_mib_is_played_from_its_middle_without_the_rest(owner, page, tmp_path):
    path = tmp_path / "long.wav"
    path.write_bytes(wave(275))
    choose(page, path)
    until_stored(page, "long.wav")
    (document,) = stored(owner)
    ranges = []
    page.on("request", lambda request: ranges.append(request.headers.get("range")))
    page.goto(f"{page.url}/{document['id']}")
    player = page.frame_locator("iframe").locator("audio")
    player.evaluate("one => new Promise(done => { one.onloadedmetadata = done; one.load(); })")
    player.evaluate("one => new Promise(done => { one.onseeked = done; one.currentTime = 250; })")
    assert player.evaluate("one => one.currentTime") == 250
    starts = [int(one.partition("=")[2].partition("-")[0]) for one in ranges if one]
    assert max(starts) > 80 << 20
    assert len(starts) < 20

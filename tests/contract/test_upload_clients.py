"""Uploads in pieces by clients that others have written: tus-js-client, tuspy, curl."""

import hashlib
import json
import secrets
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cut_line import CutLine
from tests.npm import package
from tests.service import SyncingService
from tests.tus import STREAM

pytestmark = pytest.mark.slow
MIB = 1 << 20
PART = 8 * MIB
CUT_AT = 10 * MIB
SCRIPT = Path(__file__).parent / "tus_client.cjs"


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """A file of three steps, the last of which is a short one."""
    path = tmp_path_factory.mktemp("film") / "film.bin"
    path.write_bytes(secrets.token_bytes(MIB) * 20 + b"end")
    return path


@pytest.fixture
def key(new_user):
    """The header of an API key of the user's."""
    return new_user.create_api_key(scopes=["documents:write"]).credential


def stored(person, file):
    """The only document of the person, which has to be this file."""
    [document] = person.get("/v1/documents").json["documents"]
    assert document["size"] == file.stat().st_size
    assert document["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    return document


def offset(person, url):
    return int(person.head(urlsplit(url).path).headers["Upload-Offset"])


# tuspy


@pytest.fixture
def tuspy(film):
    """A function that makes an uploader of the film; tuspy leaves files open that it opens."""
    client = pytest.importorskip("tusclient.client", reason="tuspy is not installed")
    with film.open("rb") as file:

        def uploader(url, key, /, **options):
            made = client.TusClient(f"{url}/v1/uploads", headers=key)
            return made.uploader(file_stream=file, **options)

        yield uploader


@pytest.mark.parametrize("options", [{}, {"chunk_size": PART, "upload_checksum": True}])
def test_tuspy_sends_a_file(tuspy, service, new_user, key, film, options):
    values = {"filename": film.name, "filetype": "video/x-film"}
    tuspy(service.url, key, metadata=values, **options).upload()
    document = stored(new_user, film)
    assert (document["name"], document["contentType"]) == (film.name, "video/x-film")


def test_tuspy_goes_on_by_itself_behind_a_broken_line(tuspy, service, new_user, key, film):
    with CutLine(service.port, CUT_AT) as line:
        uploader = tuspy(line.url, key, retries=20, retry_delay=0.1)
        uploader.upload()
    assert line.was_cut
    stored(new_user, film)


def test_tuspy_goes_on_another_day_with_the_address(tuspy, service, new_user, key, film):
    first = tuspy(service.url, key, chunk_size=PART)
    first.upload_chunk()
    later = tuspy(service.url, key, chunk_size=PART, url=first.url)
    assert later.offset == PART
    later.upload()
    stored(new_user, film)


# tus-js-client


def send_by_tus_js(url, key, file, **options):
    """Send a file with tus-js-client in Node, and return what the script prints."""
    node = shutil.which("node")
    folder = package("tus-js-client")
    options = {"endpoint": f"{url}/v1/uploads", "headers": key, "retryDelays": [100] * 50} | options
    printed = subprocess.run(
        [node, SCRIPT, folder, file, json.dumps(options)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(printed.stdout)


def test_tus_js_client_sends_the_whole_file_in_one_request(service, new_user, key, film):
    metadata = {"filename": film.name, "filetype": "video/x-film"}
    sent = send_by_tus_js(service.url, key, film, metadata=metadata)
    assert sent["answers"] == [["POST", 201], ["PATCH", 204]]
    document = stored(new_user, film)
    assert (document["name"], document["contentType"]) == (film.name, "video/x-film")


def test_tus_js_client_sends_parts_the_first_one_with_the_beginning(service, new_user, key, film):
    sent = send_by_tus_js(service.url, key, film, chunkSize=PART, uploadDataDuringCreation=True)
    assert sent["answers"] == [["POST", 201], ["PATCH", 204], ["PATCH", 204]]
    stored(new_user, film)


def test_tus_js_client_goes_on_by_itself_behind_a_broken_line(service, new_user, key, film):
    with CutLine(service.port, CUT_AT) as line:
        sent = send_by_tus_js(line.url, key, film)
    assert line.was_cut
    assert sent["answers"][:2] == [["POST", 201], ["HEAD", 200]]
    assert sent["answers"][-2:] == [["HEAD", 200], ["PATCH", 204]]
    stored(new_user, film)


def test_tus_js_client_goes_on_by_itself_after_kill_9(start_service, film):
    service = start_service(SyncingService)
    user = service.register()

    def start_again():
        service.kill()
        service.start()

    with CutLine(service.port, CUT_AT, start_again) as line:
        sent = send_by_tus_js(line.url, user.credential, film)
    assert line.was_cut
    assert sent["answers"][-2:] == [["HEAD", 200], ["PATCH", 204]]
    stored(user, film)


def test_tus_js_client_goes_on_in_another_process(service, new_user, key, film, tmp_path):
    store = str(tmp_path / "uploads.json")
    (tmp_path / "uploads.json").write_text("{}")
    options = {"chunkSize": PART, "store": store}
    first = send_by_tus_js(service.url, key, film, abortAt=CUT_AT, **options)
    later = send_by_tus_js(service.url, key, film, **options)
    assert later["url"] == first["url"]
    assert later["answers"][0] == ["HEAD", 200]
    stored(new_user, film)


def test_tus_js_client_deletes_an_upload_that_it_gives_up(service, new_user, key, film):
    options = {"chunkSize": PART, "abortAt": CUT_AT, "terminate": True}
    sent = send_by_tus_js(service.url, key, film, **options)
    assert sent["answers"][-1] == ["DELETE", 204]
    assert sent["error"] is None
    assert new_user.head(urlsplit(sent["url"]).path).status == 404
    assert new_user.get("/v1/uploads").json["uploads"] == []


# curl


def curl(*words, body=None):
    """Run curl, and return what it prints: bytes of the answer, or what `-w` names."""
    program = shutil.which("curl")
    if program is None:
        pytest.skip("curl is not installed")
    command = [program, "-sS", "--fail-with-body", "--max-time", "300", *words]
    done = subprocess.run(command, stdin=body, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout.decode()


def words_of(headers):
    return [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]


def begun_by_curl(url, key, file):
    """Begin an upload, and return its address."""
    size = {"Upload-Length": str(file.stat().st_size)}
    words = (*words_of(key | size), "-o", "/dev/null", "-w", "%header{location}")
    return curl("-X", "POST", f"{url}/v1/uploads", *words)


def at_offset(number):
    return words_of(STREAM | {"Upload-Offset": str(number)})


@pytest.mark.parametrize("way", ["--data-binary", "-T"])
def test_curl_sends_the_whole_file_in_one_request(service, new_user, key, film, way):
    url = begun_by_curl(service.url, key, film)
    body = ["--data-binary", f"@{film}"] if way == "--data-binary" else ["-T", film]
    curl("-X", "PATCH", *body, *words_of(key), *at_offset(0), url)
    stored(new_user, film)


def test_curl_sends_what_has_no_length_yet(service, new_user, key, film):
    url = begun_by_curl(service.url, key, film)
    with film.open("rb") as body:
        curl("-X", "PATCH", "-T", "-", *words_of(key), *at_offset(0), url, body=body)
    stored(new_user, film)


def test_curl_begins_an_upload_with_all_of_its_bytes(service, new_user, key, film):
    head = words_of(key | STREAM | {"Upload-Length": str(film.stat().st_size)})
    curl("-X", "POST", "--data-binary", f"@{film}", *head, f"{service.url}/v1/uploads")
    stored(new_user, film)


def test_curl_sends_200_mib_in_one_request(service, new_user, key, tmp_path):
    file = tmp_path / "long.bin"
    with file.open("wb") as written:
        for number in range(200):
            written.write(number.to_bytes(4) * (MIB // 4))
    url = begun_by_curl(service.url, key, file)
    curl("-X", "PATCH", "-T", file, *words_of(key), *at_offset(0), url)
    stored(new_user, file)

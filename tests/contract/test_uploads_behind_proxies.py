"""Uploads in pieces behind nginx and Caddy, as they are by default and by the documentation."""

import contextlib
import hashlib
import re
import secrets
import shutil
import subprocess

import pytest

from tests import proxies
from tests.cut_line import CutLine
from tests.people import Person
from tests.tus import STREAM, Upload
from tests.waiting import until

pytestmark = pytest.mark.slow
KIB, MIB = 1 << 10, 1 << 20
PAGE = "Any other proxy"  # the heading of the lines in docs/operating.md
CONTENT = secrets.token_bytes(MIB) * 20 + b"end"
NGINX_BY_DEFAULT = """
    server {
        listen 443 ssl;
        location / { proxy_pass http://127.0.0.1:8000; proxy_set_header Host $http_host; }
    }"""


class Behind:
    """The service as it is seen through a proxy that listens here."""

    def __init__(self, service, port):
        self.port, self.description = port, service.description


def through(port, service, owner):
    """The same person, who comes through the proxy."""
    return Person(Behind(service, port), owner.credential)


def lines_for(service, text):
    return text.replace("127.0.0.1:8000", f"127.0.0.1:{service.port}")


@pytest.fixture
def by_default(service, new_user, tmp_path):
    """The user behind an nginx that is told nothing: 1 MiB at most, received before it is sent."""
    with proxies.nginx(lines_for(service, NGINX_BY_DEFAULT), tmp_path) as port:
        yield through(port, service, new_user)


@pytest.fixture
def nginx(request, service, new_user, tmp_path):
    """The user behind nginx by the documentation; the largest body is 20 MiB, or a parameter."""
    text, count = re.subn(
        "client_max_body_size [0-9a-z]+;",
        f"client_max_body_size {getattr(request, 'param', '20m')};",
        proxies.documented("nginx", PAGE),
    )
    assert count == 1
    with proxies.nginx(lines_for(service, text), tmp_path) as port:
        yield through(port, service, new_user)


@pytest.fixture
def caddy(service, new_user, tmp_path):
    """The user behind Caddy by the documentation, which here takes HTTP/2 without TLS as well."""
    text = lines_for(service, proxies.documented("caddyfile", PAGE))
    text = text.replace("{\n", "{\n\tservers {\n\t\tprotocols h1 h2c\n\t}\n", 1)
    with proxies.caddy(text, tmp_path) as port:
        yield through(port, service, new_user)


def send_in_parts(person, part, begin_at=0, upload=None):
    """Send the film in parts of so many bytes, and return the upload."""
    upload = upload or Upload.begin(person, len(CONTENT), filename="film.bin")
    for at in range(begin_at, len(CONTENT), part):
        assert upload.send(CONTENT[at : at + part], at).status == 204
    return upload


def stored(owner):
    """Assert that the film is the owner's only document."""
    [document] = owner.get("/v1/documents").json["documents"]
    assert document["sha256"] == hashlib.sha256(CONTENT).hexdigest()


@pytest.mark.parametrize("part", [512 * KIB, MIB])
def test_parts_of_a_mebibyte_and_less_pass_an_nginx_that_is_told_nothing(
    by_default, new_user, part
):
    send_in_parts(by_default, part)
    stored(new_user)


def test_a_413_of_nginx_is_not_ours_and_loses_nothing(by_default, new_user):
    upload = Upload.begin(by_default, len(CONTENT), CONTENT[:MIB])
    head = by_default.credential | STREAM | {"Upload-Offset": str(MIB)}
    refused = by_default.exchange("PATCH", upload.path, head.items(), CONTENT[MIB : 3 * MIB])
    assert (refused.status, refused.kind) == (413, "text/html")
    assert "Tus-Resumable" not in refused.headers
    assert upload.offset() == MIB
    send_in_parts(by_default, MIB, MIB, upload)
    stored(new_user)


def test_slices_of_16_mib_pass_nginx_that_takes_20(nginx, new_user):
    send_in_parts(nginx, 16 * MIB)
    stored(new_user)


@pytest.mark.parametrize("nginx", ["0"], indirect=True)
def test_nginx_without_a_limit_lets_the_whole_file_pass_in_one_request(nginx, new_user):
    send_in_parts(nginx, len(CONTENT))
    stored(new_user)


@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_a_line_that_breaks_before_a_proxy_loses_nothing_that_came_through(
    request, new_user, proxy
):
    person = request.getfixturevalue(proxy)
    upload = Upload.begin(person, len(CONTENT))
    with CutLine(person.service.port, 10 * MIB) as line:
        head = {"Upload-Offset": "0", "Content-Length": str(16 * MIB)} | STREAM
        connection = through(line.port, person.service, person).begin("PATCH", upload.path, head)
        with contextlib.suppress(OSError):
            connection.endheaders(CONTENT[: 16 * MIB])
            connection.getresponse().close()
        connection.close()
    until(lambda: upload.offset() > 8 * MIB)
    until(lambda: goes_on(upload))
    stored(new_user)


def goes_on(upload):
    """Send all that is missing; false if more has arrived since the offset was asked for."""
    arrived = upload.offset()
    status = upload.send(CONTENT[arrived : arrived + 16 * MIB], arrived).status
    assert status in {204, 409}
    return status == 204


def test_caddy_lets_the_whole_file_pass_in_one_request(caddy, new_user):
    send_in_parts(caddy, len(CONTENT))
    stored(new_user)


@pytest.mark.parametrize("length", ["known", "unknown"])
def test_caddy_takes_the_whole_file_by_http_2(caddy, new_user, tmp_path, length):
    file = tmp_path / "film.bin"
    file.write_bytes(CONTENT)
    upload = Upload.begin(caddy, len(CONTENT))
    head = [f"{name}: {value}" for name, value in (caddy.credential | STREAM).items()]
    with file.open("rb") as body:
        printed = subprocess.check_output(
            [
                *(curl_program(), "-sS", "--http2-prior-knowledge", "-X", "PATCH"),
                *("-T", file if length == "known" else "-", "-H", "Upload-Offset: 0"),
                *(word for line in head for word in ("-H", line)),
                *("-w", "%{http_version} %{http_code}"),
                f"http://127.0.0.1:{caddy.service.port}{upload.path}",
            ],
            stdin=body,
            timeout=300,
        )
    assert printed == b"2 204"
    stored(new_user)


def curl_program():
    return shutil.which("curl") or pytest.skip("curl is not installed")

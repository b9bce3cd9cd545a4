"""The HTTP client resolves a name once and connects to allowed addresses only."""

import ipaddress
import socket
import ssl
import threading
import time
from functools import partial
from types import SimpleNamespace

import pytest

from models.runtime import deadlines
from tests.mailbox import certificate
from webhooks import SafeHttpClient, http_client

HERE = (ipaddress.ip_network("127.0.0.0/8"),)
BODY = b'{"type":"webhook.test"}'


class FakeResolver:
    """Each call returns the next of the given lists of addresses."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def __call__(self, host, port, **_):
        self.asked.append(host)
        addresses = self.answers.pop(0)
        families = [socket.AF_INET6 if ":" in one else socket.AF_INET for one in addresses]
        return [
            (family, socket.SOCK_STREAM, 6, "", (address, port))
            for family, address in zip(families, addresses, strict=True)
        ]


@pytest.fixture
def serve():
    """A local server that handles one connection with the given function."""
    threads = []

    def start(talk):
        listener = socket.create_server(("127.0.0.1", 0))

        def run():
            with listener, listener.accept()[0] as connection:
                try:
                    talk(connection)
                except OSError:  # the client has disconnected
                    return

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return listener.getsockname()[1]

    yield start
    for thread in threads:
        thread.join(60)


@pytest.fixture
def connect():
    """Refuses every connection; `tried` lists the addresses."""

    def connect(address, _timeout_seconds):
        connect.tried.append(address[0])
        raise ConnectionRefusedError

    connect.tried = []
    return connect


def test_the_name_is_resolved_once_and_that_address_is_connected_to(connect):
    resolver = FakeResolver(["93.184.215.14"], ["127.0.0.1"])
    SafeHttpClient(resolve=resolver, connect=connect).post("https://rebinding.example/", {}, BODY)
    assert resolver.asked == ["rebinding.example"]
    assert connect.tried == ["93.184.215.14"]


def test_a_name_is_resolved_again_for_every_delivery(connect):
    client = SafeHttpClient(resolve=FakeResolver(["93.184.215.14"], ["127.0.0.1"]), connect=connect)
    client.post("https://rebinding.example/", {}, BODY)
    outcome = client.post("https://rebinding.example/", {}, BODY)
    assert "not public" in outcome.error
    assert len(connect.tried) == 1


def test_a_name_that_is_not_resolved_in_time_is_a_failure(connect):
    released = threading.Event()

    def resolve(*_, **__):
        released.wait(60)
        return []

    client = SafeHttpClient(resolve=resolve, connect=connect, deadline_seconds=0.1)
    outcome = client.post("https://slow.example/", {}, BODY)
    released.set()

    assert outcome.error == "There was no answer within 0.1 s."
    assert connect.tried == []


def test_one_address_that_is_not_allowed_prevents_sending(connect):
    resolver = FakeResolver(["93.184.215.14", "10.0.0.1"])
    outcome = SafeHttpClient(resolve=resolver, connect=connect).post(
        "https://mixed.example/", {}, BODY
    )
    assert "not public" in outcome.error
    assert connect.tried == []


PRIVATE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.127.0.1",
    "127.8.8.8",
    "169.254.169.254",
    "168.63.129.16",
    "172.31.0.1",
    "192.0.0.8",
    "192.88.99.1",
    "192.168.0.1",
    "198.19.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:10.0.0.1",
    "::10.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001:0:a00:1::",
    "2001:db8::1",
    "2002:a00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


def test_an_address_that_is_not_public_is_refused(connect):
    for address in PRIVATE:
        client = SafeHttpClient(resolve=FakeResolver([address]), connect=connect)
        outcome = client.post("https://inside.example/", {}, BODY)
        assert "not public" in outcome.error, address
    assert connect.tried == []


def test_public_addresses_are_reached_over_tls_only(connect):
    resolver = FakeResolver(["93.184.215.14"], ["93.184.215.14"], ["2606:2800:21f::1"])
    client = SafeHttpClient(resolve=resolver, connect=connect)
    assert "not by https" in client.post("http://outside.example/", {}, BODY).error
    client.post("https://outside.example/", {}, BODY)
    client.post("https://outside.example/", {}, BODY)
    assert connect.tried == ["93.184.215.14", "2606:2800:21f::1"]


def test_an_allowed_network_is_reached_even_if_mapped_to_ipv6(connect):
    resolver = FakeResolver(["::ffff:127.0.0.1"], ["10.0.0.1"])
    client = SafeHttpClient(HERE, resolve=resolver, connect=connect)
    client.post("http://inside.example/", {}, BODY)
    assert "not public" in client.post("http://inside.example/", {}, BODY).error
    assert connect.tried == ["::ffff:127.0.0.1"]


def test_an_unknown_name_is_reported():
    def unknown(*_, **__):
        raise socket.gaierror

    assert SafeHttpClient(resolve=unknown).post("https://a.invalid/", {}, BODY).error == (
        "The name is not known."
    )


def test_the_host_header_has_the_name_and_its_port(receiver):
    url = f"http://hook.example:{receiver.port}/a?b=c"
    outcome = SafeHttpClient(HERE, resolve=FakeResolver(["127.0.0.1"])).post(
        url, {"X-One": "two"}, BODY
    )
    (request,) = receiver.requests
    assert (outcome.status, outcome.answer, outcome.error) == (200, "thanks", None)
    assert request.headers["Host"] == f"hook.example:{receiver.port}"
    assert (request.path, request.headers["X-One"], request.body) == ("/a?b=c", "two", BODY)


def test_head_and_body_of_a_request_arrive_together(serve):
    received = []

    def talk(connection):
        received.append(connection.recv(65536))
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    SafeHttpClient(HERE).post(f"http://127.0.0.1:{serve(talk)}/", {}, BODY)

    assert received[0].startswith(b"POST / HTTP/1.1\r\n")
    assert received[0].endswith(BODY)


def test_no_proxy_is_taken_from_the_environment(receiver, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert SafeHttpClient(HERE).post(receiver.url(), {}, BODY).succeeded


def drip(connection):
    connection.recv(65536)
    for byte in b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 1000:
        connection.sendall(bytes([byte]))
        time.sleep(0.02)


def hang(connection):
    connection.settimeout(60)
    while connection.recv(65536):
        pass


@pytest.mark.parametrize("talk", [drip, hang])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_exchange_ends_at_its_deadline_however_slowly_the_response_arrives(talk, scheme, serve):
    began = time.monotonic()
    url = f"{scheme}://127.0.0.1:{serve(talk)}/"
    outcome = SafeHttpClient(HERE, deadline_seconds=0.3).post(url, {}, BODY)
    assert not outcome.succeeded
    assert time.monotonic() - began < 30


def test_a_response_body_is_cut_at_the_deadline_and_the_status_counts(serve, monkeypatch):
    late, read = threading.Event(), http_client._read

    def talk(connection):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        late.wait(60)
        connection.sendall(b"x" * 1000)

    def read_late(response):
        late.set()
        return read(response)

    monkeypatch.setattr(http_client, "_read", read_late)
    clock = SimpleNamespace(monotonic=lambda: 100 * late.is_set())
    monkeypatch.setattr(http_client, "time", clock)
    monkeypatch.setattr(deadlines, "time", clock)
    outcome = SafeHttpClient(HERE).post(f"http://127.0.0.1:{serve(talk)}/", {}, BODY)
    assert (outcome.status, outcome.answer) == (200, "")


def test_an_endless_response_is_cut_at_one_kib(serve):
    def pour(connection):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 500 Oh\r\nRetry-After: 7\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65536)

    outcome = SafeHttpClient(HERE).post(f"http://127.0.0.1:{serve(pour)}/", {}, BODY)

    assert (outcome.status, outcome.answer) == (500, "x" * 1024)
    assert outcome.retry_after_seconds == 7


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 2xx\r\n\r\n", b"\0" * 99])
def test_a_response_that_is_not_http_is_a_failure(said, serve):
    def talk(connection):
        connection.recv(65536)
        connection.sendall(said)

    outcome = SafeHttpClient(HERE).post(f"http://127.0.0.1:{serve(talk)}/", {}, BODY)

    assert (outcome.status, outcome.error is None) == (None, False)


def test_the_certificate_must_match_the_name(serve, tmp_path):
    server, file = certificate(tmp_path, "hook.example")
    asked = []
    server.sni_callback = lambda _, name, __: asked.append(name)

    def talk(connection):
        with server.wrap_socket(connection, server_side=True) as secured:
            secured.recv(65536)
            secured.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    resolver = FakeResolver(["127.0.0.1"], ["127.0.0.1"])
    trusting = partial(ssl.create_default_context, cafile=file)
    client = SafeHttpClient(HERE, resolve=resolver, tls=trusting)
    good = client.post(f"https://hook.example:{serve(talk)}/", {}, BODY)
    bad = client.post(f"https://other.example:{serve(talk)}/", {}, BODY)
    stranger = SafeHttpClient(HERE, resolve=FakeResolver(["127.0.0.1"]))
    unknown = stranger.post(f"https://hook.example:{serve(talk)}/", {}, BODY)

    assert (good.status, good.error) == (204, None)
    assert asked == ["hook.example", "other.example", "hook.example"]
    assert bad.error.startswith("The certificate is not good: Hostname mismatch")
    assert unknown.error.startswith("The certificate is not good: self")

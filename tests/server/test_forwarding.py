"""The headers of a trusted proxy: what is read of them, of whom, and what cannot be read."""

import json
import logging
from http.client import HTTPConnection
from ipaddress import ip_network

import pytest

from server import TrustedProxy
from server.forwarding import Forwarding
from tests import proxies

from .conftest import answer, ask

ODD = [
    "",
    " ",
    ",",
    "unknown",
    "_hidden",
    "https, ftp",
    "a b",
    "a/b",
    "a..b",
    "a%41",
    "[:::::]",
    "[::1",
    "a:65536",
    "300.1.1.1",
    "10.0.0.1:port",
    "x" * 300,
    'for="[2001:db8::1]"',
    "fe80::1%eth0;",
    "\u00e4",
]
NAMES = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port"]
NAMES += ["X-Forwarded-Prefix", "Forwarded"]


def proxy(*networks, **more):
    return TrustedProxy(tuple(map(ip_network, networks or ("127.0.0.1/32",))), **more)


def seen(headers, peer="127.0.0.1", trusted=None, clock=lambda: 0.0):
    """The environment that an application sees of a request by http to `named.example`."""
    environ = {"REMOTE_ADDR": peer, "REMOTE_HOST": peer, "HTTP_HOST": "named.example"}
    environ["wsgi.url_scheme"] = "http"
    for name, value in headers.items():
        environ[f"HTTP_{name.upper().replace('-', '_')}"] = value
    Forwarding(trusted or proxy(), clock).around(lambda environ, _: environ)(environ, None)
    return environ


def client_of(header, *networks):
    return seen({"X-Forwarded-For": header}, trusted=proxy("127.0.0.1/32", *networks))[
        "REMOTE_ADDR"
    ]


CLIENTS = {
    "203.0.113.9": "203.0.113.9",
    "evil, 203.0.113.9": "203.0.113.9",
    "198.51.100.1, 203.0.113.9": "203.0.113.9",
    "198.51.100.1,203.0.113.9 , 10.0.0.2": "203.0.113.9",
    "198.51.100.1, 203.0.113.9, 10.0.0.3, 10.0.0.2": "203.0.113.9",
    "10.0.0.3, 10.0.0.2": "10.0.0.3",
    "unknown, 10.0.0.2": "10.0.0.2",
    "203.0.113.9:4711": "203.0.113.9",
    "[2001:db8::1]:443": "2001:db8::1",
    "[2001:db8::1]": "2001:db8::1",
    "2001:DB8:0::1": "2001:db8::1",
    "::ffff:203.0.113.9": "203.0.113.9",
    "203.0.113.9, ::ffff:10.0.0.2": "203.0.113.9",
    '"203.0.113.9"': "203.0.113.9",
    "203.0.113.9, unknown": "127.0.0.1",
    "": "127.0.0.1",
}


@pytest.mark.parametrize(("header", "client"), CLIENTS.items())
def test_the_client_is_from_the_right_the_first_that_is_no_trusted_proxy(header, client):
    assert client_of(header, "10.0.0.0/8") == client


def test_a_proxy_may_connect_by_an_address_of_ipv4_that_is_written_in_ipv6():
    environ = seen({"X-Forwarded-For": "203.0.113.9"}, peer="::ffff:127.0.0.1")
    assert environ["REMOTE_ADDR"] == "203.0.113.9"


def test_a_proxy_may_connect_from_anywhere_in_its_network():
    for peer, client in (("10.9.9.9", "203.0.113.9"), ("11.0.0.1", "11.0.0.1")):
        environ = seen({"X-Forwarded-For": "203.0.113.9"}, peer, proxy("10.0.0.0/8"))
        assert environ["REMOTE_ADDR"] == client


SCHEMES = {
    "https": "https",
    "HTTPS": "https",
    "wss": "https",
    "http": "http",
    "http, https": "https",
    "https,https": "https",
    "https, http": "http",
}


@pytest.mark.parametrize(("header", "scheme"), SCHEMES.items())
def test_the_last_scheme_of_a_list_counts(header, scheme):
    assert seen({"X-Forwarded-Proto": header})["wsgi.url_scheme"] == scheme


def test_the_last_host_of_a_list_counts_where_the_proxy_sets_it():
    header = {"X-Forwarded-Host": "evil.example, Public.example:8443"}
    assert seen(header)["HTTP_HOST"] == "named.example"
    believed = seen(header, trusted=proxy(forwards_host=True))
    assert believed["HTTP_HOST"] == "public.example:8443"


def test_with_a_public_address_its_scheme_and_host_count_and_no_header():
    trusted = proxy(public_url="https://docs.example.org:8443", forwards_host=True)
    headers = {
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-For": "203.0.113.9",
    }
    for given in ({}, headers):
        environ = seen(given, trusted=trusted)
        assert environ["wsgi.url_scheme"] == "https"
        assert environ["HTTP_HOST"] == "docs.example.org:8443"
    assert environ["REMOTE_ADDR"] == "203.0.113.9"


def test_of_who_is_no_trusted_proxy_nothing_is_read_at_all(caplog):
    trusted = proxy(
        public_url="https://docs.example.org", forwards_host=True, identity_header="X-Email"
    )
    for value in ("https", "203.0.113.9", "a.example", *ODD):
        headers = dict.fromkeys([*NAMES, "X-Email"], value)
        environ = seen(headers, "127.0.0.2", trusted)
        assert environ["REMOTE_ADDR"] == "127.0.0.2"
        assert environ["wsgi.url_scheme"] == "http"
        assert environ["HTTP_HOST"] == "named.example"
        assert "server.identity" not in environ
    assert caplog.records == []


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.0.0.2"])
def test_the_application_sees_no_forwarding_header(peer):
    environ = seen(dict.fromkeys(NAMES, "a"), peer, proxy(forwards_host=True))
    assert [name for name in environ if "FORWARDED" in name] == []


def test_a_header_of_the_proxys_own_that_names_people_is_handed_on():
    environ = seen(
        {"X-Forwarded-Email": "a@b.example"}, trusted=proxy(identity_header="X-Forwarded-Email")
    )
    assert environ["server.identity"] == "a@b.example"


def test_of_a_unix_socket_every_client_is_the_proxy():
    environ = seen({"X-Forwarded-For": "203.0.113.9"}, "localhost", TrustedProxy(all_clients=True))
    assert environ["REMOTE_ADDR"] == "203.0.113.9"


@pytest.mark.parametrize("name", NAMES[:3])
def test_a_value_that_cannot_be_read_counts_as_none_and_is_logged_once_a_minute(name, caplog):
    moment = 0.0
    caplog.set_level(logging.WARNING)
    forwarding = Forwarding(proxy(forwards_host=True), lambda: moment)
    key = f"HTTP_{name.upper().replace('-', '_')}"

    def read(value):
        environ = {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "named.example", key: value}
        environ["wsgi.url_scheme"] = "http"
        forwarding.around(lambda *_: None)(environ, None)
        return environ["REMOTE_ADDR"], environ["HTTP_HOST"], environ["wsgi.url_scheme"]

    unread = [value for value in ODD if not (name == "X-Forwarded-Host" and value in READABLE)]
    for value in unread:
        assert read(value) == ("127.0.0.1", "named.example", "http"), value
    assert len(caplog.records) == 1
    assert name in caplog.text
    moment = 59.9
    read("a b")
    assert len(caplog.records) == 1
    moment = 60.0
    read("a b")
    assert len(caplog.records) == 2


READABLE = {"unknown", "_hidden", "https, ftp", "300.1.1.1", "x" * 300}  # as a name of a host


@pytest.mark.parametrize("value", ODD)
def test_no_value_of_a_header_is_a_refusal_on_one_line_or_on_two(value, build):
    setup = build(options={"proxy": proxy(forwards_host=True)})
    lines = [f"{name}: {value}" for name in NAMES]
    for sent in (lines, [*lines, *lines]):
        head = ask("/seen", "GET", *sent).decode().encode("latin-1")
        with setup.connected(head) as connection:
            assert answer(connection)[0] == 200


def test_two_lines_of_a_header_are_one_list(build):
    setup = build(options={"proxy": proxy(forwards_host=True)})
    lines = ["X-Forwarded-For: 198.51.100.1", "X-Forwarded-Proto: http", "X-Forwarded-Host: a"]
    lines += ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https", "X-Forwarded-Host: b"]
    with setup.connected(ask("/seen", "GET", *lines)) as connection:
        told = json.loads(answer(connection)[2])
    assert told == {"REMOTE_ADDR": "203.0.113.9", "HTTP_HOST": "b", "wsgi.url_scheme": "https"}


@pytest.mark.slow
def test_behind_two_real_proxies_the_client_is_who_has_called_the_first(build, tmp_path):
    setup = build(options={"proxy": proxy("127.0.0.0/29")})
    (outer := tmp_path / "outer").mkdir()
    (inner := tmp_path / "inner").mkdir()
    lines = proxies.documented("nginx", "Any other proxy").replace(":8000", f":{setup.port}")
    lines = lines.replace("$remote_addr;", "$proxy_add_x_forwarded_for;")
    with proxies.nginx(lines, inner) as port:
        site = proxies.documented("caddyfile", "Any other proxy").replace(":8000", f":{port}")
        with proxies.caddy(site, outer) as first:
            person = ("127.0.0.77", 0)
            connection = HTTPConnection("127.0.0.1", first, timeout=60, source_address=person)
            connection.request("GET", "/seen", headers={"X-Forwarded-For": "203.0.113.9"})
            told = json.loads(connection.getresponse().read())
            connection.close()
    assert told["REMOTE_ADDR"] == "127.0.0.77"
    assert told["HTTP_HOST"] == f"127.0.0.1:{first}"


@pytest.mark.parametrize(
    ("trusted", "host"),
    [(None, "a"), (proxy(), "a"), (proxy(forwards_host=True), "public.example")],
)
def test_a_forwarded_host_is_believed_only_of_a_proxy_that_sets_it(trusted, host, build):
    setup = build(options={"proxy": trusted})
    with setup.connected(ask("/host", "GET", "X-Forwarded-Host: public.example")) as connection:
        assert answer(connection)[2] == host.encode()

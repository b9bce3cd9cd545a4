"""HTTP messages that two readers could understand differently, sent over raw sockets.

Such a message is answered with one problem, and the connection is closed, whatever follows.
"""

from tests.contract.raw_http import CHUNKED, GET, LAST, NEXT, POST, H, answers, assert_problem, talk

UNCLEAR = {
    "no Host": b"GET /v1/auth/me HTTP/1.1\r\n\r\n",
    "two Hosts": GET + b"Host: b\r\n\r\n",
    "two equal Hosts": GET + H + b"\r\n",
    "a Host with a path": b"GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "a Host with a user": b"GET /healthz HTTP/1.1\r\nHost: b@a\r\n\r\n",
    "a Host with a percent sign": b"GET /healthz HTTP/1.1\r\nHost: a%41\r\n\r\n",
    "a Host with a quote": b"GET /healthz HTTP/1.1\r\nHost: a'b\r\n\r\n",
    "a Host of dots": b"GET /healthz HTTP/1.1\r\nHost: a..b\r\n\r\n",
    "a Host with a port too high": b"GET /healthz HTTP/1.1\r\nHost: a:65536\r\n\r\n",
    "a Host with a port that is none": b"GET /healthz HTTP/1.1\r\nHost: a:0\r\n\r\n",
    "a Host of colons": b"GET /healthz HTTP/1.1\r\nHost: [:::::]\r\n\r\n",
    "an empty Host": b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
    "a Host with a path, and a body": b"POST /v1/auth/login HTTP/1.1\r\nHost: a/b\r\n"
    b"Content-Length: 2\r\n\r\n{}",
    "an address elsewhere, and chunks": b"POST http://b/v1/auth/login HTTP/1.1\r\n"
    + H
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + LAST,
    "a length and chunks": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + LAST,
    "chunks and a length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + LAST,
    "a coding twice": POST + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n" + LAST,
    "chunks of chunks": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + LAST,
    "an empty coding": POST + b"Transfer-Encoding:\r\n\r\n" + LAST,
    "an empty coding in a list": POST + b"Transfer-Encoding: , chunked\r\n\r\n" + LAST,
    "an unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + LAST,
    "a coding before chunks": POST + b"Transfer-Encoding: identity, chunked\r\n\r\n" + LAST,
    "chunks and a tab": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + LAST,
    "a quoted coding": POST + b'Transfer-Encoding: "chunked"\r\n\r\n' + LAST,
    "a space before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n" + LAST,
    "chunks in HTTP/1.0": b"POST /v1/auth/login HTTP/1.0\r\nConnection: keep-alive\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n" + LAST,
    "a folded coding": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + LAST,
    "a folded header": GET + b"X-Foo: a\r\n b\r\n\r\n",
    "a fold before any header": b"GET /healthz HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}",
    "two equal lengths": POST + b"Content-Length: 2\r\n" * 2 + b"\r\n{}",
    "a list of lengths": POST + b"Content-Length: 2, 2\r\n\r\n{}",
    "a length with a plus": POST + b"Content-Length: +2\r\n\r\n{}",
    "a length below nothing": POST + b"Content-Length: -2\r\n\r\n{}",
    "a length in words": POST + b"Content-Length: abc\r\n\r\n{}",
    "a length with a fraction": POST + b"Content-Length: 1.5\r\n\r\n{}",
    "a length in hex": POST + b"Content-Length: 0x2\r\n\r\n{}",
    "a length with an underscore": POST + b"Content-Length: 1_0\r\n\r\n{}",
    "an empty length": POST + b"Content-Length:\r\n\r\n{}",
    "a length of other digits": POST + b"Content-Length: \xb2\r\n\r\n{}",
    "a length of 5000 digits": POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    "no chunk size": CHUNKED + b"\r\n" + LAST,
    "a chunk size in words": CHUNKED + b"two\r\n{}\r\n" + LAST,
    "a chunk size with 0x": CHUNKED + b"0x2\r\n{}\r\n" + LAST,
    "a chunk size with a sign": CHUNKED + b"+2\r\n{}\r\n" + LAST,
    "a chunk size with a space": CHUNKED + b"2 \r\n{}\r\n" + LAST,
    "a space before a chunk size": CHUNKED + b" 2\r\n{}\r\n" + LAST,
    "a chunk size of 17 digits": CHUNKED + b"1" + b"0" * 16 + b"\r\n{}",
    "a chunk longer than its size": CHUNKED + b"2\r\n{}{}\r\n" + LAST,
    "a chunk shorter than its size": CHUNKED + b"9\r\n{}\r\n" + LAST + b"\r\n\r\n",
    "a chunk size with a bare LF": CHUNKED + b"2\n{}\r\n" + LAST,
    "a chunk's end with a bare LF": CHUNKED + b"2\r\n{}\n" + LAST,
    "an extension with a bare LF": CHUNKED + b"2;a=b\n{}\r\n" + LAST,
    "an extension that is no token": CHUNKED + b"2;a=\x01\r\n{}\r\n" + LAST,
    "an endless extension": CHUNKED + b"2;" + b"a" * 9000,
    "a trailer without a colon": CHUNKED + b"2\r\n{}\r\n0\r\nnonsense\r\n\r\n",
    "a trailer with a bare LF": CHUNKED + b"2\r\n{}\r\n0\r\nX: a\n\r\n",
    "endless trailers": CHUNKED + b"2\r\n{}\r\n0\r\n" + b"X: a\r\n" * 2000,
    "bare LFs": b"GET /healthz HTTP/1.1\nHost: a\n\n",
    "one bare LF": GET + b"X-Foo: a\nX-Bar: b\r\n\r\n",
    "a bare CR": GET + b"X-Foo: a\rX-Bar: b\r\n\r\n",
    "a NUL in a header": GET + b"X-Foo: a\x00b\r\n\r\n",
    "a NUL in a name": GET + b"X-\x00: b\r\n\r\n",
    "a header without a colon": GET + b"nonsense\r\n\r\n",
    "a header without a name": GET + b": nonsense\r\n\r\n",
    "two spaces in the first line": b"GET  /healthz HTTP/1.1\r\n" + H + b"\r\n",
    "a tab in the first line": b"GET\t/healthz HTTP/1.1\r\n" + H + b"\r\n",
    "a space in the target": b"GET /a b HTTP/1.1\r\n" + H + b"\r\n",
    "a fragment in the target": b"GET /healthz#a HTTP/1.1\r\n" + H + b"\r\n",
    "a raw NUL in the target": b"GET /healthz\x00 HTTP/1.1\r\n" + H + b"\r\n",
    "raw bytes in the target": b"GET /\xff\xfe HTTP/1.1\r\n" + H + b"\r\n",
    "one word": b"nonsense\r\n\r\n",
    "a method alone": b"GET\r\n\r\n",
    "no version": b"GET /healthz\r\n\r\n",
    "another version": b"GET /healthz HTTP/1.2\r\n" + H + b"\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a method in lower case": b"get /healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an authority": b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    "an authority with GET": b"GET a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    "an asterisk": b"OPTIONS * HTTP/1.1\r\n" + H + b"\r\n",
    "an address elsewhere": b"GET http://b/healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an address with a user": b"GET http://b@a/healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an address without a host": b"GET http:///healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an address of a file": b"GET file:///healthz HTTP/1.1\r\n" + H + b"\r\n",
    "a half bracket": b"GET http://[a/healthz HTTP/1.1\r\nHost: [a\r\n\r\n",
    "1 MiB of address": b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + H + b"\r\n",
    "1 MiB of query": b"GET /healthz?" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + H + b"\r\n",
    "1 MiB of one header": GET + b"X-Foo: " + b"a" * (1 << 20) + b"\r\n\r\n",
    "1 MiB without a line": b"a" * (1 << 20),
    "a header too many": GET + b"".join(b"X-%d: a\r\n" % n for n in range(101)) + b"\r\n",
}


def test_an_unclear_message_is_one_problem_and_the_end_of_the_connection(service):
    for what, message in UNCLEAR.items():
        [(status, fields, body)] = answers(talk(service, message, NEXT, NEXT))
        assert_problem(status, fields, body)
        assert fields[b"connection"] == b"close", what


def test_an_unclear_message_in_two_parts_after_a_clear_one_is_refused(service):
    for what in ("a coding twice", "a length and chunks", "two Hosts", "bare LFs"):
        message = UNCLEAR[what]
        first, second = answers(talk(service, NEXT + message[:30], message[30:] + NEXT))
        assert first[0] == 200, what
        assert_problem(*second)


def test_a_head_with_bare_line_feeds_is_refused_at_once(service):
    """A head that was never complete would be a 408 after the deadline."""
    [answer] = answers(talk(service, UNCLEAR["bare LFs"]))
    assert_problem(*answer)
    assert answer[0] == 400


CLEAR = {
    "a target with an authority": b"GET http://a/healthz HTTP/1.1\r\n" + H,
    "one in capitals": b"GET http://A/healthz HTTP/1.1\r\n" + H,
    "a Host with a port": b"GET /healthz HTTP/1.1\r\nHost: a:80\r\n",
    "an IPv6 address": b"GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n",
    "an empty line before": b"\r\nGET /healthz HTTP/1.1\r\n" + H,
    "HTTP/1.0 without a Host": b"GET /healthz HTTP/1.0\r\n",
    "a header with an underscore": b"GET /healthz HTTP/1.1\r\nContent_Length: 5\r\n" + H,
    "100 headers": b"GET /healthz HTTP/1.1\r\n" + H + b"X-Foo: a\r\n" * 98,
}


def test_a_clear_message_is_answered(service):
    for what, message in CLEAR.items():
        [(status, _, _)] = answers(talk(service, message + b"Connection: close\r\n\r\n"))
        assert status == 200, what


def test_a_header_sent_twice_is_refused(service):
    for name in ("Authorization", "X-API-Key", "Cookie", "Content-Type", "Range"):
        fields = f"{name}: a\r\n{name}: b\r\n".encode()
        [(status, _, _)] = answers(talk(service, GET + fields + b"\r\n", linger=True))
        assert status in (400, 401), name

"""blueprints/http/responding.py: headers are looked up and set as Werkzeug does it"""

import flask
import pytest
from werkzeug.datastructures import EnvironHeaders, ImmutableMultiDict

from blueprints.http.responding import Arguments, Request, RequestHeaders, Response

ENVIRON = {
    "REQUEST_METHOD": "GET",
    "QUERY_STRING": "as=pages&as=tables&embed=",
    "CONTENT_TYPE": "text/plain",
    "CONTENT_LENGTH": "12",
    "HTTP_X_REQUEST_ID": "one",
    "HTTP_IF_MATCH": "",
}
NAMES = ["content-type", "Content-Length", "X-Request-Id", "x_request_id", "If-Match", "Accept"]


@pytest.mark.parametrize("name", NAMES)
def test_a_header_of_a_request_is_found_as_werkzeug_finds_it(name):
    ours, theirs = RequestHeaders(ENVIRON), EnvironHeaders(ENVIRON)

    assert isinstance(Request(ENVIRON).headers, RequestHeaders)
    assert ours.get(name) == theirs.get(name)
    assert ours.get(name, "none") == theirs.get(name, "none")
    assert ours.get(name, 0, int) == theirs.get(name, 0, int)
    assert (name in ours) == (name in theirs)


@pytest.mark.parametrize("name", ["as", "embed", "token"])
def test_an_argument_of_an_address_is_found_as_werkzeug_finds_it(name):
    ours = Request(ENVIRON).args
    theirs = ImmutableMultiDict([("as", "pages"), ("as", "tables"), ("embed", "")])

    assert isinstance(ours, Arguments)
    assert ours.get(name) == theirs.get(name)
    assert ours.get(name, "none") == theirs.get(name, "none")
    assert ours.getlist(name) == theirs.getlist(name)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\nSet-Cookie: a=b"])
def test_no_header_of_a_response_goes_on_in_another_line(end):
    with pytest.raises(ValueError, match="newline"):
        Response("", headers={"Content-Disposition": f"attachment{end}"})
    response = Response("")
    with pytest.raises(ValueError, match="newline"):
        response.headers.add("Link", f"<a>{end}")
    with pytest.raises(ValueError, match="newline"):
        response.headers.add("Link", "<a>", title=f"b{end}")


def test_a_header_that_is_no_text_or_has_parameters_is_set_as_werkzeug_sets_it():
    response = Response("", headers=[("Age", 5)])
    response.headers.add("Content-Disposition", "attachment", filename="a b.pdf")

    assert response.headers["Age"] == "5"
    assert response.headers["Content-Disposition"] == 'attachment; filename="a b.pdf"'


@pytest.mark.parametrize(
    ("scheme", "header", "host"),
    [
        ("http", "docs.example.org:80", "docs.example.org"),
        ("https", "docs.example.org:80", "docs.example.org:80"),
        ("http", "document_service:8080", "document_service:8080"),
        ("https", "document_service:443", "document_service"),
        ("http", "[::1]:80", "[::1]"),
        ("http", "docs.example.org:", "docs.example.org"),
        ("http", "a b", ""),
    ],
)
def test_a_host_is_named_without_its_usual_port_also_with_an_underscore(scheme, header, host):
    assert Request({"wsgi.url_scheme": scheme, "HTTP_HOST": header}).host == host


@pytest.mark.parametrize("port", ["80", "443", "8000"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", [None, "", "a.b", "a.b:443", "[::1]:8000", "a/b"])
def test_another_host_is_the_one_that_werkzeug_returns(host, scheme, port):
    environ = ENVIRON | {"wsgi.url_scheme": scheme, "SERVER_NAME": "::1", "SERVER_PORT": port}
    if host is not None:
        environ["HTTP_HOST"] = host

    assert [Request(environ).host for _ in range(2)] == [flask.Request(environ).host] * 2

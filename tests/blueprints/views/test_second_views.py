"""Statements and calls of a second view, counted: the load of the machine does not matter."""

import base64
import sys

import pytest

from models.storage import connected, database
from tests.in_process import application
from viewer.tests import samples

MARKDOWN = b"# Title\n\nSome *words*.\n"
DOCUMENTS = {  # name -> content type, bytes, most statements above those of the content
    "a.txt": ("text/plain", b"some words on a line\n" * 9, 2),
    "a.csv": ("text/csv", b"a,b,c\n1,2,three\n" * 60, 2),
    "a.html": ("text/html", b"<p>Some <b>words</b>.</p>" * 60, 2),
    "a.md": ("text/markdown", MARKDOWN * 60, 2),
    "a.pdf": ("application/pdf", samples.pdf(*"12345"), 3),
}
HEAVY = {  # small documents of much to draw, by name
    "lines.zip": samples.package(**{f"{n}_dot_txt": b"\n" * 65_000 for n in range(30)}),
    "names.zip": samples.package(**{f"{n}" + "\x7fa" * 30: b"" for n in range(1000)}),
    "a.eml": samples.mail_with_picture("x", **{f"a{n}" + "\x7fa" * 30: b"x" for n in range(150)}),
    "a.mbox": b"From x\nSubject: %b\n\nx\n\n" % (b"\x7fa" * 90) * 999,
    "a.txt": b"a\x7f" * (32 << 10),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with application(tmp_path_factory.mktemp("second")) as service:
        yield service


def viewed(service, name, content_type, data):
    """The path of a document that has been viewed and read twice."""
    app, headers = service
    payload = base64.b64encode(data).decode()
    body = {"name": name, "contentType": content_type, "payload": payload}
    made = app.test_client().post("/v1/documents", json=body, headers=headers)
    path = f"/v1/documents/{made.json['id']}"
    for part in ("/view", "/content") * 2:
        assert app.test_client().get(path + part, headers=headers).status_code == 200
    return path


def statements(service, path):
    """The number of SQL statements of a request."""
    app, headers = service
    found = []
    with connected():
        database.connection().set_trace_callback(found.append)
        assert app.test_client().get(path, headers=headers).status_code == 200
        database.connection().set_trace_callback(None)
    return len(found)


def calls(service, path):
    """The number of Python functions that a request calls, and its response."""
    app, headers = service
    called = 0

    def count(_frame, event, _argument):
        nonlocal called
        called += event == "call"

    former = sys.getprofile()
    sys.setprofile(count)
    try:
        answer = app.test_client().get(path, headers=headers)
    finally:
        sys.setprofile(former)
    assert answer.status_code == 200
    return called, answer.data


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_second_view_executes_few_statements_beside_those_of_its_content(service, name):
    content_type, data, most = DOCUMENTS[name]
    path = viewed(service, name, content_type, data)

    assert statements(service, f"{path}/view") <= statements(service, f"{path}/content") + most


def test_a_page_of_a_pdf_that_is_not_drawn_yet_costs_a_view_next_to_nothing(service):
    few, many = (
        viewed(service, "a.pdf", "application/pdf", samples.pdf(*["x"] * pages))
        for pages in (2, 202)
    )
    counted = [calls(service, f"{path}/view")[0] for path in (few, many)]

    assert counted[1] - counted[0] <= 200


def test_a_second_view_draws_nothing_that_grows_with_the_document(service):
    small = viewed(service, "a.txt", *DOCUMENTS["a.txt"][:2])
    least, _ = calls(service, f"{small}/view")
    for name, data in HEAVY.items():
        path = viewed(service, name, "application/octet-stream", data)
        count, page = calls(service, f"{path}/view")

        assert len(page) > 300_000, name
        assert count <= 3 * least, (name, count)

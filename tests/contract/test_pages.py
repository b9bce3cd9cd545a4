"""The pages of a document: the viewer, and the file that a download saves."""

import hashlib
import random

import pytest

from tests.formats import b64
from tests.people import at


def test_view_is_an_inline_viewer_under_a_strict_policy(alice):
    document = alice.upload(b"<script>alert(1)</script>", "text/html", name="<b>bold</b>.html")
    answer = alice.get(at(document, "/view"))
    assert (answer.status, answer.kind) == (200, "text/html")
    assert answer.policy["default-src"] == ["'none'"]
    assert answer.policy["frame-ancestors"] == ["'self'"]
    assert "<script>alert(1)" not in answer.text
    assert "<b>bold</b>" not in answer.text
    assert "bold" in answer.text


def test_download_is_an_attachment_named_after_the_document(alice, document):
    answer = alice.get(at(document, "/download"))
    assert (answer.status, answer.kind) == (200, "text/html")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert ".html" in answer.headers["Content-Disposition"]
    assert answer.policy["default-src"] == ["'none'"]


@pytest.mark.parametrize("kind", ["application/pdf", "text/plain", "image/png", "application/x-a"])
def test_a_download_contains_the_original_once(kind, alice):
    original = random.Random(3).randbytes(200_000)
    answer = alice.get(at(alice.upload(original, kind), "/download"))
    assert answer.text.count(b64(original)) == 1
    assert hashlib.sha256(original).hexdigest() in answer.text


@pytest.mark.parametrize("call", ["/view", "/download"])
def test_a_page_is_complete(call, alice, big):
    answer = alice.get(at(big, call))
    assert answer.headers["Content-Length"] in {None, str(len(answer.body))}
    assert answer.text.rstrip().endswith("</html>")


@pytest.mark.parametrize("page", ["view", "download"])
def test_head_of_a_page_has_the_headers_of_get_except_those_of_the_preview(alice, document, page):
    path = f"/v1/documents/{document['id']}/{page}"
    head, get = alice.head(path), alice.get(path)
    drawn = {"content-length", "date", "x-request-id"}
    assert head.status == get.status == 200
    assert head.body == b""
    assert "content-length" not in names(head)
    assert names(head) | drawn == names(get) | drawn


def names(response):
    return {name.lower() for name in response.headers}

"""The original's bytes: headers, and conditional requests."""

import urllib.parse

import pytest

from tests.contract.requests import BIG, GOOD, content
from tests.people import at


def test_content_is_the_original_with_its_content_type(alice, document):
    answer = content(alice, document)
    assert (answer.status, answer.body) == (200, b"what Alice keeps")
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.headers["Content-Length"] == "16"
    assert answer.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    "kind",
    [
        *("text/plain", "text/html", "application/pdf", "image/png", "image/svg+xml", "audio/mpeg"),
        *("application/javascript", "text/xml", "application/xhtml+xml", "application/x-any"),
    ],
)
def test_content_is_always_sandboxed_and_inline_only_for_an_allowlist(kind, alice):
    answer = content(alice, alice.upload(b"<script>alert(1)</script>", kind))
    assert answer.policy["default-src"] == ["'none'"]
    assert not {"allow-scripts", "allow-same-origin"} & set(answer.policy["sandbox"])
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    disposition = answer.headers["Content-Disposition"].partition(";")[0]
    if kind in {"text/plain", "application/pdf", "image/png", "audio/mpeg"}:
        assert disposition == "inline"
    elif kind != "image/svg+xml":
        assert disposition == "attachment"


@pytest.mark.parametrize("call", ["/content", "/download"])
@pytest.mark.parametrize("name", ["plain.txt", "Über 📄.txt", "50%.txt", "a, b.txt"])
def test_content_disposition_has_the_name_of_the_document(call, name, alice):
    answer = alice.get(at(alice.upload(name=name), call))
    disposition = answer.headers["Content-Disposition"]
    assert len(answer.headers.get_all("Content-Disposition")) == 1
    assert disposition.isascii()
    encoded = [p for p in disposition.split("; ") if p.startswith("filename*=UTF-8''")]
    whole = urllib.parse.unquote(encoded[0].partition("''")[2]) if encoded else disposition
    assert name in whole or (call == "/download" and name.rpartition(".")[0] in whole)


@pytest.mark.parametrize(
    "name", ["a\r\nX-Evil: 1", 'a";b=c\\.txt', "../../etc/passwd", "a/b", "a\\b", "\x1b[0m"]
)
def test_a_hostile_name_adds_neither_a_header_nor_a_path(name, alice):
    answer = alice.post("/v1/documents", json=GOOD | {"name": name})
    assert answer.status in (201, 422)
    if answer.status == 201:
        read = content(alice, answer.json)
        assert read.headers["X-Evil"] is None
        disposition = urllib.parse.unquote(read.headers["Content-Disposition"].partition(";")[2])
        assert not {"/", "\x1b"} & set(disposition)


def test_etag_is_strong_and_changes_with_the_content_alone(alice, temporary_document):
    tag = content(alice, temporary_document).headers["ETag"]
    assert tag.startswith('"')
    assert tag.endswith('"')
    alice.patch(at(temporary_document), json={"name": "another.txt"})
    assert content(alice, temporary_document).headers["ETag"] == tag
    assert content(alice, alice.upload(b"other")).headers["ETag"] != tag


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*", '"a,b",{}'])
def test_a_matching_if_none_match_is_304(form, alice, document):
    tag = content(alice, document).headers["ETag"]
    for answer in (
        content(alice, document, If_None_Match=form.format(tag)),
        alice.head(at(document, "/content"), headers={"If-None-Match": form.format(tag)}),
    ):
        assert (answer.status, answer.body) == (304, b"")
        assert answer.headers["ETag"] == tag
        assert answer.headers["Cache-Control"]
        assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("tag", ['"other"', "nonsense", "", 'W/"other"'])
def test_an_if_none_match_that_does_not_match_is_200(tag, alice, document):
    assert content(alice, document, If_None_Match=tag).body == b"what Alice keeps"


def test_content_may_be_cached_only_privately(alice, document):
    rule = content(alice, document).headers["Cache-Control"]
    assert "private" in rule
    assert "public" not in rule


def test_head_of_content_has_its_length_and_no_body(alice, big):
    answer = alice.head(at(big, "/content"))
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Content-Length"] == str(len(BIG))
    assert answer.headers["ETag"]
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert alice.head(at(big, "/content"), headers={"Range": "bytes=0-1"}).status in (200, 206)

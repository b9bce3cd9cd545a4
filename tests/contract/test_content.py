"""The original's bytes: headers, conditional requests, ranges (RFC 9110, section 14)."""

import urllib.parse

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


RANGES = {
    "bytes=0-0": (0, 1),
    "bytes=0-15": (0, 16),
    "bytes=5-9": (5, 10),
    "bytes=5-": (5, None),
    "bytes=-5": (-5, None),
    "bytes=-700002": (0, None),
    "bytes=0-": (0, None),
    "bytes=100-99999999": (100, None),
    "bytes=196600-196700": (196_600, 196_701),
    "bytes=16383-400000": (16_383, 400_001),
    "bytes=700000-700000": (700_000, 700_001),
    "Bytes=1-2": (1, 3),
}


@pytest.mark.parametrize("asked", RANGES)
def test_a_range_is_206(asked, alice, big):
    start, end = RANGES[asked]
    answer = content(alice, big, Range=asked)
    part = BIG[start:end]
    first = start % len(BIG)
    assert (answer.status, answer.body == part) == (206, True)
    assert answer.headers["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{len(BIG)}"
    assert answer.headers["Content-Length"] == str(len(part))
    assert answer.headers["ETag"]
    assert answer.policy["default-src"] == ["'none'"]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(start=st.integers(0, len(BIG) - 1), length=st.integers(1, 500_000))
def test_any_range_returns_exactly_its_bytes(start, length, alice, big):
    answer = content(alice, big, Range=f"bytes={start}-{start + length - 1}")
    assert answer.body == BIG[start : start + length]


@pytest.mark.parametrize("asked", ["bytes=700001-", "bytes=999999999-"])
def test_a_range_beyond_the_end_is_416(asked, alice, big):
    answer = content(alice, big, Range=asked)
    assert answer.status == 416
    assert answer.kind == "application/problem+json"
    assert answer.headers["Content-Range"] == f"bytes */{len(BIG)}"


def test_a_range_of_an_empty_document_is_416_or_nothing(alice):
    answer = content(alice, alice.upload(b""), Range="bytes=0-")
    assert answer.status in (200, 416)
    assert answer.status == 416 or answer.body == b""


@pytest.mark.parametrize(
    "asked",
    [
        "bytes",
        "bytes=",
        "bytes=-0",
        "bytes=a-b",
        "bytes=5-2",
        "lines=1-2",
        "bytes=1-2-3",
        "bytes=--1",
    ],
)
def test_an_invalid_range_is_ignored_or_416(asked, alice, document):
    answer = content(alice, document, Range=asked)
    assert answer.status in (200, 416)
    assert answer.status == 416 or answer.body == b"what Alice keeps"


def test_a_range_of_5000_digits_is_no_internal_error(alice, document):
    for asked in (f"bytes={'9' * 5000}-", f"bytes=0-{'9' * 5000}", f"bytes=-{'9' * 5000}"):
        assert content(alice, document, Range=asked).status in (200, 206, 416)


def test_several_ranges_are_answered_whole_or_as_parts(alice, document):
    answer = content(alice, document, Range="bytes=0-1,4-5")
    if answer.status == 206:
        assert answer.kind == "multipart/byteranges"
    else:
        assert (answer.status, answer.body) == (200, b"what Alice keeps")


def test_if_range_applies_only_to_the_same_content(alice, document):
    tag = content(alice, document).headers["ETag"]
    assert content(alice, document, Range="bytes=0-3", If_Range=tag).body == b"what"
    for other in ('"other"', f"W/{tag}", "Sat, 01 Jan 2000 00:00:00 GMT"):
        answer = content(alice, document, Range="bytes=0-3", If_Range=other)
        assert (answer.status, answer.body) == (200, b"what Alice keeps")


def test_if_none_match_takes_precedence_over_range(alice, document):
    tag = content(alice, document).headers["ETag"]
    assert content(alice, document, Range="bytes=99-", If_None_Match=tag).status == 304

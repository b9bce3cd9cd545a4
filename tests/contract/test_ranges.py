"""Ranges of the original's bytes (RFC 9110, section 14)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.requests import BIG, content

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

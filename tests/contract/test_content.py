"""The original's bytes: headers, conditional requests, ranges (RFC 9110, section 14)."""

import html
import re
import urllib.parse

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.requests import BIG, GOOD, content
from tests.people import Person, at
from tests.problems import refused


def test_content_is_the_original_with_its_content_type(alice, document):
    answer = content(alice, document)
    assert (answer.status, answer.body) == (200, b"what Alice keeps")
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.headers["Content-Length"] == "16"
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert "private" in answer.headers["Cache-Control"]
    assert "public" not in answer.headers["Cache-Control"]


KINDS = {  # and how they are disposed; of pictures that may hold a script it is left open
    **dict.fromkeys(("text/plain", "application/pdf", "image/png", "audio/mpeg"), "inline"),
    **dict.fromkeys(("text/html", "application/javascript", "text/xml"), "attachment"),
    **dict.fromkeys(("application/xhtml+xml", "application/x-any"), "attachment"),
    "image/svg+xml": None,
}


def test_content_is_always_sandboxed_and_inline_only_for_an_allowlist(alice):
    for kind, expected in KINDS.items():
        answer = content(alice, alice.upload(b"<script>alert(1)</script>", kind))
        assert answer.policy["default-src"] == ["'none'"]
        assert not {"allow-scripts", "allow-same-origin"} & set(answer.policy["sandbox"])
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        disposition = answer.headers["Content-Disposition"].partition(";")[0]
        assert disposition == (expected or disposition), kind


def test_content_disposition_has_the_name_of_the_document(alice):
    for name in ("plain.txt", "Über 📄.txt", "50%.txt", "a, b.txt"):
        document = alice.upload(name=name)
        for call in ("/content", "/download"):
            disposition = alice.get(at(document, call)).headers.get_all("Content-Disposition")
            (text,) = disposition
            assert text.isascii()
            encoded = [one for one in text.split("; ") if one.startswith("filename*=UTF-8''")]
            whole = urllib.parse.unquote(encoded[0].partition("''")[2]) if encoded else text
            assert name in whole or (call == "/download" and name.rpartition(".")[0] in whole)


def test_a_hostile_name_adds_neither_a_header_nor_a_path(alice):
    for name in ("a\r\nX-Evil: 1", 'a";b=c\\.txt', "../../etc/passwd", "a/b", "a\\b", "\x1b[0m"):
        answer = alice.post("/v1/documents", json=GOOD | {"name": name})
        assert answer.status in (201, 422)
        if answer.status == 201:
            read = content(alice, answer.json)
            assert read.headers["X-Evil"] is None
            text = urllib.parse.unquote(read.headers["Content-Disposition"].partition(";")[2])
            assert not {"/", "\x1b"} & set(text), name


def test_etag_is_strong_and_changes_with_the_content_alone(alice, temporary_document):
    tag = content(alice, temporary_document).headers["ETag"]
    assert tag.startswith('"')
    assert tag.endswith('"')
    alice.patch(at(temporary_document), json={"name": "another.txt"})
    assert content(alice, temporary_document).headers["ETag"] == tag
    assert content(alice, alice.upload(b"other")).headers["ETag"] != tag


def test_a_matching_if_none_match_is_304(alice, document):
    tag = content(alice, document).headers["ETag"]
    for form in ("{}", "W/{}", '"other", {}', "*", '"a,b",{}'):
        headers = {"If-None-Match": form.format(tag)}
        for method in ("GET", "HEAD"):
            answer = alice.request(method, at(document, "/content"), headers=headers)
            assert (answer.status, answer.body) == (304, b""), form
            assert answer.headers["ETag"] == tag
            assert answer.headers["Cache-Control"]
            assert answer.headers["X-Request-Id"]


def test_an_if_none_match_that_does_not_match_is_200(alice, document):
    for tag in ('"other"', "nonsense", "", 'W/"other"'):
        assert content(alice, document, If_None_Match=tag).body == b"what Alice keeps", tag


def test_head_of_content_has_its_length_and_no_body(alice, big):
    answer = alice.head(at(big, "/content"))
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Content-Length"] == str(len(BIG))
    assert answer.headers["ETag"]
    assert answer.headers["Accept-Ranges"] == "bytes"


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


def test_a_range_is_206(alice, big):
    for asked, (start, end) in RANGES.items():
        answer = content(alice, big, Range=asked)
        part, first = BIG[start:end], start % len(BIG)
        assert (answer.status, answer.body == part) == (206, True), asked
        whole = f"bytes {first}-{first + len(part) - 1}/{len(BIG)}"
        assert answer.headers["Content-Range"] == whole
        assert answer.headers["Content-Length"] == str(len(part))
        assert answer.headers["ETag"]
        assert answer.policy["default-src"] == ["'none'"]


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(start=st.integers(0, len(BIG) - 1), length=st.integers(1, 500_000))
def test_any_range_returns_exactly_its_bytes(start, length, alice, big):
    answer = content(alice, big, Range=f"bytes={start}-{start + length - 1}")
    assert answer.body == BIG[start : start + length]


def test_a_range_beyond_the_end_is_416(alice, big):
    for asked in ("bytes=700001-", "bytes=999999999-"):
        answer = content(alice, big, Range=asked)
        assert (answer.status, answer.kind) == (416, "application/problem+json")
        assert answer.headers["Content-Range"] == f"bytes */{len(BIG)}"


def test_a_range_of_an_empty_document_is_416_or_nothing(alice):
    answer = content(alice, alice.upload(b""), Range="bytes=0-")
    assert answer.status in (200, 416)
    assert answer.status == 416 or answer.body == b""


NO_RANGES = ["bytes", "bytes=", "bytes=-0", "bytes=a-b", "bytes=5-2", "lines=1-2", "bytes=1-2-3"]
NO_RANGES += ["bytes=--1", f"bytes={'9' * 5000}-"]


def test_an_invalid_range_is_ignored_or_416(alice, document):
    for asked in NO_RANGES:
        answer = content(alice, document, Range=asked)
        assert answer.status in (200, 416), asked
        assert answer.status == 416 or answer.body == b"what Alice keeps", asked
    for asked in (f"bytes=0-{'9' * 5000}", f"bytes=-{'9' * 5000}"):
        assert content(alice, document, Range=asked).status in (200, 206, 416)


def test_the_last_0_bytes_are_416(alice, document):
    for asked in ("bytes=-0", "Bytes=-000"):
        answer = content(alice, document, Range=asked)
        assert (answer.status, answer.json["code"]) == (416, "range_not_satisfiable")
        assert answer.headers["Content-Range"] == "bytes */16"


def test_the_end_of_an_empty_document_is_all_of_it(alice):
    answer = content(alice, alice.upload(b""), Range="bytes=-5")
    assert (answer.status, answer.body) == (200, b"")


def test_head_ignores_ranges(alice, big):
    for asked in ("bytes=0-1", "bytes=999999999-", "bytes=-0"):
        answer = alice.head(at(big, "/content"), headers={"Range": asked})
        assert (answer.status, answer.headers["Content-Length"]) == (200, str(len(BIG)))
        assert answer.headers["Content-Range"] is None


def test_if_match_of_other_content_is_412_before_any_other_condition(alice, document):
    tag = content(alice, document).headers["ETag"]
    for other in ('"other"', f"W/{tag}"):
        for more in ({}, {"If_None_Match": tag}, {"Range": "bytes=0-3"}):
            answer = content(alice, document, If_Match=other, **more)
            assert (answer.status, answer.json["code"]) == (412, "precondition_failed")
    for same in (tag, "*", f'"other", {tag}'):
        assert content(alice, document, If_Match=same).status == 200
        assert content(alice, document, If_Match=same, If_None_Match=tag).status == 304
        assert content(alice, document, If_Match=same, Range="bytes=0-3").status == 206


def test_a_change_under_a_condition_that_is_not_met_is_412_and_changes_nothing(
    alice, temporary_document
):
    path = at(temporary_document)
    link = alice.share(temporary_document, maxViews=1)
    for unmet in ({"If-Match": '"a tag"'}, {"If-Match": ""}, {"If-None-Match": "*"}):
        for method, more in (("PATCH", {"json": {"name": "new.txt"}}), ("DELETE", {})):
            answer = alice.request(method, path, headers=unmet, **more)
            refused(answer, 412, "precondition_failed")
        answer = alice.open(link["viewUrl"], "POST", json={}, headers=list(unmet.items()))
        refused(answer, 412, "precondition_failed")
        refused(alice.request("PUT", path, headers=unmet), 405, "method_not_allowed")
    assert alice.get(path).json["name"] == temporary_document["name"]
    assert alice.views(temporary_document, link) == 0
    for met in ({"If-Match": "*"}, {"If-None-Match": '"a tag"'}):
        assert alice.patch(path, json={"name": "new.txt"}, headers=met).status == 200


def test_conditions_by_date_do_not_apply(alice, document):
    date = "Sat, 01 Jan 2000 00:00:00 GMT"
    for name in ("If_Modified_Since", "If_Unmodified_Since"):
        assert content(alice, document, **{name: date}).status == 200


def test_a_304_has_what_a_cache_updates_and_nothing_about_the_content(alice, document):
    tag = content(alice, document).headers["ETag"]
    answer = content(alice, document, If_None_Match=tag)
    assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == (tag, "private, no-cache")
    for name in ("Content-Disposition", "Content-Length", "Content-Range"):
        assert answer.headers[name] is None


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


def test_a_page_without_an_origin_reads_ranges_by_its_ticket_and_why_a_ticket_loads_nothing(
    service, alice
):
    """Ranges are read by a script of the page: the answers may be read from everywhere."""
    table = b"a,b\n" + b"1,2\n" * (9 << 18)
    link = alice.upload(table, "text/csv", name="a.csv")["token"]
    anonymous = Person(service)
    page = anonymous.get(link["viewUrl"].removeprefix(service.url))
    (address,) = re.findall(rb'data-content="([^"]*)"', page.body)
    path = html.unescape(address.decode()).removeprefix(service.url)
    assert page.policy["connect-src"] == [f"{service.url}{path.partition('?')[0]}"]

    part = anonymous.get(path, headers={"Range": "bytes=4000000-4000099", "Origin": "null"})
    assert (part.status, part.body) == (206, table[4_000_000:4_000_100])
    assert part.headers["Access-Control-Allow-Origin"] == "*"
    ended = anonymous.get(path[:-9] + "AAAAAAAAA", headers={"Origin": "null"})
    assert ended.status == 401
    assert ended.headers["Access-Control-Allow-Origin"] == "*"
    without = anonymous.get(path.partition("?")[0], headers={"Origin": "null"})
    assert without.headers["Access-Control-Allow-Origin"] is None

"""Each parser returns the right value or raises its own error, for any input.

`HYPOTHESIS_PROFILE=thorough` tries many more of them.
"""

import io
import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blueprints.http import body
from blueprints.http.body import parse_json
from models.core import ServiceError
from tests.people import Person

pytestmark = pytest.mark.slow

odd_text = st.text(st.characters(exclude_categories=[])) | st.text("\0\n\r =.\ud83dé+/-_aA0")
EXAMPLES = {"thorough": 5000}.get(os.environ.get("HYPOTHESIS_PROFILE"), 200)
many = settings(max_examples=EXAMPLES, derandomize=True, database=None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | odd_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(odd_text, inner, max_size=4),
    max_leaves=12,
)


@many
@given(
    st.dictionaries(odd_text | st.just("payload"), json_values, max_size=4),
    st.integers(1, 12),
    st.integers(0, 400),
    st.binary(max_size=3),
    st.booleans(),
)
def test_a_body_parsed_in_blocks_is_parsed_like_any_other(
    read, block_bytes, place, stray, ascii_only
):
    raw = json.dumps(read, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    raw = raw[:place] + stray + raw[place:]
    with pytest.MonkeyPatch.context() as small:
        small.setattr(body, "BLOCK_BYTES", block_bytes)
        results = [_result(lambda: body.read_upload(io.BytesIO(raw)))]
    results.append(_result(lambda: parse_json(raw)))
    assert results[0] == results[1]


def _result(read):
    try:
        return "value", repr(read())
    except ServiceError as error:
        return "error", error.code


header_bytes = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=60) | (
    st.text('bytes=-,0123456789 W/"*;q.Bearerv4localdt_pk', max_size=60)
)
HEADERS = ["Authorization", "X-API-Key", "Range", "If-Range", "If-None-Match", "Cookie", "Accept"]
HEADERS += ["Idempotency-Key", "X-Request-Id", "Content-Type", "Host", "Forwarded", "Expect"]


@settings(many, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(HEADERS), header_bytes, st.sampled_from(["", "Bearer ", "bytes="]))
def test_any_header_gets_a_valid_response(service, alice, document, name, value, before):
    value = (before + value).strip().encode("latin-1")
    path = f"/v1/documents/{document['id']}/content"
    someone = Person(service) if name in {"Authorization", "X-API-Key"} else alice
    answer = someone.get(path, headers=[(name, value)])
    if name in {"Authorization", "X-API-Key"}:
        assert answer.status in {400, 401}, (value, answer)
    elif name == "Range" and answer.status == 206:
        first, last = answer.headers["Content-Range"].split()[1].split("/")[0].split("-")
        assert answer.body == b"what Alice keeps"[int(first) : int(last) + 1]
    else:
        assert answer.status in {200, 304, 400, 416, 417}, (name, value, answer)
    posted = someone.post("/v1/documents", data=b"{}", headers=[(name, value)])
    assert 400 <= posted.status < 500, (name, value, posted)

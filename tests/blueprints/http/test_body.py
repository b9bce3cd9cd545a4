"""blueprints/http/body.py: an upload parsed in pieces gets the same result as the whole body."""

import base64
import io
import json
import os
import time
import tracemalloc
from itertools import product

import marshmallow
import pybase64
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blueprints.http import body
from blueprints.http.base64_payload import Base64Payload
from blueprints.http.problems import MalformedJson
from blueprints.schemas.requests import Upload
from models.core import Invalid, ServiceError
from models.storage.payloads import PIECE_BYTES

LONG = 140_000  # too long to be parsed in memory


def result_in_pieces(raw):
    """The decoded payload and its type, or the error."""
    try:
        fields = Upload().load(body.read_upload(io.BytesIO(raw)))
        return "accepted", b"".join(fields["payload"].pieces()), fields["content_type"]
    except marshmallow.ValidationError as error:
        return "invalid", error.messages
    except Invalid as error:
        return "invalid", {"payload": [error.sentence]}
    except ServiceError as error:
        return error.code


def result_in_memory(raw):
    """The same from json.loads and b64decode of the whole body."""
    try:
        read = body.parse_json(raw)
        assert isinstance(read, dict)
        beside = {name: value for name, value in read.items() if name != "payload"}
        fields = Upload(exclude=["payload"]).load(beside)
        text = read["payload"]
        cleaned = text.encode("ascii").translate(None, b" \t\r\n\f\v")
        original = base64.b64decode(cleaned, validate=True)
        assert base64.b64encode(original) == cleaned
        return "accepted", original, fields["content_type"]
    except MalformedJson as error:
        return error.code
    except (marshmallow.ValidationError, AssertionError, ValueError, KeyError, AttributeError):
        return "invalid"


def kind(result):
    return result if isinstance(result, str) else result[0]


def document(payload, **others):
    return json.dumps({"contentType": "a/b", "payload": payload, **others}).encode()


ENCODED = base64.b64encode(os.urandom(LONG)).decode()
DAMAGES = [
    lambda text: text,
    lambda text: text[:-1],
    lambda text: text[:-2] + "==",
    lambda text: text[: LONG // 2] + "=" + text[LONG // 2 + 1 :],
    lambda text: text[: LONG // 2] + "-" + text[LONG // 2 + 1 :],
    lambda text: text[: LONG // 2] + "é" + text[LONG // 2 + 1 :],
    lambda text: text[: LONG // 2] + "\ud83d" + text[LONG // 2 + 1 :],
    lambda text: text[: LONG // 2] + "\0" + text[LONG // 2 + 1 :],
    lambda text: text[: LONG // 2] + " \n\t" + text[LONG // 2 :],
    lambda text: "\r\n".join(text[at : at + 76] for at in range(0, len(text), 76)),
    lambda text: "data:a/b;base64," + text,
    lambda text: text + "====",
    lambda text: text + "A===",
    lambda text: text[:-4] + "AB==",
]
SHAPES = [
    lambda raw: raw,
    lambda raw: raw[:-1],
    lambda raw: raw + b"}",
    lambda raw: raw[:1000] + b"\n" + raw[1000:],
    lambda raw: raw[:1000] + b"\\x" + raw[1000:],
    lambda raw: raw[:1000] + b"\xff" + raw[1000:],
    lambda raw: raw[: LONG // 2] + b'","x":"' + raw[LONG // 2 :],
    lambda raw: raw.replace(b"/", b"\\/"),
    lambda raw: raw.replace(b"A", b"\\u0041"),
    lambda raw: raw.replace(b'"a/b"', b'"no type"'),
    lambda raw: raw.replace(b'"a/b"', b"NaN"),
    lambda raw: raw.replace(b"{", b'{"payload":"AAAA",', 1),
    lambda raw: raw.replace(b"{", b'{"pay\\u006coad":"AAAA",', 1),
    lambda raw: raw.replace(b'"payload"', b'"pay\\u006coad"'),
    lambda raw: raw.replace(b'"payload"', b'"other"'),
    lambda raw: b"[" + raw + b"]",
    lambda raw: b"\xef\xbb\xbf" + raw,
]


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_a_long_payload_gets_the_result_of_parsing_in_memory(shape):
    for number, damage in enumerate(DAMAGES):
        raw = SHAPES[shape](document(damage(ENCODED)))
        in_pieces, whole = result_in_pieces(raw), result_in_memory(raw)
        too_much_beside = kind(in_pieces) == "payload_too_large" and kind(whole) == "invalid"
        assert kind(in_pieces) == kind(whole) or too_much_beside, number
        if kind(whole) == "accepted":
            assert in_pieces == whole, number


def test_a_long_payload_gets_the_error_messages_of_a_short_one(monkeypatch):
    bodies = [document(damage(ENCODED), contentType="no type") for damage in DAMAGES]
    results = [result_in_pieces(raw) for raw in bodies]

    monkeypatch.setattr(body, "SMALL_BODY_BYTES", 1 << 30)

    assert results == [result_in_pieces(raw) for raw in bodies]


@settings(max_examples=300)
@given(
    st.binary(max_size=600),
    st.integers(1, 40),
    st.sampled_from(DAMAGES[:1] + DAMAGES[8:10]),
    st.sampled_from(SHAPES),
    st.integers(0, 900),
    st.binary(max_size=2),
)
@example(b"\xff" * 300, 1, DAMAGES[0], SHAPES[7], 0, b"")
def test_results_agree_for_every_block_size_and_damage(
    original, block_bytes, damage, shape, place, stray
):
    raw = shape(document(damage(base64.b64encode(original).decode())))
    raw = raw[:place] + stray + raw[place:] if stray else raw
    with pytest.MonkeyPatch.context() as small:
        small.setattr(body, "SMALL_BODY_BYTES", 40)
        small.setattr(body, "BLOCK_BYTES", block_bytes)
        small.setattr(body.LongString.blocks, "__defaults__", (block_bytes,))
        in_pieces = result_in_pieces(raw)

    whole = result_in_memory(raw)
    if kind(in_pieces) != "payload_too_large":  # the limit for other fields is small here
        assert kind(in_pieces) == kind(whole)
    if kind(in_pieces) == "accepted":
        assert in_pieces == whole


def test_pieces_have_192_kib_but_for_the_last_and_join_to_the_original():
    sizes = [0, 1, 2, 3, *range(PIECE_BYTES - 1, PIECE_BYTES + 2), 999_999]
    for size, encode in product(sizes, (base64.b64encode, base64.encodebytes)):
        original = os.urandom(size)
        text = encode(original).decode()

        payload = Upload().load(body.read_upload(io.BytesIO(document(text))))["payload"]
        pieces = list(payload.pieces())

        assert b"".join(pieces) == original, (size, encode)
        assert payload.size == size
        assert all(len(piece) == PIECE_BYTES for piece in pieces[:-1]), (size, encode)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ab*d", "Character 2 is not base64: '*'."),
        ("ab-d", "URL-safe"),
        ("abc", "ends early"),
        ("ab=d", "Nothing may follow the padding; character 2"),
        ("A===", "one or two '='"),
        ("AB==", "bits that must be zero"),
        ("data:a/b;base64,AAAA", "without the prefix"),
        ("ab\u00e9d", "Character 2 is not base64."),
    ],
)
def test_an_error_says_what_is_wrong_and_where(text, says):
    with pytest.raises(marshmallow.ValidationError, match=says.replace("*", r"\*")):
        Upload().load({"contentType": "a/b", "payload": text})


def test_more_than_64_kib_beside_the_payload_are_too_large():
    raw = document(ENCODED, name="x" * LONG)

    assert result_in_pieces(raw) == "payload_too_large"


def test_memory_does_not_grow_with_the_payload(tmp_path):
    path = tmp_path / "body.json"
    path.write_bytes(document(base64.b64encode(bytes(30 << 20)).decode()))
    with path.open("rb") as stream:
        tracemalloc.start()
        payload = Upload().load(body.read_upload(stream))["payload"]
        total = sum(len(piece) for piece in payload.pieces())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert total == 30 << 20
    assert peak < 4 << 20


def test_a_short_payload_is_decoded_once(monkeypatch):
    decoded, decode = [], pybase64.b64decode
    monkeypatch.setattr(
        pybase64, "b64decode", lambda text, **how: decoded.append(text) or decode(text, **how)
    )

    payload = Upload().load({"contentType": "a/b", "payload": "AAAA"})["payload"]

    assert list(payload.pieces()) == list(payload.pieces()) == [bytes(3)]
    assert decoded == [b"AAAA"]


def test_a_quote_is_found_after_an_escape_that_two_blocks_share(monkeypatch):
    raw = rb'{"name":"a\\\\","contentType":"a/b","payload":"AAAA"}'
    for block_bytes in range(1, len(raw)):
        monkeypatch.setattr(body, "BLOCK_BYTES", block_bytes)
        assert body.read_upload(io.BytesIO(raw)) == json.loads(raw)


def test_a_payload_is_measured_before_it_is_decoded():
    assert Base64Payload("AAAA").size == 3
    assert Base64Payload("AA==").size == 1
    assert Base64Payload(" A A = = ").size == 1


NAMES = [f"{number:x}" for number in range(40_000)]


def test_a_repeated_name_among_many_is_found_in_linear_time():
    pairs = [f'"{name}":1' for name in [*NAMES, NAMES[-1]]]
    raw = f"{{{','.join(pairs)}}}".encode()

    began = time.thread_time()
    with pytest.raises(MalformedJson, match=f"The name '{NAMES[-1]}' is there twice"):
        body.parse_json(raw)
    assert time.thread_time() - began < 2  # a search for each name takes ten times that


def test_a_byte_order_mark_is_named():
    with pytest.raises(MalformedJson, match="begins with a byte order mark"):
        body.parse_json(b"\xef\xbb\xbf{}")


def test_many_different_names_are_accepted():
    value = dict.fromkeys(NAMES, 1)

    assert body.parse_json(json.dumps(value).encode()) == value

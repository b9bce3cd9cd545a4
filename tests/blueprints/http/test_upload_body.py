"""Uploads read in pieces get the verdict that a plain reading of the whole body would give."""

import base64
import io
import json
import os
import tracemalloc

import marshmallow
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blueprints.http import strict_json
from blueprints.http import upload_body as body
from blueprints.http.base64_payload import Base64Payload
from blueprints.http.problems import MalformedJson
from blueprints.schemas.requests import Upload
from models.errors import Invalid, ServiceError
from models.storage.payload_rows import PIECE_BYTES

LONG = 70_000  # longer than what stays in the JSON


def verdict_in_pieces(raw):
    """What the service says: the original, or the refusal."""
    try:
        fields = Upload().load(body.read_upload(io.BytesIO(raw)))
        return "taken", b"".join(fields["payload"].pieces()), fields["content_type"]
    except marshmallow.ValidationError as error:
        return "invalid", error.messages
    except Invalid as refused:
        return "invalid", {"payload": [refused.sentence]}
    except ServiceError as refused:
        return refused.code


def verdict_of_the_whole(raw):
    """The same by json.loads and b64decode, everything in memory."""
    try:
        read = strict_json.parse_json(raw)
        assert isinstance(read, dict)
        beside = {name: value for name, value in read.items() if name != "payload"}
        fields = Upload(exclude=["payload"]).load(beside)
        text = read["payload"]
        cleaned = text.encode("ascii").translate(None, b" \t\r\n\f\v")
        original = base64.b64decode(cleaned, validate=True)
        assert base64.b64encode(original) == cleaned
        return "taken", original, fields["content_type"]
    except MalformedJson as refused:
        return refused.code
    except (marshmallow.ValidationError, AssertionError, ValueError, KeyError, AttributeError):
        return "invalid"


def kind(verdict):
    return verdict if isinstance(verdict, str) else verdict[0]


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


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_long_payload_gets_the_verdict_of_the_plain_reading(damage, shape):
    raw = shape(document(damage(ENCODED)))

    in_pieces, whole = verdict_in_pieces(raw), verdict_of_the_whole(raw)

    too_much_beside = kind(in_pieces) == "payload_too_large" and kind(whole) == "invalid"
    assert kind(in_pieces) == kind(whole) or too_much_beside
    if kind(whole) == "taken":
        assert in_pieces == whole


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_long_payload_is_refused_in_the_words_a_short_one_is(damage, monkeypatch):
    raw = document(damage(ENCODED), contentType="no type")
    long = verdict_in_pieces(raw)

    monkeypatch.setattr(body, "SMALL_BODY_BYTES", 1 << 30)

    assert long == verdict_in_pieces(raw)


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=600),
    st.integers(1, 40),
    st.sampled_from(DAMAGES[:1] + DAMAGES[8:10]),
    st.sampled_from(SHAPES),
    st.integers(0, 900),
    st.binary(max_size=2),
)
@example(b"\xff" * 300, 1, DAMAGES[0], SHAPES[7], 0, b"")
def test_whatever_the_size_of_blocks_and_the_damage_both_readings_agree(
    original, block_bytes, damage, shape, place, stray
):
    raw = shape(document(damage(base64.b64encode(original).decode())))
    raw = raw[:place] + stray + raw[place:] if stray else raw
    with pytest.MonkeyPatch.context() as small:
        small.setattr(body, "SMALL_BODY_BYTES", 40)
        small.setattr(body, "BLOCK_BYTES", block_bytes)
        small.setattr(body.LongString.blocks, "__defaults__", (block_bytes,))
        in_pieces = verdict_in_pieces(raw)

    whole = verdict_of_the_whole(raw)
    if kind(in_pieces) != "payload_too_large":  # little may stand beside the payload here
        assert kind(in_pieces) == kind(whole)
    if kind(in_pieces) == "taken":
        assert in_pieces == whole


@pytest.mark.parametrize(
    "size", [0, 1, 2, 3, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 999_999]
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_pieces_are_whole_but_for_the_last_and_join_to_the_original(size, wrapped):
    original = os.urandom(size)
    text = (base64.encodebytes if wrapped else base64.b64encode)(original).decode()

    payload = Upload().load(body.read_upload(io.BytesIO(document(text))))["payload"]
    pieces = list(payload.pieces())

    assert b"".join(pieces) == original
    assert payload.size == size
    assert all(len(piece) == PIECE_BYTES for piece in pieces[:-1])


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
def test_a_refusal_says_what_is_wrong_and_where(text, says):
    with pytest.raises(marshmallow.ValidationError, match=says.replace("*", r"\*")):
        Upload().load({"contentType": "a/b", "payload": text})


def test_more_than_64_kib_beside_the_payload_is_too_much():
    raw = document(ENCODED, name="x" * LONG)

    assert verdict_in_pieces(raw) == "payload_too_large"


def test_deep_nesting_is_malformed_however_long():
    assert verdict_in_pieces(b"[" * 300_000) == "malformed_json"


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


def test_a_payload_is_measured_before_it_is_decoded():
    assert Base64Payload("AAAA").size == 3
    assert Base64Payload("AA==").size == 1
    assert Base64Payload(" A A = = ").size == 1

"""blueprints/http/multipart.py"""

import io
import os
import time
import tracemalloc
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blueprints.http import body as bodies
from blueprints.http.multipart import MalformedMultipart, fingerprint_of_parts, read_parts
from models.storage.payloads import PIECE_BYTES
from tests.blueprints.http.multipart_cases import CASES
from tests.forms import BOUNDARY, FORM, body, field, file


def parts_of(raw, content_type=FORM):
    """Name, filename, content type and content of each part; None if the body is malformed."""
    try:
        parts = read_parts(io.BytesIO(raw), content_type)
    except MalformedMultipart:
        return None
    return [(one.name, one.filename, one.content_type, content_of(one)) for one in parts]


def content_of(part):
    return part.content.head(part.size)


@pytest.mark.parametrize("block_bytes", [110, 111, 130, bodies.BLOCK_BYTES])
def test_a_body_has_the_parts_that_its_client_sent_wherever_a_block_ends(block_bytes, monkeypatch):
    monkeypatch.setattr(bodies, "BLOCK_BYTES", block_bytes)
    for case in CASES:
        assert parts_of(case.body, case.content_type) == case.parts, case.about


WORDS = [
    b"\r\n",
    b"\n",
    b"\r",
    b"--",
    BOUNDARY.encode(),
    b"x",
    b" ",
    b"\0",
    b"\r\n--" + BOUNDARY.encode(),
]


@settings(max_examples=300)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(b"".join), max_size=4),
    st.integers(60, 90),
)
@example([b"\r\n--" + BOUNDARY.encode() + b"--"], 60)
def test_contents_come_back_whatever_they_are_unless_they_hold_a_boundary_line(
    contents, block_bytes
):
    raw = body(*(field(content=one) for one in contents))
    lines = {
        line.rstrip(b" \t").removesuffix(b"--") for one in contents for line in one.split(b"\r\n")
    }
    with pytest.MonkeyPatch.context() as small:
        small.setattr(bodies, "BLOCK_BYTES", block_bytes)
        found = parts_of(raw)

    if b"--" + BOUNDARY.encode() not in lines:
        assert found == [("field", None, None, one) for one in contents]


@settings(max_examples=200)
@given(st.binary(max_size=400), st.integers(0, 300))
def test_no_body_raises_anything_but_that_it_is_malformed(stray, place):
    raw = body(file("a", b"value", "Content-Type: a/b"), field())

    parts_of(raw[:place] + stray + raw[place:])
    parts_of(stray)
    parts_of(raw, stray.decode("latin-1"))


def test_pythons_own_parser_of_mail_finds_the_same_parts():
    raw = body(
        file("a.png", b"PNG\r\ndata", "Content-Type: image/png"), field("name", b"two words")
    )
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {FORM}\r\n\r\n".encode() + raw)
    found = [
        (param(one, "name"), param(one, "filename"), one.get_payload(decode=True))
        for one in message.iter_parts()
    ]

    assert found == [(name, filename, content) for name, filename, _, content in parts_of(raw)]


def param(message: Message, name):
    return message.get_param(name, header="content-disposition")


def test_the_fingerprint_is_that_of_the_parts_whatever_the_boundary():
    parts = [file("a", b"1"), field()]
    others = [
        [file("b", b"1"), field()],
        [file("a", b"2"), field()],
        [file("a", b"1"), field("other")],
        [field(), file("a", b"1")],
        [file("a", b"1")],
        [file("a", b"1", "Content-Type: a/b"), field()],
    ]

    assert fingerprint(parts, "one") == fingerprint(parts, "another")
    for other in others:
        assert fingerprint(parts) != fingerprint(other), other


def fingerprint(parts, boundary=BOUNDARY):
    raw = io.BytesIO(body(*parts, boundary=boundary))
    return fingerprint_of_parts(raw, f"multipart/form-data; boundary={boundary}")


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 999_999])
def test_pieces_have_192_kib_but_for_the_last_and_join_to_the_content(size):
    content = os.urandom(size)
    [part] = read_parts(io.BytesIO(body(file("a", content))), FORM)
    pieces = list(part.pieces())

    assert b"".join(pieces) == content
    assert part.size == size
    assert all(len(piece) == PIECE_BYTES for piece in pieces[:-1])


def test_memory_does_not_grow_with_a_part(tmp_path):
    path = tmp_path / "body"
    path.write_bytes(body(field(), file("a", bytes(30 << 20)), field("b")))
    with path.open("rb") as stream:
        tracemalloc.start()
        _, part, _ = read_parts(stream, FORM)
        total = sum(len(piece) for piece in part.pieces())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert total == 30 << 20
    assert peak < 4 << 20


HOSTILE = {
    "boundaries": f"\r\n--{BOUNDARY}x".encode() * 200_000,
    "beginnings of the boundary": f"\r\n--{BOUNDARY[:-1]}".encode() * 200_000,
    "dashes": b"-" * (4 << 20),
    "line ends": b"\r\n" * (2 << 20),
    "quotes in a name": b'Content-Disposition: form-data; name="' + rb'\";a="' * 1300 + b"\r\n\r\n",
    "parameters": b"Content-Disposition: form-data" + b"; a=b " * 1300 + b"\r\n\r\n",
    "folded lines": b"Content-Disposition: form-data" + b"\r\n " * 2600 + b"\r\n\r\n",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_body_takes_long_to_read(content):
    raw = f"--{BOUNDARY}\r\n".encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
    start = time.process_time()
    parts_of(raw)

    assert time.process_time() - start < 2

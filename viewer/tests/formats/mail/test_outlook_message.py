"""viewer/formats/mail/outlook_message.py"""

import contextlib
import html

from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.formats.mail.mail_message import parse, prepare
from viewer.tests.outlook_sample import compound_file, outlook, properties


def read(data):
    """The facts, the body, and the bytes of each attachment."""
    prepare(data, {})
    (facts, body), *files = parse(data)
    return facts, html.unescape(body.decode()), [content for _, content in files]


def test_a_message_has_its_headers_its_html_body_and_its_attachments():
    facts, body, files = read(outlook())

    assert facts["headers"] == [
        ["From", "Lovelace, Ada <ada@example.org>"],
        ["To", "Babbage, Charles; Team"],
        ["Date", "Sun, 04 Jan 2026 08:00:00 +0000"],
        ["Subject", "Agenda"],
    ]
    assert "<p>See <b>you</b> café" in body
    assert 'src="data:image/png;base64,' in body
    assert facts["attachments"][0] == ["numbers.csv", "application/octet-stream", 4]
    assert facts["attachments"][1][:2] == ["Before.eml", "message/rfc822"]
    assert files[0] == b"a,b\n"
    assert b"Subject: Before" in files[1]
    assert b"Earlier text" in files[1]


def test_texts_of_one_byte_are_read_in_the_code_page_of_the_message():
    streams = {"__substg1.0_0037001E": "Привет".encode("cp1251")}
    facts, _, _ = read(compound_file(properties({}, [(0x3FFD, 1251)]) | streams))

    assert facts["headers"] == [["Subject", "Привет"]]


def test_a_page_in_utf_8_is_read_as_such_whatever_the_code_page():
    page = properties({}, [(0x3FDE, 1252)], p1013="<p>nicht können".encode())

    assert "können" in read(compound_file(page))[1]


def test_a_message_may_have_hundreds_of_streams():
    files = {
        f"__attach_version1.0_#{n:08X}": properties({}, [(0x3705, 1)], head=8, p3701=b"%d" % n)
        for n in range(150)
    }

    assert read(compound_file(properties({}) | files))[2][149] == b"149"


def test_names_in_a_header_start_no_header_of_their_own():
    facts, _, _ = read(compound_file(properties({0x0037: "a\r\nBcc: b"}, [(0x3FDE, 1252)])))

    assert facts["headers"] == [["Subject", "a Bcc: b"]]


MADE = outlook()


@settings(max_examples=60)
@given(st.data())
def test_a_damaged_message_ends_in_a_message_or_an_exception(data):
    made = bytearray(MADE)
    for _ in range(data.draw(st.integers(1, 6))):
        made[data.draw(st.integers(8, len(made) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Exception):  # any: the child process reports it and ends
        assert read(bytes(made))[0]["format"]

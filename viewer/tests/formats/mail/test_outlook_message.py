"""viewer/formats/mail/outlook_message.py"""

import contextlib
import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.formats.mail.mail_message import parse, prepare
from viewer.tests.outlook_sample import (
    appointment,
    compound_file,
    item,
    moment,
    outlook,
    properties,
    time_zone,
)


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


def test_texts_of_one_byte_are_read_by_the_language_if_there_is_no_code_page():
    for language, codec, text in ((0x0411, "cp932", "日本語"), (0x0404, "cp950", "繁體")):
        streams = {"__substg1.0_0037001E": text.encode(codec)}
        numbers = [(0x3FF1, language), (0x3FDE, 50220)]
        facts, _, _ = read(compound_file(properties({}, numbers) | streams))
        assert facts["headers"] == [["Subject", text]]


def test_a_page_in_utf_8_is_read_as_such_whatever_the_code_page():
    page = properties({}, [(0x3FDE, 1252)], p1013="<p>nicht können".encode())

    assert "können" in read(compound_file(page))[1]


def packed(rtf):
    """RTF as a message has it, not compressed."""
    return len(rtf).to_bytes(4, "little") * 2 + b"MELA" + b"\0\0\0\0" + rtf


def test_a_body_that_is_only_rtf_is_shown_as_its_text():
    facts, body, _ = read(compound_file(properties({}, p1009=packed(rb"{\rtf1 Dear\par all}"))))

    assert facts["format"] == "plain"
    assert re.search(r">Dear\n<.*>all\n<", body, re.S)


def test_html_that_is_wrapped_in_rtf_is_shown_as_html_is():
    rtf = rb"""{\rtf1\ansi\fromhtml1 {\*\htmltag <p onclick="x()">}Dear {\*\htmltag <b>}all
        {\*\htmltag </b><script>x()</script></p>}}"""
    plain = {0x1000: "Dear all"}
    facts, body, _ = read(compound_file(properties(plain, p1009=packed(rtf))))

    assert facts["format"] == "html"
    assert "<p>Dear <b>all" in body
    assert "x()" not in body


def test_the_text_of_a_message_is_preferred_to_its_rtf():
    plain = {0x1000: "the text"}
    _, body, _ = read(compound_file(properties(plain, p1009=packed(rb"{\rtf1 the rtf}"))))

    assert "the text" in body
    assert "the rtf" not in body


def test_a_message_may_have_hundreds_of_streams():
    files = {
        f"__attach_version1.0_#{n:08X}": properties({}, [(0x3705, 1)], head=8, p3701=b"%d" % n)
        for n in range(150)
    }

    assert read(compound_file(properties({}) | files))[2][149] == b"149"


def test_names_in_a_header_start_no_header_of_their_own():
    facts, _, _ = read(compound_file(properties({0x0037: "a\r\nBcc: b"}, [(0x3FDE, 1252)])))

    assert facts["headers"] == [["Subject", "a Bcc: b"]]


def test_an_appointment_says_when_and_where_it_is_and_who_takes_part():
    assert read(appointment())[0]["headers"] == [
        ["From", "Lovelace, Ada"],
        ["Subject", "Review"],
        ["Start", "Mon, 02 Mar 2026 18:30:00 +0000"],
        ["End", "Mon, 02 Mar 2026 19:00:00 +0000"],
        ["Location", "Room 4"],
        ["Attendees", "Babbage, Charles; Hopper, Grace"],
    ]


def limits(*named):
    facts, _, _ = read(item("IPM.Appointment", named=named))
    return dict(facts["headers"])


def test_an_appointment_is_given_in_its_time_zone_and_in_utc_if_that_is_damaged():
    start = (0x820D, moment(2026, 3, 2, 18, 30))

    assert limits(start, (0x825E, time_zone(300))) == {"Start": "Mon, 02 Mar 2026 13:30:00 -0500"}
    assert limits(start, (0x825E, b"x")) == {"Start": "Mon, 02 Mar 2026 18:30:00 +0000"}


def test_an_appointment_of_whole_days_is_given_by_its_first_and_last_day():
    tokyo = time_zone(-540)

    assert limits(
        (0x820D, moment(2026, 3, 1, 15)),
        (0x820E, moment(2026, 3, 3, 15)),
        (0x8215, 1),
        (0x825E, tokyo),
        (0x825F, tokyo),
    ) == {"Start": "Mon, 02 Mar 2026", "End": "Tue, 03 Mar 2026"}


def test_a_birthday_is_a_day_whatever_the_time_zone_it_was_entered_in():
    for entered in (moment(1999, 12, 31, 15), moment(2000, 1, 1, 5)):
        facts, _, _ = read(item("IPM.Contact", numbers=[(0x3A42, entered)]))
        assert facts["headers"] == [["Birthday", "Sat, 01 Jan 2000"]]


def test_a_task_says_its_dates_its_state_and_its_owner():
    named = [
        (0x8105, moment(2026, 3, 10)),
        (0x8101, 1),
        (0x811F, "Ada"),
        (0x8208, "an appointment has this"),
    ]
    facts, _, _ = read(item("IPM.Task", {0x0037: "Report"}, named=named))

    assert facts["headers"] == [
        ["Subject", "Report"],
        ["Due", "Tue, 10 Mar 2026"],
        ["State", "in progress"],
        ["Owner", "Ada"],
    ]


def test_a_contact_says_its_company_its_telephones_and_its_addresses():
    texts = {
        0x3001: "Ada Lovelace",
        0x3A16: "Analytical Engines",
        0x3A17: "Analyst",
        0x3A08: "+44 20 1",
        0x3A1C: "+44 77 2",
    }
    named = [(0x8083, "ada@example.org"), (0x801B, "1 Street\r\nLondon")]
    facts, _, _ = read(item("IPM.Contact", texts, named=named))

    assert facts["headers"] == [
        ["Name", "Ada Lovelace"],
        ["Company", "Analytical Engines"],
        ["Job title", "Analyst"],
        ["Business phone", "+44 20 1"],
        ["Mobile phone", "+44 77 2"],
        ["E-mail", "ada@example.org"],
        ["Business address", "1 Street London"],
    ]


def test_an_item_that_is_damaged_or_a_mail_has_no_fields():
    for data in (item("IPM.Task", named=[(0x8101, 99)]), item("IPM.Note", named=[(0x8208, "x")])):
        assert read(data)[0]["headers"] == []


def test_attachments_need_not_be_numbered_without_gaps():
    file = properties({0x3707: "a.csv"}, [(0x3705, 1)], head=8, p3701=b"a,b\n")
    data = compound_file(properties({}) | {"__attach_version1.0_#00000002": file})

    assert read(data)[0]["attachments"] == [["a.csv", "application/octet-stream", 4]]


MADE = outlook()


@settings(max_examples=60)
@given(st.data())
def test_a_damaged_message_ends_in_a_message_or_an_exception(data):
    made = bytearray(MADE)
    for _ in range(data.draw(st.integers(1, 6))):
        made[data.draw(st.integers(8, len(made) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Exception):  # any: the child process reports it and ends
        assert read(bytes(made))[0]["format"]

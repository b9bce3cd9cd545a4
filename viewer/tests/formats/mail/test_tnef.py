"""viewer/formats/mail/tnef.py"""

from email.message import EmailMessage
from struct import pack

from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.formats.mail.mail_message import parse
from viewer.formats.mail.tnef import (
    ATTACHED,
    BODY,
    CODE_PAGE,
    DATA,
    FROM,
    MESSAGE,
    NEW,
    TITLE,
    files,
    headers,
)
from viewer.tests.outlook_sample import moment
from viewer.tests.samples import original, preview_of


def made(*attributes):
    """A file of these attributes, each a number and its value."""
    packed = (pack("<BII", 1, number, len(value)) + value + b"ss" for number, value in attributes)
    return b"\x78\x9f\x3e\x22kk" + b"".join(packed)


def values(kind, number, *texts, name=b""):
    padded = (pack("<I", len(text)) + text + bytes(-len(text) % 4) for text in texts)
    return pack("<HH", kind, number) + name + pack("<I", len(texts)) + b"".join(padded)


NAMED = bytes(16) + pack("<II", 1, 2) + b"a\0\0\0"
PAGE = pack("<I", 3) + pack("<HHI", 3, 1, 7) + values(31, 0x8001, b"x\0", name=NAMED)
LONG = (
    pack("<I", 2) + pack("<HHQ", 64, 1, 7) + values(31, 0x3707, "Größe.txt\0".encode("utf-16-le"))
)
PACKED = made(
    (CODE_PAGE, pack("<II", 1251, 0)),
    (BODY, b"Hello\0"),
    (MESSAGE, PAGE + values(258, 0x1013, b"<p>Hello")),
    (NEW, b"x"),
    (TITLE, "Отчёт.csv\0".encode("cp1251")),
    (DATA, b"a,b\n"),
    (NEW, b"x"),
    (TITLE, b"GR~1.TXT\0"),
    (DATA, b"words"),
    (ATTACHED, LONG),
    (NEW, b"x"),
    (TITLE, b"empty"),
)
FILES = [
    ("message.txt", b"Hello"),
    ("message.html", b"<p>Hello"),
    ("Отчёт.csv", b"a,b\n"),
    ("Größe.txt", b"words"),
]


def test_the_text_and_the_files_are_taken_out_by_their_long_names():
    assert list(files(PACKED)) == FILES


def attached(content):
    """An attachment that is an object, as messages are: 16 bytes say what, its own follow."""
    value = bytes(16) + content
    return (NEW, b"x"), (ATTACHED, pack("<I", 1) + values(13, 0x3701, value))


def test_an_attached_object_is_taken_out_and_what_is_in_an_attached_message():
    assert list(files(made(*attached(b"drawing"), (TITLE, b"Drawing")))) == [
        ("Drawing", b"drawing")
    ]
    assert list(files(made(*attached(PACKED)))) == [("", PACKED), *FILES]


def test_messages_in_messages_are_opened_up_to_a_depth():
    packed = PACKED
    for _ in range(9):
        packed = made(*attached(packed))

    assert len(list(files(packed))) == 5


def test_a_body_of_rtf_is_taken_out_as_the_page_or_the_text_that_it_is():
    def found(rtf):
        packed = len(rtf).to_bytes(4, "little") * 2 + b"MELA" + b"\0\0\0\0" + rtf
        return list(files(made((MESSAGE, pack("<I", 1) + values(258, 0x1009, packed)))))

    assert found(rb"{\rtf1 Dear all}") == [("message.txt", b"Dear all")]
    assert found(rb"{\rtf1\fromhtml1 {\*\htmltag <p>}caf\'e9}") == [
        ("message.html", "<p>café".encode())
    ]


def test_what_is_before_the_damage_is_taken_out():
    assert list(files(b"no" + PACKED)) == []
    for end in range(len(PACKED)):
        found = list(files(PACKED[:end]))
        assert found[:-1] == FILES[: max(len(found) - 1, 0)]


def test_they_are_attachments_of_the_mail_beside_what_they_were_packed_in():
    message = EmailMessage()
    message.set_content("See below.")
    message.add_attachment(PACKED, "application", "ms-tnef", filename="winmail.dat")
    body = preview_of(original(message.as_bytes(), "a.eml")).body.decode()

    assert body.index("<b>winmail.dat</b>") < body.index("<b>Отчёт.csv</b>")
    assert ">words" in body


def test_a_packed_file_by_itself_is_shown_as_a_mail():
    shown = preview_of(original(PACKED, "winmail.dat"))

    assert (shown.kind, shown.facts) == ("mail", ("5 attachments",))
    assert "<b>Отчёт.csv</b>" in shown.body.decode()


def named(kind, number, name, value):
    """A property whose name is a number."""
    return pack("<HH", kind, number) + bytes(16) + pack("<II", 0, name) + value


def text_of(number, text, name=None):
    data = text.encode("utf-16-le") + b"\0\0"
    value = pack("<II", 1, len(data)) + data + bytes(-len(data) % 4)
    if name is None:
        return pack("<HH", 31, number) + value
    return named(31, number, name, value)


ADDRESS = b"SMTP:ada@example.org\0"
INVITATION = made(
    (FROM, pack("<4H", 4, 60, 4, len(ADDRESS)) + b"Ada\0" + ADDRESS),
    (0x18004, b"Review\0"),
    (0x78008, b"IPM.Microsoft Schedule.MtgReq\0"),
    (
        MESSAGE,
        pack("<I", 4)
        + named(64, 0x8000, 0x820D, pack("<Q", moment(2026, 3, 2, 18, 30)))
        + named(64, 0x8001, 0x820E, pack("<Q", moment(2026, 3, 2, 19)))
        + text_of(0x8002, "Room 4", name=0x8208)
        + text_of(0x8003, "Babbage, Charles; Hopper, Grace", name=0x8238),
    ),
)
WHEN_WHERE_WHO = [
    ["Start", "Mon, 02 Mar 2026 18:30:00 +0000"],
    ["End", "Mon, 02 Mar 2026 19:00:00 +0000"],
    ["Location", "Room 4"],
    ["Attendees", "Babbage, Charles; Hopper, Grace"],
]


def shown_headers(data):
    return next(parse(data))[0]["headers"]


def test_an_invitation_that_is_packed_says_when_where_and_who():
    assert shown_headers(INVITATION) == [
        ["From", "Ada <ada@example.org>"],
        ["Subject", "Review"],
        *WHEN_WHERE_WHO,
    ]


def test_a_mail_with_a_packed_invitation_says_when_where_and_who_below_its_own_headers():
    message = EmailMessage()
    message["From"] = "Team <team@example.org>"
    message["Subject"] = "Fwd: Review"
    message.set_content("See below.")
    message.add_attachment(INVITATION, "application", "ms-tnef", filename="winmail.dat")

    assert shown_headers(message.as_bytes()) == [
        ["From", "Team <team@example.org>"],
        ["Subject", "Fwd: Review"],
        *WHEN_WHERE_WHO,
    ]


def test_a_packed_receipt_says_of_which_mail_it_is_and_when_that_was_read():
    receipt = made(
        (0x78008, b"IPM.Microsoft Mail.Read Receipt\0"),
        (
            MESSAGE,
            pack("<I", 3)
            + text_of(0x0049, "Offer")
            + text_of(0x0074, "Lovelace, Ada")
            + pack("<HHQ", 64, 0x002A, moment(2026, 3, 2, 9)),
        ),
    )

    assert shown_headers(receipt) == [
        ["Report on", "Offer"],
        ["Sent to", "Lovelace, Ada"],
        ["Read", "Mon, 02 Mar 2026 09:00:00 +0000"],
    ]


def test_a_packed_appointment_of_whole_days_without_a_time_zone_is_on_the_right_ones():
    def day(start, end):
        properties = (
            named(64, 0x8000, 0x820D, pack("<Q", start))
            + named(64, 0x8001, 0x820E, pack("<Q", end))
            + named(11, 0x8002, 0x8215, pack("<I", 1))
        )
        packed = made((0x78008, b"IPM.Appointment\0"), (MESSAGE, pack("<I", 3) + properties))
        return [text for _, text in shown_headers(packed)]

    in_berlin = day(moment(2026, 5, 24, 22), moment(2026, 5, 25, 22))
    in_new_york = day(moment(2026, 5, 25, 4), moment(2026, 5, 26, 4))

    assert in_berlin == in_new_york == ["Mon, 25 May 2026"] * 2


@settings(max_examples=60)
@given(st.data())
def test_damaged_fields_end_in_headers(data):
    damaged = bytearray(INVITATION)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(6, len(damaged) - 1))] = data.draw(st.integers(0, 255))

    assert sum(map(len, headers(bytes(damaged)).values())) <= 2 * len(INVITATION)


def test_a_property_that_says_it_has_billions_of_values_has_those_that_are_there():
    many = made((MESSAGE, pack("<IHHI", 1, 31, 0x0037, 0xFFFFFFFF) + bytes(40_000)))
    long = made((FROM, pack("<4H", 4, 60, 0xFFFF, 0xFFFF) + b"Ada"), (MESSAGE, b"\xff" * 40_000))

    assert headers(many)["Subject"] == ""
    assert headers(long)["From"] == "Ada"

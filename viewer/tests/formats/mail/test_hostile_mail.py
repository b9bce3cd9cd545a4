"""Mails, packed items and time zones whose counts, lengths and depths lie."""

import contextlib
import time
from datetime import UTC, datetime
from struct import error as struct_error
from struct import pack

import pytest

from viewer.formats.mail.time_zones import local_time
from viewer.tests.outlook_sample import compound_file, item, moment, properties
from viewer.tests.samples import original, preview_of

TNEF = b"\x78\x9f\x3e\x22kk"
MAIL = b"From: a@example.org\nSubject: Offer\nMIME-Version: 1.0\n"
SECONDS = 15  # of a busy machine; each job is stopped then


def attribute(number, value, length=None):
    length = len(value) if length is None else length
    return pack("<BII", 1, number, length) + value + b"ss"


def nested(depth):
    """Containers in containers, with a text in the innermost."""
    heads = (
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(depth)
    )
    return MAIL + b"".join(heads) + b"Content-Type: text/plain\n\nThe innermost text.\n"


def many(count, head):
    parts = b"".join(b"--b\n%b\n\nx\n" % head for _ in range(count))
    return MAIL + b"Content-Type: multipart/mixed; boundary=b\n\n" + parts + b"--b--\n"


def within(depth):
    """Packed messages in packed messages."""
    data = TNEF + attribute(0x2800C, b"The innermost text.\0")
    for _ in range(depth):
        value = pack("<IHHII", 1, 13, 0x3701, 1, 16 + len(data)) + bytes(16) + data
        data = TNEF + attribute(0x69002, b"x") + attribute(0x69005, value)
    return data


MAILS = {
    "nested containers": ("a.eml", nested(50)),
    "many texts": ("a.eml", many(1_000, b"Content-Type: text/plain")),
    "many files": ("a.eml", many(1_000, b"Content-Disposition: attachment; filename=a.txt")),
    "a container that is its own": (
        "a.eml",
        MAIL
        + b"Content-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 60,
    ),
    "packed messages in packed ones": ("winmail.dat", within(40)),
    "an attribute longer than the file": (
        "winmail.dat",
        TNEF + attribute(0x69003, b"x", 0xFFFFFFFF),
    ),
    "many attributes": ("winmail.dat", TNEF + attribute(0x69002, b"") * 9_000),
    "many properties": (
        "winmail.dat",
        TNEF + attribute(0x69003, pack("<I", 0xFFFFFFFF) + pack("<HHI", 3, 7, 1) * 12_000),
    ),
    "a text longer than the file": (
        "winmail.dat",
        TNEF + attribute(0x69003, pack("<IHHII", 1, 31, 0x37, 1, 0xFFFFFFF0) + b"x"),
    ),
}


@pytest.mark.parametrize("name", MAILS)
def test_a_mail_that_lies_is_shown_as_a_mail_in_bounded_time_and_size(name):
    file, data = MAILS[name]
    start = time.monotonic()
    shown = preview_of(original(data, file))

    assert shown.kind == "mail"
    assert time.monotonic() - start < SECONDS
    assert len(shown.body) < 8 << 20


def test_the_parts_of_a_mail_beyond_the_limit_are_counted():
    shown = preview_of(original(MAILS["many files"][1], "a.eml"))

    assert shown.facts == ("200 attachments",)
    assert "800 further attachments are not shown." in shown.note


def test_containers_within_a_container_lose_no_text():
    shown = preview_of(original(MAILS["nested containers"][1], "a.eml"))

    assert "The innermost text." in shown.body.decode()


def definition(length=8, month=3, weekday=0, week=5, hour=2, bias=-60):
    """A definition of a time zone that may lie."""
    change = pack("<8H", 0, month, weekday, week, hour, 0, 0, 0)
    rule = pack("<4xHH14x3i", 2, 2026, bias, 0, -60) + change + change
    return pack("<BBH", 2, 1, length) + bytes(8) + rule


@pytest.mark.parametrize(
    "lie",
    [
        {"length": 0xFFFF},
        {"month": 13},
        {"month": 2, "week": 0xFFFF},
        {"weekday": 0xFFFF},
        {"hour": 99},
        {"bias": 0x7FFFFFFF},
    ],
)
def test_a_time_zone_that_lies_leaves_the_moment_or_fails_as_it_may(lie):
    at = datetime(2026, 3, 2, 18, 30, tzinfo=UTC)
    with contextlib.suppress(struct_error, ValueError, OverflowError):
        assert local_time(at, definition(**lie)) == at
    named = [(0x820D, moment(2026, 3, 2, 18, 30)), (0x825E, definition(**lie))]
    shown = preview_of(original(item("IPM.Appointment", named=named), "a.msg")).body.decode()
    assert "02 Mar 2026" in shown


def test_an_item_of_outlook_whose_storages_and_properties_lie_is_a_mail_or_a_card():
    inner = properties({0x37: "Within"}, head=24)
    for _ in range(12):
        attached = properties({0x3001: "x"}, [(0x3705, 5)], head=8)
        inner = properties({0x37: "Within"}, head=24) | {
            "__attach_version1.0_#00000000": attached | {"__substg1.0_3701000D": inner}
        }
    whole = bytearray(compound_file(inner))
    assert preview_of(original(bytes(whole), "a.msg")).kind == "mail"
    whole[76:80] = pack("<I", 0)  # the first table of sectors is the first sector
    whole[48:52] = pack("<I", 0xFFFFFFF0)  # the directory lies behind the end
    assert preview_of(original(bytes(whole), "a.msg")).kind == "unknown"

"""viewer/formats/calendars/entries.py"""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.calendars.entries import MAX_ENTRIES, MAX_TIMES, entries, prepare, render
from viewer.tests.samples import CALENDAR, CARD, original, preview_of


def to_html(text):
    prepare(text.encode(), {})
    ((_, html),) = render(text.encode(), {})
    return html.decode()


def value(line, kind="VEVENT"):
    """What is shown for one line."""
    html = to_html(f"BEGIN:{kind}\n{line}\nEND:{kind}\n")
    return html.partition("<dd>")[2].partition("</dd>")[0]


def test_an_event_is_shown_as_a_person_reads_it():
    shown = preview_of(original(CALENDAR, "a.ics", "text/calendar"))
    html = shown.body.decode()

    assert (shown.label, shown.facts) == ("Calendar", ("1 event",))
    assert "<h2>Planning, first part</h2>" in html
    assert "<dd>One<br>Two &lt;b&gt;</dd>" in html
    assert "Reminder" not in html


def test_a_card_without_a_name_is_titled_by_its_address_or_its_telephone():
    card = "BEGIN:VCARD\nN:;;;;\nFN:\nTEL:123\n%sEND:VCARD\n"

    assert "<h2>ada@example.org</h2>" in to_html(card % "EMAIL:ada@example.org\n")
    assert "<h2>123</h2>" in to_html(card % "")


def test_a_card_of_any_version_is_shown():
    shown = preview_of(original(CARD, "a.vcf", "text/plain"))
    html = shown.body.decode()

    assert (shown.label, shown.facts) == ("Address card", ("1 card",))
    assert "<h2>Ada und Bo Löwe</h2>" in html
    assert 'href="tel:+49 30 1234"' in html
    assert "<dd>Example, Research</dd>" in html
    assert "Main Street 1, Berlin, 10115, Germany" in html


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("DTSTART:20260131", "2026-01-31"),
        ("DTSTART:20260131T093000Z", "2026-01-31 09:30 UTC"),
        ("DTSTART;TZID=Europe/Berlin:20260131T093000", "2026-01-31 09:30 Europe/Berlin"),
        ("DTSTART:soon", "soon"),
        ("DURATION:PT1H30M", "1 h 30 min"),
        ("DURATION:P2D", "2 days"),
        ("DURATION:-X", "-X"),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO,TU;UNTIL=20261231", "weekly, on MO, TU, until 2026-12-31"),
        ("RRULE:FREQ=DAILY;INTERVAL=2;COUNT=5;X=1", "every 2 days, 5 times, X=1"),
        ("RRULE:FREQ=MONTHLY;INTERVAL=1", "monthly"),
        ("LOCATION:a\\, b\\; c\\nd", "a, b; c<br>d"),
        ('LOCATION;X="a:b;c":d', "d"),
    ],
)
def test_values_are_shown_without_their_notation(line, shown):
    assert value(line) == shown


def test_a_text_in_quoted_printable_may_be_in_an_encoding_that_nothing_declares():
    assert value("NOTE;ENCODING=QUOTED-PRINTABLE:Gr=FC=DFe=0D=0Aan", "VCARD") == "Grüße<br>an"


@pytest.mark.parametrize(
    ("lines", "title", "organisation"),
    [
        ("N:Müller;Jörg;;Dr.\nFN:Apfelkuchen AG\nORG:Apfelkuchen AG", "Dr. Jörg Müller", True),
        ("N:Müller;Jörg\nFN:apfelkuchen ag\nORG:Apfelkuchen AG;Sales", "Jörg Müller", True),
        ("N:Müller;Jörg\nFN:Jörg Peter Müller\nORG:Apfelkuchen AG", "Jörg Peter Müller", True),
        ("N:;;;;\nFN:Apfelkuchen AG\nORG:Apfelkuchen AG", "Apfelkuchen AG", True),
        ("N:Müller;Jörg", "Jörg Müller", False),
    ],
)
def test_the_title_of_a_card_is_the_person(lines, title, organisation):
    shown = to_html(f"BEGIN:VCARD\n{lines}\nEND:VCARD\n")

    assert f"<h2>{title}</h2>" in shown
    assert ("<dt>Organisation</dt>" in shown) == organisation


def test_only_safe_addresses_are_links():
    assert 'href="mailto:a@b.c"' in value("ORGANIZER;CN=Ada:mailto:a@b.c")
    assert ">a@b.c</a>" in value("ATTENDEE:MAILTO:a@b.c")
    assert "<a" not in value("URL:javascript:alert(1)")
    assert "<a" not in value("URL:#x")
    assert 'href="tel:+1-2"' in value("TEL;VALUE=uri:tel:+1-2")
    assert ">+1-2</a>" in value("TEL;VALUE=uri:tel:+1-2")


def test_only_an_embedded_raster_picture_is_shown():
    for start in ("ENCODING=b;TYPE=PNG:iVBO", "BASE64:\n iVBO\n\n"):
        assert '<img alt="" src="data:image/png;base64,iVBORw==">' in to_html(
            f"BEGIN:VCARD\nFN:x\nPHOTO;{start}\n Rw==\nEND:VCARD\n"
        )
    for photo in ("VALUE=URI:https://a.example/x", "TYPE=SVG+XML:AAAA", "TYPE=PNG:AAAA"):
        assert "<img" not in to_html(f"BEGIN:VCARD\nFN:x\nPHOTO;{photo}\nEND:VCARD\n")


def test_entries_above_the_limit_are_left_out_with_a_note():
    data = b"BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n" * (MAX_ENTRIES + 5)
    shown = preview_of(original(data, "a.ics", "text/calendar"))

    assert shown.body.count(b"<section") == MAX_ENTRIES
    assert "2,000 of 2,005 events" in shown.note


def test_what_has_no_entries_is_shown_as_text():
    shown = preview_of(original(b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "a.ics", "text/calendar"))

    assert shown.kind == "text"


@given(st.text(alphabet='BEGIN:VCARDEND;="\\, \n\t=aTELFNPHOTO<>&', max_size=200))
def test_any_text_is_read(text):
    wrapped = f"BEGIN:VCARD\n{text}\nEND:VCARD\n"
    list(entries(wrapped, frozenset({"VCARD"})))
    with contextlib.suppress(ValueError):  # no entries
        assert "<script" not in to_html(wrapped)


BUSY_TIMES = b"""BEGIN:VCALENDAR
METHOD:PUBLISH
BEGIN:VFREEBUSY
ORGANIZER;CN=Ada Lovelace:mailto:ada@example.org
DTSTART:20260302T000000Z
DTEND:20260309T000000Z
FREEBUSY:20260302T083000Z/20260302T093000Z,20260303T160000Z/PT8H30M
FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20260304T000000Z/P1D
FREEBUSY;FBTYPE=FREE:20260305T100000Z/<b>
END:VFREEBUSY
END:VCALENDAR
"""


@pytest.mark.parametrize("name", ["a.ics", "a.ifb"])
def test_free_and_busy_times_are_listed_with_who_is_busy(name):
    shown = preview_of(original(BUSY_TIMES, name))
    html = shown.body.decode()

    assert (shown.kind, shown.label, shown.facts) == ("agenda", "Calendar", ("4 periods",))
    assert "<h2>Busy times</h2>" in html
    assert ">Ada Lovelace</a>" in html
    assert '2026-03-02 08:30 UTC – 2026-03-02 09:30 UTC <span class="dim">busy</span>' in html
    assert '2026-03-03 16:00 UTC, 8 h 30 min <span class="dim">busy</span>' in html
    assert '2026-03-04 00:00 UTC, 1 day <span class="dim">unavailable</span>' in html
    assert '2026-03-05 10:00 UTC – &lt;b&gt; <span class="dim">free</span>' in html


def test_busy_times_beyond_the_limit_of_a_line_are_counted():
    many = b"FREEBUSY:" + b",".join([b"20260302T083000Z/PT1H"] * 100_000)
    html = preview_of(
        original(b"BEGIN:VFREEBUSY\n" + many + b"\nEND:VFREEBUSY\n", "a.ics")
    ).body.decode()

    assert html.count("2026-03-02") == MAX_TIMES
    assert "… and 99,800 more" in html

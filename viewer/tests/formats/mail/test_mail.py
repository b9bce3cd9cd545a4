"""viewer/formats/mail/mail.py"""

import base64

import pytest

from viewer.content.detection import OUTLOOK
from viewer.formats.mail.letter import REMOTE
from viewer.rendering.registry import MAIL
from viewer.tests.outlook_sample import outlook
from viewer.tests.samples import mail, original, preview_of


def shown(data):
    return MAIL.preview(original(data, "a.eml", "message/rfc822"), "message/rfc822")


def test_mail_headers_and_attachment_names_are_escaped():
    letter = shown(mail(Subject="<script>x</script>\u202e"))

    assert "&lt;script&gt;x&lt;/script&gt;" in letter.body.decode()
    assert "U+202E" in letter.body.decode()
    assert "numbers.csv" in letter.body.decode()
    assert letter.facts == ("1 attachment",)


def test_the_addresses_of_many_people_scroll_so_that_the_text_is_in_sight():
    people = ", ".join(f"reader{n}@example.org" for n in range(60))

    assert f'tabindex="0" role="region" aria-label="Cc">{people}</div>' in (
        shown(mail(Cc=people)).body.decode()
    )
    assert '"long"' not in shown(mail(Cc="ada@example.org")).body.decode()


def test_a_plain_body_is_shown_as_lines_and_an_html_body_in_an_iframe():
    assert 'class="message"' in shown(mail()).body.decode()
    assert not shown(mail()).foreign_style
    assert "<iframe" in shown(mail("<p>x")).body.decode()
    assert shown(mail("<p>x")).foreign_style


def test_a_mail_says_that_pictures_from_the_web_are_not_loaded():
    for source, note in (("https://a.example/x.png", REMOTE), ("cid:x", "")):
        shown = preview_of(original(mail(f"<p>x<img alt='' src='{source}'>"), "a.eml"))

        assert shown.note == note


def test_a_name_is_made_for_an_attachment_without_one():
    data = (
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n"
        b"Content-Type: message/rfc822\n\nSubject: y\n\nz\n--b--\n"
    )

    assert "attachment 1.eml" in shown(data).body.decode()


def test_a_malformed_type_of_an_attachment_is_not_shown():
    data = mail().replace(b"text/csv", b"text/\0data\0")

    assert b"data\0" not in shown(data).body


def test_a_message_of_outlook_is_shown_as_any_other():
    for name, declared in (("a.msg", "application/octet-stream"), ("a", OUTLOOK)):
        made = preview_of(original(outlook(), name, declared))

        assert (made.kind, made.label, made.facts) == ("mail", "E-mail", ("2 attachments",))


def test_a_mail_that_is_no_message_of_outlook_may_be_named_like_one():
    assert preview_of(original(mail(), "a.msg")).label == "E-mail"


def test_a_message_of_outlook_that_is_too_large_or_damaged_is_a_card():
    large = original(outlook() + bytes(MAIL.most_bytes), "a.msg", OUTLOOK)

    assert "too large" in preview_of(large).body.decode()
    assert preview_of(original(outlook()[:600], "a.msg", OUTLOOK)).kind == "unknown"


def test_an_enclosed_message_opens_below_the_attachments_and_text_that_is_empty_is_left_out():
    enclosed = b"Content-Type: message/rfc822\n\n"
    html = shown(b"Subject: Fw\n" + enclosed + mail("<p>Inner", Subject="<It>")).body.decode()

    assert "attachment 1.eml" in html
    assert html.index("<h2>Attachments") < html.index("<details open><summary><b>&lt;It&gt;</b>")
    assert html.count("<iframe") == 1
    assert "numbers.csv (8 bytes)" in html
    assert 'class="message"' not in html


def test_a_mail_without_headers_has_no_table_of_them_and_an_enclosed_one_may_be_in_base64():
    inner = base64.b64encode(b"Subject: Packed\n\nthe text\n")
    part = b"Content-Transfer-Encoding: base64\nContent-Type: message/rfc822\n\n"
    html = shown(b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + part + inner + b"\n--b--")

    assert "<b>Packed</b>" in html.body.decode()
    assert "the text" in html.body.decode()
    assert b"<table" not in shown(b"\nOnly words.").body


@pytest.mark.parametrize(
    ("start", "kind"), [(b"", "mail"), (b"From ada Mon Jan  5\n", "text"), (b"\n", "text")]
)
def test_a_mailbox_that_is_a_single_message_is_shown_as_one(start, kind):
    assert preview_of(original(start + mail(), "letter.mbox")).kind == kind

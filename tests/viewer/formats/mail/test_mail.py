"""viewer/formats/mail/mail.py and mailbox_messages.py"""

import base64

import pytest

from tests.viewer.outlook_sample import outlook
from tests.viewer.samples import mail, mbox, original, preview_of
from viewer.content.detection import OUTLOOK
from viewer.formats.mail import letter
from viewer.formats.mail import mailbox_messages as mailbox
from viewer.formats.mail.mail import MAX_SIZE, REMOTE, preview


def shown(data):
    return preview(original(data, "a.eml", "message/rfc822"), "message/rfc822")


def test_mail_headers_and_attachment_names_are_escaped():
    letter = shown(mail(Subject="<script>x</script>\u202e"))

    assert "&lt;script&gt;x&lt;/script&gt;" in letter.body.decode()
    assert "U+202E" in letter.body.decode()
    assert "numbers.csv" in letter.body.decode()
    assert letter.facts == ("1 attachment",)


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
    large = original(outlook() + bytes(MAX_SIZE), "a.msg", OUTLOOK)

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


def shown_mailbox(*messages, name="a.mbox", content_type="application/octet-stream"):
    return preview_of(original(mbox(*messages), name, content_type))


@pytest.mark.parametrize(
    ("name", "content_type"),
    [("a", "application/mbox"), ("a.mbox", "text/plain"), ("a.mbox", "application/octet-stream")],
)
def test_the_messages_of_a_mailbox_are_listed_and_open(name, content_type):
    messages = (mail("<p>one", Subject="First"), mail(text="two\n>From here", Subject="<Second>"))
    preview = shown_mailbox(*messages, name=name, content_type=content_type)
    html = preview.body.decode()

    assert (preview.kind, preview.label, preview.facts) == ("mailbox", "Mailbox", ("2 messages",))
    assert html.count("<details open>") == html.count("<iframe") == 1
    assert "<b>&lt;Second&gt;</b>" in html
    assert "<a>From here\n" in html


def test_messages_without_an_empty_line_before_them_are_told_by_the_time_in_their_first_line():
    start = b"From a@b.example Sun Jul 10 15:08:25 2022\n"
    data = (
        start + b"Subject: a\n\nHi\nFrom 10:30 on.\nFrom here\nX: y\n" + start + b"Subject: b\n\nx"
    )

    assert preview_of(original(data, "a.mbox")).facts == ("2 messages",)


def test_messages_beyond_the_first_are_listed_only(monkeypatch):
    preview = shown_mailbox(*(mail(Subject=f"No. {n}") for n in range(40)))
    html = preview.body.decode()

    assert html.count("<details") == letter.MAX_SHOWN
    assert "<b>No. 39</b>" in html
    assert preview.note.startswith("Only the first 30 of them open here.")


def test_many_and_large_messages_are_bounded():
    data = mbox(*[b"Subject: x\n\n" + b"x" * (1 << 20)] * 9, *[b"Subject: y\n\n"] * 1_000)
    (facts, _), *opened, (_, others) = mailbox.render(data, {})

    assert facts == {"listed": mailbox.MAX_LISTED, "cut": True}
    assert len(opened) < 9
    assert len(opened) + others.count(b"<li>") == mailbox.MAX_LISTED


def test_what_has_no_message_is_shown_as_text():
    assert preview_of(original(b"From: x\n\nwords", "a.mbox")).kind == "text"

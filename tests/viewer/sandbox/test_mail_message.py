"""viewer/sandbox/mail_message.py"""

import html

import pytest

from tests.viewer.samples import mail
from viewer.sandbox.mail_message import render


def read(data):
    ((facts, body),) = render(data, {})
    return facts, html.unescape(body.decode()) if facts["format"] == "html" else body.decode()


def test_a_message_has_headers_attachments_and_a_plain_body():
    facts, body = read(mail(Cc="Größe <g@example.org>"))

    assert ["From", "Ada <ada@example.org>"] in facts["headers"]
    assert ["Cc", "Größe <g@example.org>"] in facts["headers"]
    assert facts["attachments"] == [["numbers.csv", "text/csv", 8]]
    assert facts["format"] == "plain"
    assert "see the attachment" in body


def test_an_html_body_is_sanitized():
    facts, body = read(mail("<p>Dear <b>all</b><script>x</script><img src=https://t.example/p>"))

    assert facts["format"] == "html"
    assert "<p>Dear <b>all</b>" in body
    assert "script" not in body
    assert "t.example" not in body


def test_an_attached_inline_picture_is_embedded():
    data = (
        b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"
        b'<img src="cid:pic"><img src="cid:none">\n--b\nContent-Type: image/png\n'
        b"Content-ID: <pic>\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n"
    )

    assert '<img src="data:image/png;base64,AAAA">' in read(data)[1]


def test_pictures_above_the_total_limit_are_left_out():
    html = "<img src=cid:p>" * 8
    data = (
        f"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n{html}\n"
        f"--b\nContent-Type: image/png\nContent-ID: <p>\n\n{'x' * (2 << 20)}\n--b--\n"
    ).encode()

    assert read(data)[1].count("data:image/png") == 4


def test_without_a_sanitizer_the_plain_body_is_shown():
    ((facts, _),) = render(mail("<p>x</p>"), {}, sanitize=None)

    assert facts["format"] == "plain"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\0",
        b"Subject: =?bad?q?=ff?=\nDate: never\nTo: <<<>>>\n\nx",
        b"Content-Type: multipart/mixed; boundary=\n\n--\n",
        b"Content-Type: text/html; charset=nonsense\n\n<p>\xe9",
        b"Content-Transfer-Encoding: base64\n\n!!!",
        b"Content-Type: message/rfc822\n\n" * 30,
    ],
)
def test_malformed_messages_are_parsed(data):
    facts, _ = read(data)

    assert facts["format"] in ("plain", "html")

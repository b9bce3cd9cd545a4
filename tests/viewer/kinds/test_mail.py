"""viewer/kinds/mail.py"""

from tests.viewer.samples import mail, original
from viewer.kinds.mail import preview


def shown(data):
    return preview(original(data, "a.eml", "message/rfc822"), "message/rfc822")


def test_headers_and_attachments_are_text():
    letter = shown(mail(Subject="<script>x</script>\u202e"))

    assert "&lt;script&gt;x&lt;/script&gt;" in letter.body
    assert "U+202E" in letter.body
    assert "numbers.csv" in letter.body
    assert letter.facts == ("1 attachment",)


def test_a_plain_body_is_lines_and_an_html_body_a_frame():
    assert 'class="message"' in shown(mail()).body
    assert not shown(mail()).foreign_style
    assert "<iframe" in shown(mail("<p>x")).body
    assert shown(mail("<p>x")).foreign_style

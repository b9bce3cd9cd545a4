"""viewer/kinds/mail.py"""

from tests.viewer.samples import mail, original
from viewer.kinds.mail import preview


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

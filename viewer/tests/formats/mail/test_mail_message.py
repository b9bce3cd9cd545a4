"""viewer/formats/mail/mail_message.py"""

import email
import email.policy
import html
import re
from email.message import EmailMessage
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.mail import letter, mail_message
from viewer.formats.mail.mail_message import parse
from viewer.tests.samples import mail, mail_with_picture, original, preview_of


def read(data):
    (facts, body), *_ = parse(data)
    return facts, html.unescape(body.decode()) if facts["format"] == "html" else body.decode()


def attached(data):
    """What is taken out of a message: whether it is complete, and its bytes."""
    _, *files = parse(data)
    return [(facts["complete"], content) for facts, content in files]


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


@pytest.mark.parametrize("head", ["Content-Type: text/plain; charset=gb2312", "x: y"])
def test_a_body_in_utf_8_is_read_as_such_whatever_is_declared(head):
    assert (
        "您好，世界" in read(f"{head}\nContent-Transfer-Encoding: 8bit\n\n您好，世界".encode())[1]
    )


def test_an_encoding_that_is_not_declared_or_is_wrong_is_guessed_in_the_head_too():
    mail = "Subject: Привет\n%s\nЗдравствуйте, как дела? Это письмо из прошлого века.\n"
    for declared in ("", "Content-Type: text/plain; charset=us-ascii\n"):
        facts, body = read((mail % declared).encode("koi8-r"))
        assert ["Subject", "Привет"] in facts["headers"]
        assert "Здравствуйте" in body


def test_an_encoded_word_in_which_characters_are_written_as_they_are_is_read():
    subject = "=?iso-8859-1?Q?Die_Fr\xf6sche_f=FCr_alle?= =?utf-8?B?w7Y=?= =?utf-8?B?w?="
    facts, _ = read(f"Subject: {subject}\nTo: =?utf-8?Q?J=C3=BCrgen?=\n\nText".encode("latin-1"))

    assert facts["headers"] == [
        ["To", "Jürgen"],
        ["Subject", "Die Frösche für alleö=?utf-8?B?w?="],
    ]


def test_a_character_that_is_spread_over_two_encoded_words_is_read():
    facts, _ = read(b"Subject: =?utf-8?B?RnLD?=\n =?utf-8?B?tnNjaGU=?= =?utf-8?Q?=21?= x\n\nText")

    assert facts["headers"] == [["Subject", "Frösche! x"]]


def test_a_subject_with_characters_that_were_added_to_its_charset_is_read():
    facts, _ = read(b"Subject: =?gb2312?B?iUY=?=\n\nText")

    assert facts["headers"] == [["Subject", "塅"]]


def test_hundreds_of_recipients_are_all_shown_and_a_longer_header_says_that_it_is_cut():
    people = ", ".join(f"reader{n}@example.org" for n in range(300))
    facts, _ = read(f"To: {people}\nSubject: {'x' * 20_000}\n\nText".encode())
    headers = dict(facts["headers"])

    assert headers["To"] == people
    assert headers["Subject"].endswith("x …")


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b"\r\n\n"])
def test_a_byte_order_mark_and_empty_lines_before_a_message_are_passed_over(start):
    facts, body = read(start + mail())

    assert ["From", "Ada <ada@example.org>"] in facts["headers"]
    assert "see the attachment" in body


def test_a_page_behind_its_pictures_is_shown_with_them():
    data = b"""Content-Type: multipart/related; type="text/html"; boundary=b

--b
Content-Type: image/png
Content-Location: image1

png
--b
Content-Type: text/html

<p>Dear all<img src="image1">
--b--
"""
    facts, body = read(data)

    assert "<p>Dear all<img" in body
    assert "data:image/png" in body
    assert facts["attachments"] == []


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('filename="Fr\xf6sche.txt"', "Frösche.txt"),
        ("filename=An offer of ours.txt; size=3", "An offer of ours.txt"),
        ("filename=offer.txt; size=3", "offer.txt"),
        ("filename*=utf-8''%C3%B6.txt", "ö.txt"),
        ("filename==?utf-8?Q?a?= =?utf-8?Q?b.txt?=", "ab.txt"),
    ],
)
def test_a_file_name_that_is_not_written_as_it_has_to_be_is_whole(written, name):
    head = f"Content-Type: text/csv; name=a.csv\nContent-Disposition: attachment; {written}\n\na"

    assert names(head.encode("latin-1")) == [(name, "text/csv")]


def test_a_text_in_utf_7_is_read_and_markup_in_it_is_escaped():
    data = b"Content-Type: text/plain; charset=UTF-7\n\nFr+APY-sche +ADw-script+AD4-x"

    assert "Frösche &lt;script" in read(data)[1]


def test_a_page_in_utf_7_is_sanitized():
    data = b"Content-Type: text/html; charset=utf-7\n\n+ADw-p+AD4-+APY-+ADw-script+AD4-x"
    _, body = read(data)

    assert "<p>ö" in body
    assert "script" not in body


def test_base64_with_a_letter_too_many_is_read_up_to_it():
    head = b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"

    assert "Hello World!" in read(head + b"SGVsbG8gV29y\nbGQhA\n")[1]


def test_a_text_that_is_declared_as_base64_and_is_written_plainly_is_read_as_it_is():
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"

    assert "Dear all, größe" in read(f"{head}Dear all, größe\n".encode())[1]
    assert "Hello World!" in read(f"{head}\nSGVsbG8gV29y\nbGQh".encode())[1]


def test_a_page_without_a_declared_charset_says_it_itself():
    text = "<meta charset=koi8-r><p>Привет".encode("koi8-r")

    assert "Привет" in read(b"Content-Type: text/html\n\n" + text)[1]


def test_a_page_in_a_mail_keeps_its_direction_and_language():
    data = b"Content-Type: text/html\n\n<html dir=rtl lang='ar'><body><p>x"

    assert 'dir="rtl" lang="ar">' in read(data)[1]


def test_an_attached_inline_picture_is_embedded():
    data = (
        b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"
        b'<img src="cid:pic"><img src="cid:none">\n--b\nContent-Type: image/png\n'
        b"Content-ID: <pic>\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n"
    )

    assert '<img src="data:image/png;base64,AAAA">' in read(data)[1]


def test_a_picture_of_a_saved_page_is_found_by_its_address_and_no_attachment():
    data = (
        b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"
        b'<img src="https://a.example/?a=1&amp;b"><img src="https://a.example/other">\n--b\n'
        b"Content-Type: image/png\nContent-Location: https://a.example/?a=1&b\n"
        b"Content-Transfer-Encoding: base64\n\nAAAA\n--b--\n"
    )
    facts, body = read(data)

    assert '<img src="data:image/png;base64,AAAA"><img>' in body
    assert facts["attachments"] == []
    assert facts["remote"]
    assert not read(data.replace(b'<img src="https://a.example/other">', b""))[0]["remote"]


def test_a_picture_shown_in_the_body_is_no_attachment_and_another_is():
    shown, _ = read(mail_with_picture("<img src='cid:pic'>"))
    other, _ = read(mail_with_picture("<p>x"))
    plain, _ = read(mail_with_picture("<img src='cid:pic'>", notes=b"x"))

    assert shown["attachments"] == []
    assert [name for name, _, _ in other["attachments"]] == ["inline.png"]
    assert plain["attachments"] == [["notes", "application/octet-stream", 1]]


def test_a_related_part_that_is_not_shown_is_an_attachment():
    data = (
        b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"
        b'<img src="cid:one">\n--b\nContent-Type: image/png; name=1.png\nContent-ID: <one>\n\nA\n'
        b"--b\nContent-Type: image/png; name=2.png\nContent-ID: <two>\n\nB\n--b--\n"
    )

    assert read(data)[0]["attachments"] == [["2.png", "image/png", 1]]


@given(st.binary())
def test_attachments_are_taken_out_byte_for_byte(content):
    message = EmailMessage()
    message.set_content("x")
    message.add_attachment(content, "application", "octet-stream", filename="a.bin")

    assert attached(message.as_bytes()) == [(True, content)]


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_an_attached_message_is_taken_out_byte_for_byte(line_end):
    inner = mail("<p>x</p>", Subject="a long subject " * 20).replace(b"\n", line_end)
    outer = EmailMessage()
    outer.set_content("x")
    outer.add_attachment(email.message_from_bytes(inner, policy=email.policy.default))
    data = outer.as_bytes(policy=email.policy.default.clone(linesep=line_end.decode()))

    assert attached(data) == [(True, inner)]


def test_a_message_without_text_is_its_own_attachment():
    data = b"Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\nAAAA"

    assert read(data)[0]["attachments"] == [["a.pdf", "application/pdf", 3]]
    assert attached(data) == [(True, b"\0\0\0")]


def test_attachments_above_the_total_limit_are_named_only(monkeypatch):
    monkeypatch.setattr(mail_message, "MAX_ATTACHED", 7)

    assert read(mail())[0]["attachments"] == [["numbers.csv", "text/csv", 8]]
    assert attached(mail()) == [(False, b"")]


def test_pictures_above_the_total_limit_are_left_out():
    html = "<img src=cid:p>" * 8
    data = (
        f"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n{html}\n"
        f"--b\nContent-Type: image/png\nContent-ID: <p>\n\n{'x' * (2 << 20)}\n--b--\n"
    ).encode()

    assert read(data)[1].count("data:image/png") == 4


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


def test_the_messages_of_a_digest_are_attachments():
    inner = b"".join(b"--d\n\nSubject: %d\n\nhello\n" % n for n in (1, 2)) + b"--d--\n"
    data = (
        b"Content-Type: multipart/mixed; boundary=m\n\n--m\n\nIn the digest:\n--m\n"
        b"Content-Type: multipart/digest; boundary=d\n\n" + inner + b"--m--\n"
    )
    facts, body = read(data)

    assert [kind for _, kind, _ in facts["attachments"]] == ["message/rfc822"] * 2
    contents = [content for _, content in attached(data)]
    assert contents == [b"Subject: 1\n\nhello", b"Subject: 2\n\nhello"]
    assert "In the digest" in body


def test_a_message_that_is_forwarded_whole_is_an_attachment():
    data = b"Subject: outer\nContent-Type: message/rfc822\n\nSubject: inner\n\nhello\n"

    assert read(data)[0]["attachments"] == [["", "message/rfc822", 22]]
    assert attached(data) == [(True, b"Subject: inner\n\nhello\n")]


def test_the_parts_of_a_report_are_attachments_named_by_their_address():
    head = b"Content-Type: multipart/report; boundary=x\n\n--x\n"
    status = b"Content-Type: message/delivery-status\nContent-Location: http://a.example/s.txt\n\n"
    fields = b"Reporting-MTA: dns; a\n\nAction: failed\n\n"
    data = head + status + fields + b"--x--\n"

    assert read(data)[0]["attachments"] == [["s.txt", "message/delivery-status", len(fields)]]
    assert attached(data) == [(True, fields)]
    assert b"Action: failed" in preview_of(original(data, "a.eml")).body


APPLE = (
    b"Content-Type: multipart/alternative; boundary=a\n\n--a\n\nwords\n--a\n"
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>One\n--b\n"
    b"Content-Type: application/pdf; name=offer.pdf\nContent-Disposition: inline\n\n%PDF-\n--b\n"
    b"Content-Type: text/html\n\n<p>Two\n--b--\n--a--\n"
)


def test_a_file_between_the_pages_of_a_mail_is_attached_and_both_pages_are_shown():
    facts, body = read(APPLE)

    assert facts["attachments"] == [["offer.pdf", "application/pdf", 5]]
    assert "One" in body
    assert "Two" in body
    assert "words" not in body


def test_an_invitation_among_the_forms_of_a_text_is_attached():
    data = (
        b"Content-Type: multipart/alternative; boundary=a\n\n--a\n\nwords\n--a\n"
        b"Content-Type: text/html\n\n<p>page\n--a\n"
        b"Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n--a--\n"
    )

    assert [kind for _, kind, _ in read(data)[0]["attachments"]] == ["text/calendar"]


@pytest.mark.parametrize(("kind", "data"), [("image/heic", b"x"), ("image/jpeg", b"x" * (3 << 20))])
def test_a_picture_in_the_text_that_cannot_be_drawn_there_is_attached(kind, data):
    message = (
        b"Content-Type: multipart/related; boundary=a\n\n--a\nContent-Type: text/html\n\n"
        b"<p>See <img src=cid:p>\n--a\nContent-Type: %b; name=p.jpg\nContent-ID: <p>\n\n%b\n--a--\n"
    )

    assert read(message % (kind.encode(), data))[0]["attachments"] == [["p.jpg", kind, len(data)]]


def test_a_page_without_text_and_pictures_gives_way_to_the_text():
    data = (
        b"Content-Type: multipart/alternative; boundary=a\n\n--a\n\nthe words\n--a\n"
        b"Content-Type: text/html\n\n<html><style>p{color:red}</style><p>&nbsp;</p></html>\n--a--\n"
    )
    facts, body = read(data)

    assert facts["format"] == "plain"
    assert "the words" in body


def names(data):
    """The names and types of the attachments that a message lists."""
    return [(name, kind) for name, kind, _ in read(data)[0]["attachments"]]


@pytest.mark.parametrize("declared", ["; boundary=declared", ""])
def test_parts_between_another_boundary_than_the_declared_one_are_found(declared):
    data = (
        f"Content-Type: multipart/mixed{declared}\n\nFor old programs.\n\n--used\n"
        "Content-Type: text/plain\n\nthe words\n--used\n"
        "Content-Type: text/csv; name=a.csv\n\na,b\n--used--\n"
    ).encode()

    assert names(data) == [("a.csv", "text/csv")]
    assert "the words" in read(data)[1]
    assert "--used" not in read(data)[1]


def test_a_container_inside_whose_boundary_is_wrong_has_its_parts_as_well():
    data = (
        b"Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/plain\n\nwords\n"
        b"--a\nContent-Type: multipart/mixed; boundary=declared\n\n--used\n"
        b"Content-Type: text/csv; name=a.csv\n\na,b\n--used--\n--a--\n"
    )

    assert names(data) == [("a.csv", "text/csv")]


def test_the_parts_behind_a_container_that_has_the_boundary_of_its_own_container_are_found():
    data = (
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n"
        b"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
        b"the words\n--b--\n\n--b\nContent-Type: text/csv; name=a.csv\n\na,b\n--b--\n"
    )

    assert names(data) == [("a.csv", "text/csv")]
    assert "the words" in read(data)[1]


def test_missing_parts_are_searched_for_in_a_limited_number_of_containers(monkeypatch):
    monkeypatch.setattr(mail_message, "MAX_CONTAINERS", 1)
    inner = "--x\nContent-Type: text/csv; name=a.csv\n\na,b\n--x--\n"
    container = f"--a\nContent-Type: multipart/mixed; boundary=other\n\n{inner}"
    data = f"Content-Type: multipart/mixed; boundary=a\n\n{container}{container}--a--\n".encode()

    assert [name for name, _ in names(data)] == ["a.csv"]
    assert "--x" in read(data)[1]


def test_a_line_that_begins_with_hyphens_in_a_text_is_no_boundary():
    data = b"Content-Type: multipart/mixed; boundary=a\n\nBefore\n--cut\nhere\n"

    assert "--cut" in read(data)[1]


@pytest.mark.parametrize("disposition", ["inline", "attachment"])
@pytest.mark.parametrize("kind", ["text/calendar", "text/vcard", "text/csv"])
def test_a_message_that_is_one_text_for_a_program_is_its_own_attachment(kind, disposition):
    data = f"Content-Type: {kind}\nContent-Disposition: {disposition}\n\nBEGIN\n".encode()

    assert names(data) == [("", kind)]


def test_a_message_that_is_one_attached_text_is_its_own_attachment():
    data = b"Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nwords\n"

    assert names(data) == [("a.txt", "text/plain")]


def test_a_second_text_with_two_forms_is_attached():
    forms = (
        b"--m\nContent-Type: multipart/alternative; boundary=%b\n\n--%b\n"
        b"Content-Type: text/plain\n\nwords\n--%b\nContent-Type: text/html\n\n<p>page\n--%b--\n"
    )
    data = b"Content-Type: multipart/mixed; boundary=m\n\n%b%b--m--\n"
    second = data % (forms % (b"a", b"a", b"a", b"a"), forms % (b"b", b"b", b"b", b"b"))

    assert names(second) == [("", "text/plain"), ("", "text/html")]


def test_a_text_behind_a_page_in_one_form_of_a_mail_is_attached():
    data = APPLE.replace(b"Content-Type: text/html\n\n<p>Two", b"Content-Type: text/plain\n\nTwo")

    assert names(data) == [("offer.pdf", "application/pdf"), ("", "text/plain")]


def test_a_page_that_is_too_large_to_be_shown_is_attached_and_its_other_form_is_shown(monkeypatch):
    monkeypatch.setattr(mail_message, "MAX_BODY", 5)
    data = mail("<p>a long page", "the words")

    assert names(data) == [("", "text/html"), ("numbers.csv", "text/csv")]
    assert read(data)[0]["format"] == "plain"


def test_a_second_picture_of_the_same_name_and_one_in_a_comment_are_attached():
    head = b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"
    picture = b"\n--b\nContent-Type: image/png; name=%b\nContent-ID: <%b>\n\n%b"
    same = picture % (b"1.png", b"x", b"A") + picture % (b"2.png", b"x", b"B")
    shown = head + b"<img src=cid:x>" + same + b"\n--b--\n"
    hidden = head + b"<p>x<!-- <img src=cid:x> -->" + same + b"\n--b--\n"

    assert names(shown) == [("2.png", "image/png")]
    assert names(hidden) == [("1.png", "image/png"), ("2.png", "image/png")]


def test_attachments_beyond_the_limit_are_counted(monkeypatch):
    monkeypatch.setattr(mail_message, "MAX_ATTACHMENTS", 3)
    message = EmailMessage()
    message.set_content("x")
    for number in range(5):
        message.add_attachment(b"x", "application", "octet-stream", filename=f"{number}.bin")

    assert [name for name, _ in names(message.as_bytes())] == ["0.bin", "1.bin", "2.bin"]
    assert read(message.as_bytes())[0]["left_out"] == 2
    about, _ = next(letter.render(message.as_bytes(), {}))
    assert about["note"] == "2 further attachments are not shown."


def test_an_empty_text_beside_the_text_is_no_attachment():
    data = (
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>x\n"
        b"--b\nContent-Type: text/plain\n\n \n--b--\n"
    )

    assert names(data) == []


def leaves(message, container=""):
    """Each part that is no container, as Python's older parser finds it, with its container."""
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for part in message.get_payload():
            yield from leaves(part, message.get_content_type())
    else:
        yield message, container


def words(text):
    """The words of a text, without those of boundaries, headers of parts, titles and tags."""
    text = re.sub(r"(?im)<title>.*|^--.*$|^[\w-]+:.*(\n[ \t].*)*$|<[^<>]*>?", " ", text)
    return re.findall(r"\w+", text)


# Mails of Python's own tests, of many kinds and partly broken.
MAILS = [file for file in (files("test.test_email") / "data").iterdir() if file.suffix == ".txt"]


@pytest.mark.parametrize("file", MAILS, ids=lambda file: file.name)
def test_each_part_of_a_foreign_mail_is_shown_or_attached(file):
    data = file.read_bytes()
    facts, body = read(data)
    if facts["format"] == "plain":
        body = html.unescape(re.sub(r"<[^<>]*>", "", body))
    contents = b"\n".join(content for _, content in attached(data))
    seen = words(body) + words(contents.decode("utf-8", "replace"))
    for part, container in leaves(email.message_from_bytes(data)):
        if part.is_multipart():
            expected = "".join(str(inner.get_payload()) for inner in part.get_payload())
        else:
            payload = part.get_payload(decode=True)
            if payload in contents:
                continue
            expected = payload.decode("utf-8", "replace")
            if part.get_content_maintype() == "multipart":
                expected = re.sub(r"(?s)\A(?!--).*?\n--", "--", expected)  # no preamble
        is_form = part.get_content_type() == "text/plain" and container == "multipart/alternative"
        assert is_form or set(words(expected)) <= set(seen), part.get_content_type()
